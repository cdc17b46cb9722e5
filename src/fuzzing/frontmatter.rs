//! The block at the start of a skill: read, repaired or refused, whatever it is, and never at the cost of the body.

use crate::corpus::frontmatter::{AllowedTools, Parsed, parse};
use crate::corpus::source::decode;
use crate::text::lines::line_of;
use vibey_context_contracts::diagnostic::Code;

/// Any bytes are a text or a finding, and any text has its frontmatter.
pub(super) fn frontmatter(data: &[u8]) {
    let Ok(text) = decode(data.to_vec()) else {
        return;
    };
    let parsed = holds(&text);
    assert_eq!(parsed, parse(&text, "demo"), "read in two ways");
    // What a block is closed by must not decide whether it is survived.
    holds(&format!("---\n{text}\n---\nbody\n"));
}

/// Reads the frontmatter of a text, and checks what holds for every one.
pub(crate) fn holds(text: &str) -> Parsed {
    let parsed = parse(text, "demo");
    assert!(text.is_char_boundary(parsed.body_start));
    assert_eq!(parsed.body_line, line_of(text, parsed.body_start));
    assert!(parsed.findings.is_sorted());

    let lines = line_of(text, text.len());
    for finding in &parsed.findings {
        assert!(finding.line <= lines, "{finding:?}");
        assert!(!finding.message.contains('\n'), "{finding:?}");
    }
    let fm = &parsed.frontmatter;
    assert_eq!(fm.mandatory_sections.len(), fm.mandatory_lines.len());
    let has = |code| parsed.findings.iter().any(|finding| finding.code == code);
    assert_eq!(
        fm.allowed_tools == AllowedTools::Unknown,
        has(Code::ToolsUnknown)
    );
    assert_eq!(parsed.rejected, has(Code::RetrievalVersion));
    parsed
}
