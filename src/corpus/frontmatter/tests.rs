//! What real files get wrong, row by row: fields, body and findings of each.
#![allow(clippy::unwrap_used)]

mod block;
mod repair;
mod values;

use std::fmt::Write as _;

use super::{AllowedTools, Parsed, parse};

const BODY: &str = "# Demo\nbody\n";

/// A file with the frontmatter `block` and a body.
fn file(block: &str) -> String {
    format!("---\n{block}\n---\n{BODY}")
}

/// The fields that are set, one a line; line feeds in them as `\n`.
fn fields(parsed: &Parsed) -> String {
    let fm = &parsed.frontmatter;
    let mut out = String::new();
    let texts = [
        ("name", &fm.name),
        ("description", &fm.description),
        ("license", &fm.license),
        ("compatibility", &fm.compatibility),
        ("version", &fm.version),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            writeln!(out, "{key}={}", text.replace('\n', "\\n")).unwrap();
        }
    }
    match &fm.allowed_tools {
        AllowedTools::Absent => {}
        AllowedTools::Listed(tools) => writeln!(out, "tools={}", tools.join("|")).unwrap(),
        AllowedTools::Unknown => writeln!(out, "tools?").unwrap(),
    }
    for (key, value) in &fm.metadata {
        writeln!(out, "metadata.{key}={}", value.replace('\n', "\\n")).unwrap();
    }
    let lists = [
        ("domains", &fm.domains),
        ("phases", &fm.phases),
        ("languages", &fm.languages),
        ("technologies", &fm.technologies),
        ("mandatory", &fm.mandatory_sections),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            writeln!(out, "{key}={}", list.join("|")).unwrap();
        }
    }
    out
}

/// The findings as `line:column code`.
fn findings(parsed: &Parsed) -> String {
    let findings: Vec<_> = parsed
        .findings
        .iter()
        .map(|f| format!("{}:{} {}", f.line, f.column, f.code.as_str()))
        .collect();
    findings.join(", ")
}

/// Checks a block: its fields, its findings, and that the body is all of what follows.
#[track_caller]
fn check(block: &str, expect_fields: &[&str], expect_findings: &str) {
    let text = file(block);
    let parsed = check_file(&text, expect_fields, expect_findings);
    assert_eq!(text.get(parsed.body_start..), Some(BODY), "{block}");
}

#[track_caller]
fn check_file(text: &str, expect_fields: &[&str], expect_findings: &str) -> Parsed {
    let parsed = parse(text, "demo");
    let found = fields(&parsed);
    let found: Vec<_> = found.lines().collect();
    assert_eq!(
        (found.as_slice(), findings(&parsed).as_str()),
        (expect_fields, expect_findings),
        "in\n{text}\n{:#?}",
        parsed.findings
    );
    parsed
}
