//! `materialize`: the links of an artifact as one file with its sidecar.

use super::ceiling::enforce;
use super::gitignore;
use super::page::{Facts, Page, Section};
use super::refused::Refused;
use super::resolve::{self, Origin, Ref, Resolved};
use super::roles::cut;
use super::setup::Setup;
use super::zones::{self, Files, Target, Written};
use std::collections::BTreeSet;
use vibey_context_contracts::canonical;
use vibey_context_contracts::materialize::{ContextManifest, ContextRef, Cut, RefStatus};
use vibey_context_contracts::time::rfc3339;
use vibey_context_contracts::version::{CONTEXT_MANIFEST, SCHEMA_VERSION};

/// Names of the two files.
const DOCUMENT: &str = "context.md";
const SIDECAR: &str = "context.json";

/// The two files before they are written, and what is to be known before that.
#[derive(Debug, Clone)]
pub struct Context {
    /// `context.md`.
    pub document: String,
    /// `context.json`.
    pub manifest: ContextManifest,
    /// Shapes of secrets in all documents; one that several links lead to counts once.
    pub secrets: u64,
    /// Where private content comes from, with the number of links.
    pub private: Vec<(&'static str, usize)>,
}

/// Resolves the links and puts the files together.
///
/// # Errors
/// The runtime can not be started, or a template fails.
pub fn context(setup: &Setup) -> Result<Context, Refused> {
    let mut warnings = setup.warnings.clone();
    let refs = resolve::documents(&setup.links, &setup.places(), &setup.network, &mut warnings)?;
    let consumer = setup.options.consumer;
    let mut page = Page::new(facts(setup), &refs, |role| cut(role, consumer))?;
    if let Some(ceiling) = setup.ceiling()
        && !enforce(&mut page, ceiling)?
    {
        warnings.push(format!(
            "{} tokens are more than the ceiling of {ceiling}, although every link is cut as far as it can be",
            page.tokens_of(page.size()?)
        ));
    }
    let mut secrets = 0;
    let mut counted = BTreeSet::new();
    for section in &page.sections {
        if !section.known.secrets.is_empty() && counted.insert(&section.resolved.document.body) {
            secrets += section.known.secrets.len() as u64;
        }
        warnings.extend(findings(section));
    }
    Ok(Context {
        document: page.text()?,
        manifest: manifest(setup, &page, &refs, warnings)?,
        secrets,
        private: private(&refs),
    })
}

/// Writes the files to their place.
///
/// # Errors
/// The place was taken meanwhile, or the system refuses.
pub fn write(setup: &Setup, context: &Context) -> Result<Option<Written>, Refused> {
    let Some(target) = &setup.target else {
        return Ok(None);
    };
    let manifest = canonical::pretty(&context.manifest)?;
    let files = Files {
        document: (DOCUMENT, &context.document),
        sidecar: Some((SIDECAR, &manifest)),
    };
    zones::write(target, &files).map(Some)
}

/// What is to be known where a result is kept beside its artifact: the warning of the original skill, word for word, and
/// further sentences.
#[must_use]
pub fn persist_warnings(setup: &Setup, context: &Context) -> Option<(String, Vec<String>)> {
    let Some(Target::Persist(folder)) = &setup.target else {
        return None;
    };
    let original = format!(
        "⚠ --persist will write materialized content to {}. This content may include private data resolved from mcp://, https://, or \
         aliased-repo URIs. Ensure `.context/` is listed in `.gitignore` before committing. See CONVENTIONS § 1 for repository hygiene.",
        folder.join(DOCUMENT).display()
    );
    let mut warnings = Vec::new();
    if !context.private.is_empty() {
        let parts: Vec<String> = context
            .private
            .iter()
            .map(|(from, count)| format!("{count} from {from}"))
            .collect();
        warnings.push(format!("it holds private content: {}", parts.join(", ")));
    }
    let kept = folder.parent().unwrap_or(folder);
    // Without a repository the project is what the brain stands in.
    let project = setup.brain.parent().unwrap_or(&setup.brain);
    let top = gitignore::repository(kept).unwrap_or(project);
    if !gitignore::covers(top, kept) {
        warnings.push("no rule of a `.gitignore` covers `.context/`".to_owned());
    }
    Some((original, warnings))
}

fn facts(setup: &Setup) -> Facts {
    Facts {
        artifact: setup.artifact.relative.clone(),
        artifact_id: setup.artifact.id.clone(),
        primary_project: setup.primary_project.clone(),
        title: setup.artifact.title.clone(),
        generated_at: rfc3339(setup.now_ms),
        consumer: setup.options.consumer,
        roles: setup.options.roles.clone(),
        max_tokens: setup.ceiling(),
        tokenizer: setup.options.tokenizer,
    }
}

/// What a reader of the content should know.
fn findings(section: &Section) -> Vec<String> {
    let uri = &section.uri;
    let mut found = Vec::new();
    if !section.known.secrets.is_empty() {
        let kinds: BTreeSet<&str> = section.known.secrets.iter().copied().collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        found.push(format!(
            "`{uri}` holds {} ({})",
            counted(
                section.known.secrets.len() as u64,
                "shape of a secret",
                "shapes of secrets"
            ),
            kinds.join(", ")
        ));
    }
    if section.neutralised() > 0 {
        let count = counted(section.neutralised(), "envelope marker", "envelope markers");
        found.push(format!("`{uri}` imitates {count}, made harmless"));
    }
    if section.known.hidden > 0 {
        let count = counted(
            section.known.hidden,
            "invisible character",
            "invisible characters",
        );
        found.push(format!("`{uri}` holds {count}"));
    }
    found
}

/// A number with what it counts.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// How many links lead to content that is nobody else's business. A file of this machine counts; the artifact's own
/// project does not.
fn private(refs: &[Ref<Resolved>]) -> Vec<(&'static str, usize)> {
    let kinds = [
        (Origin::Mcp, "mcp://"),
        (Origin::PlainWeb, "http://"),
        (Origin::Web, "https://"),
        (Origin::Alias, "aliased repositories"),
        (Origin::File, "file://"),
    ];
    let resolved: Vec<Origin> = refs
        .iter()
        .filter_map(|one| Some(one.outcome.as_ref().ok()?.origin))
        .collect();
    kinds
        .into_iter()
        .map(|(kind, name)| {
            (
                name,
                resolved.iter().filter(|origin| **origin == kind).count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn manifest(
    setup: &Setup,
    page: &Page,
    refs: &[Ref<Resolved>],
    warnings: Vec<String>,
) -> Result<ContextManifest, Refused> {
    let facts = &page.facts;
    let counts = page.counts();
    let mut rows: Vec<ContextRef> = refs.iter().map(unresolved_row).collect();
    for section in &page.sections {
        if let Some(row) = rows.get_mut(section.index) {
            *row = resolved_row(section);
        }
    }
    Ok(ContextManifest {
        schema_version: SCHEMA_VERSION,
        contract_version: CONTEXT_MANIFEST.to_string(),
        artifact: facts.artifact.clone(),
        artifact_id: facts.artifact_id.clone(),
        primary_project: facts.primary_project.clone(),
        generated_at: facts.generated_at.clone(),
        consumer: facts.consumer,
        roles: facts
            .roles
            .iter()
            .map(|role| role.label().to_owned())
            .collect(),
        max_tokens: facts.max_tokens,
        tokenizer: setup.options.tokenizer.name().to_owned(),
        token_estimate: page.token_estimate()?,
        refs_total: counts.total,
        refs_resolved: counts.resolved,
        refs_unresolved: counts.unresolved,
        refs_trimmed: counts.trimmed,
        ceiling_hit: page.ceiling_hit(),
        refs: rows,
        warnings,
    })
}

fn unresolved_row(one: &Ref<Resolved>) -> ContextRef {
    ContextRef {
        uri: one.uri.clone(),
        role: one.label.clone(),
        resolved_at: None,
        status: RefStatus::Unresolved,
        bytes: 0,
        token_estimate: 0,
        trim_applied: None,
        source: None,
        reason: one.outcome.as_ref().err().map(|why| why.reason.to_string()),
        neutralised: 0,
        secrets: 0,
        hidden_characters: 0,
    }
}

fn resolved_row(section: &Section) -> ContextRef {
    ContextRef {
        uri: section.uri.clone(),
        role: section.label.clone(),
        resolved_at: Some(section.resolved.fetched_at.clone()),
        status: RefStatus::Resolved,
        bytes: section.resolved.document.bytes,
        token_estimate: section.tokens(),
        trim_applied: Some(section.cut()).filter(|cut| *cut != Cut::Full),
        source: Some(section.resolved.source.clone()),
        reason: None,
        neutralised: section.neutralised(),
        secrets: section.known.secrets.len() as u64,
        hidden_characters: section.known.hidden,
    }
}
