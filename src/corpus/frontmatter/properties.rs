//! What holds for every text, however broken.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use vibey_context_contracts::diagnostic::Code;

use crate::fuzzing::frontmatter::holds;
use crate::text::lines::normalise;

/// Pieces that break parsers when put together.
const PIECES: &[&str] = &[
    "---\n",
    "---",
    "...\n",
    "--- x\n",
    "\n",
    " ",
    "  ",
    "\t",
    "name:",
    "name: demo\n",
    "description: ",
    "metadata:\n",
    "allowed-tools: ",
    "mandatory_sections:\n",
    "retrieval_version: ",
    "domains: ",
    "- ",
    "- a\n",
    "? ",
    ": ",
    ":",
    "key: a: b\n",
    "&a ",
    "*a",
    "*b",
    "!!str ",
    "! ",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    "{{ x }}",
    ",",
    "\"",
    "'",
    "\\",
    "\\d",
    "|\n",
    ">-\n",
    ">2\n",
    "# Demo\n",
    "# c",
    "<!--",
    "-->",
    "```markdown\n",
    "```\n",
    "~~~\n",
    "%YAML 1.2\n",
    "@",
    "`",
    "é",
    "🔥",
    "\u{feff}",
    "\u{0}",
    "\u{85}",
    "\u{2028}",
    "text",
    "null",
    "yes",
    "Read",
    "Bash(",
    ")",
    "(",
];

/// A value that a careless author writes on one line.
fn value() -> impl Strategy<Value = String> {
    "[!-~é🔥][ -~é🔥]{0,40}[a-z.]"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        holds(&text);
        holds(&format!("---\n{text}\n---\nbody"));
    }

    #[test]
    fn any_characters_are_read(text in proptest::collection::vec(any::<char>(), 0..100)) {
        // As a file is: a lone CR ends a line for YAML, and none is left when it comes here.
        let text: String = text.into_iter().collect();
        let text = normalise(&text);
        holds(&format!("---\nname: demo\n{text}\n---\nbody"));
    }

    #[test]
    fn assembled_text_is_read(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)) {
        let text = pieces.concat();
        holds(&text);
        holds(&format!("---\n{text}\n---\nbody"));
        holds(&format!("---\nname: demo\nallowed-tools: Read\n{text}"));
    }

    /// One line of any kind never costs the keys around it, nor the body.
    #[test]
    fn a_careless_value_costs_no_other_key(value in value()) {
        let body = "# Demo\n\n---\n\nend\n";
        let text = format!("---\nname: demo\ndescription: Reads.\nhint: {value}\nlicense: MIT\n---\n{body}");
        let parsed = holds(&text);
        prop_assert_eq!(parsed.frontmatter.name.as_deref(), Some("demo"));
        prop_assert_eq!(parsed.frontmatter.description.as_deref(), Some("Reads."));
        prop_assert_eq!(parsed.frontmatter.license.as_deref(), Some("MIT"));
        prop_assert_eq!(text.get(parsed.body_start..), Some(body));
    }

    /// What is not valid YAML is kept as it was written.
    #[test]
    fn a_recovered_text_is_exact(head in "[a-z]{1,8}", tail in "[ -~]{0,40}[a-z.]") {
        let value = format!("{head}: {tail}: x");
        let text = format!("---\nname: demo\ndescription: {value}\n---\n");
        let parsed = holds(&text);
        prop_assert_eq!(parsed.frontmatter.description, Some(value));
        prop_assert!(parsed.findings.iter().any(|finding| finding.code == Code::FmRecovered));
    }
}
