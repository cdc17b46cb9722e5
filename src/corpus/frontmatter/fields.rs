//! Which fields does a skill set, and do they keep to the Agent Skills specification?

use std::collections::BTreeMap;

use vibey_context_contracts::diagnostic::{Code, Finding};

use super::lines::Line;
use super::scalar::{self, Kind, shown};
use super::yaml::{Document, Pair, Place, Value, source_of};
use super::{AllowedTools, Frontmatter, limits, lists, tools};

/// The `retrieval_version` that this compiler speaks.
const RETRIEVAL_VERSION: &str = "1";

/// A block as pairs.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) pairs: Vec<Pair>,
    pub(super) findings: Vec<Finding>,
    /// All of the block was read, so that a key that is not here is not there.
    pub(super) complete: bool,
}

impl Reading {
    /// All of a block that is valid YAML.
    pub(super) fn of(document: Document) -> Self {
        Self {
            pairs: document.pairs,
            findings: document.findings,
            complete: true,
        }
    }

    /// With `allowed-tools` as unknown where `lines`, which could not be parsed as they are, seem to hold it.
    pub(super) fn guarding_tools<'t>(mut self, lines: impl IntoIterator<Item = Line<'t>>) -> Self {
        if !self.pairs.iter().any(|pair| pair.key == tools::KEY)
            && let Some(place) = tools::mentioned(lines)
        {
            self.pairs.push(tools::unreadable(place));
        }
        self
    }
}

/// A block as fields.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) frontmatter: Frontmatter,
    pub(super) findings: Vec<Finding>,
    pub(super) rejected: bool,
}

/// Reads the fields of a block that was opened in line `line`.
pub(super) fn read(reading: Reading, line: u32, folder: &str) -> Fields {
    let mut findings = reading.findings;
    let keys = first_of_each(&reading.pairs, &mut findings);
    for pair in keys.values() {
        if let Value::Refused(what) = pair.value.value {
            let message = format!("`{}` uses {what} and is not read", shown(&pair.key));
            findings.push(pair.value.place.finding(Code::FmRefused, message));
        }
    }
    let mut text = |key: &str| {
        let pair = keys.get(key)?;
        text_of(pair, &mut findings).map(|text| (text, pair.value.place))
    };
    let name = text("name");
    let description = text("description");
    let license = text("license");
    let compatibility = text("compatibility");

    let top = Place { line, column: 0 };
    match &name {
        Some((name, place)) => check_name(name, *place, folder, &mut findings),
        None if reading.complete => findings.push(top.finding(
            Code::NameMissing,
            "no `name`; the name of the folder stands in",
        )),
        None => {}
    }
    match &description {
        Some((text, place)) => check_length(
            "description",
            text,
            limits::DESCRIPTION_CHARS,
            (Code::DescriptionTooLong, *place),
            &mut findings,
        ),
        None if reading.complete => findings.push(top.finding(
            Code::DescriptionMissing,
            "no `description`; the skill is found by name alone",
        )),
        None => {}
    }
    if let Some((text, place)) = &compatibility {
        check_length(
            "compatibility",
            text,
            limits::COMPATIBILITY_CHARS,
            (Code::CompatibilityTooLong, *place),
            &mut findings,
        );
    }

    let allowed_tools = keys.get(tools::KEY).map_or(AllowedTools::Absent, |pair| {
        let read = tools::read(&pair.value);
        if read == AllowedTools::Unknown {
            findings.push(tools::unknown(pair.value.place));
        }
        read
    });
    let metadata = keys
        .get("metadata")
        .map(|pair| metadata_of(pair, &mut findings))
        .unwrap_or_default();
    let version = metadata.get("version").cloned().or_else(|| {
        let pair = keys.get("version")?;
        source_of(&pair.value)
    });
    let rejected = keys
        .get("retrieval_version")
        .is_some_and(|pair| !check_retrieval_version(pair, &mut findings));

    let mut list = |key: &str| {
        keys.get(key)
            .map(|pair| lists::read(pair, &mut findings))
            .unwrap_or_default()
    };
    let mut texts = |key: &str| list(key).into_iter().map(|(text, _)| text).collect();
    let (domains, phases) = (texts("domains"), texts("phases"));
    let (languages, technologies) = (texts("languages"), texts("technologies"));
    let (mandatory_sections, mandatory_lines) = list("mandatory_sections").into_iter().unzip();

    Fields {
        frontmatter: Frontmatter {
            name: name.map(|(text, _)| text),
            description: description.map(|(text, _)| text),
            license: license.map(|(text, _)| text),
            compatibility: compatibility.map(|(text, _)| text),
            allowed_tools,
            metadata,
            domains,
            phases,
            languages,
            technologies,
            mandatory_sections,
            mandatory_lines,
            version,
        },
        findings,
        rejected,
    }
}

/// The first pair of each key.
fn first_of_each<'p>(
    pairs: &'p [Pair],
    findings: &mut Vec<Finding>,
) -> BTreeMap<&'p str, &'p Pair> {
    let mut keys: BTreeMap<&str, &Pair> = BTreeMap::new();
    for pair in pairs {
        match keys.get(pair.key.as_str()) {
            Some(first) => {
                let message = format!(
                    "`{}` stands in line {} already; that one counts",
                    shown(&pair.key),
                    first.place.line
                );
                findings.push(pair.place.finding(Code::FmDuplicateKey, message));
            }
            None => {
                keys.insert(&pair.key, pair);
            }
        }
    }
    keys
}

fn text_of(pair: &Pair, findings: &mut Vec<Finding>) -> Option<String> {
    let (key, place) = (&pair.key, pair.value.place);
    match &pair.value.value {
        Value::Scalar { text, plain: true } => match scalar::kind_of(text) {
            Kind::Text => source_of(&pair.value),
            Kind::Null => {
                if !text.is_empty() {
                    let message = format!("`{key}` is null, which is no text");
                    findings.push(place.finding(Code::FmNotString, message));
                }
                None
            }
            Kind::Other(what) => {
                let message = format!("`{key}` is {what} in YAML; its source text is used");
                findings.push(place.finding(Code::FmNotString, message));
                source_of(&pair.value)
            }
        },
        Value::Scalar { .. } | Value::Raw(_) => source_of(&pair.value),
        Value::List(nodes) => {
            let message = format!("`{key}` is a list; its texts are joined");
            findings.push(place.finding(Code::FmNotScalar, message));
            let joined = nodes
                .iter()
                .filter_map(source_of)
                .collect::<Vec<_>>()
                .join(" ");
            (!joined.is_empty()).then_some(joined)
        }
        Value::Map { .. } => {
            let message = format!("`{key}` is a mapping and is not read");
            findings.push(place.finding(Code::FmNotScalar, message));
            None
        }
        Value::Refused(_) => None,
    }
}

fn metadata_of(pair: &Pair, findings: &mut Vec<Finding>) -> BTreeMap<String, String> {
    let mut metadata = BTreeMap::new();
    match &pair.value.value {
        Value::Map { pairs, .. } => {
            for (key, entry) in first_of_each(pairs, findings) {
                if let Some(text) = source_of(&entry.value) {
                    metadata.insert(key.to_owned(), text);
                } else if matches!(entry.value.value, Value::List(_) | Value::Map { .. }) {
                    let message =
                        format!("`metadata.{}` is not one text and is not read", shown(key));
                    findings.push(entry.value.place.finding(Code::FmNotScalar, message));
                }
            }
        }
        Value::Refused(_) => {}
        _ if source_of(&pair.value).is_none() && !matches!(pair.value.value, Value::List(_)) => {}
        _ => findings.push(
            pair.value
                .place
                .finding(Code::FmNotScalar, "`metadata` is not a mapping of texts"),
        ),
    }
    metadata
}

fn check_retrieval_version(pair: &Pair, findings: &mut Vec<Finding>) -> bool {
    let text = source_of(&pair.value);
    let absent = matches!(&pair.value.value, Value::Scalar { .. } if text.is_none());
    if absent || text.as_deref() == Some(RETRIEVAL_VERSION) {
        return true;
    }
    let message = match text {
        Some(text) => format!("`retrieval_version` is `{}`, not 1", shown(&text)),
        None => "`retrieval_version` is not a number".to_owned(),
    };
    findings.push(pair.value.place.finding(Code::RetrievalVersion, message));
    false
}

fn check_name(name: &str, place: Place, folder: &str, findings: &mut Vec<Finding>) {
    let hyphens = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    let characters = name
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if hyphens || !characters {
        let message = format!(
            "`name` is `{}`: only lowercase letters, digits and single hyphens between them",
            shown(name)
        );
        findings.push(place.finding(Code::NameInvalid, message));
    }
    check_length(
        "name",
        name,
        limits::NAME_CHARS,
        (Code::NameTooLong, place),
        findings,
    );
    if name != folder {
        let message = format!(
            "`name` is `{}`, the folder is `{}`",
            shown(name),
            shown(folder)
        );
        findings.push(place.finding(Code::NameDiffers, message));
    }
}

fn check_length(
    key: &str,
    text: &str,
    limit: usize,
    (code, place): (Code, Place),
    findings: &mut Vec<Finding>,
) {
    let length = text.chars().count();
    if length > limit {
        let message = format!("`{key}` has {length} characters, the limit is {limit}");
        findings.push(place.finding(code, message));
    }
}
