//! Does the compiler speak our contracts?

use super::Compiler;
use super::call::call;
use super::failure::Failure;
use semver::Version;
use serde::Deserialize;
use std::collections::BTreeMap;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_contracts::exit;
use vibey_context_contracts::version::{CONTRACT_REPORT, INDEX_REPORT, PACKET_MANIFEST, REQUEST};

/// The contracts that we use, with the versions that we were built for: a request with fields of this minor version is
/// refused by an older compiler, and its manifest would lack fields that we read.
const NEEDED: [(&str, Version); 4] = [
    ("contract_report", CONTRACT_REPORT),
    ("request", REQUEST),
    ("packet_manifest", PACKET_MANIFEST),
    ("index_report", INDEX_REPORT),
];
/// Characters of a foreign version that a message shows.
const SHOWN_CHARS: usize = 40;

/// What the compiler said about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handshake {
    /// Version of the compiler.
    pub compiler_version: String,
}

/// What we read of `contract --json`; a newer compiler may say more.
#[derive(Deserialize)]
struct Report {
    compiler: Speaker,
    contracts: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Speaker {
    name: String,
    version: String,
}

/// Asks the compiler which contracts it speaks.
pub(super) async fn shake(compiler: &Compiler) -> Result<Handshake, Failure> {
    // A compiler that has not begun with a packet has not taken time for one.
    asked(compiler).await.map_err(|failure| Failure {
        compile_ms: 0,
        ..failure
    })
}

async fn asked(compiler: &Compiler) -> Result<Handshake, Failure> {
    let mut answer = call(compiler, &["contract".as_ref(), "--json".as_ref()]).await?;
    if answer.return_code != i32::from(exit::DONE) {
        let message = format!(
            "`contract --json` ended with exit code {}",
            answer.return_code
        );
        return Err(answer.failed(FailureCode::HandshakeFailed, message));
    }
    let printed = answer.stdout.take().unwrap_or_default();
    let Ok(report) = serde_json::from_slice::<Report>(&printed) else {
        let message = "`contract --json` printed no contract report".to_owned();
        return Err(answer.failed(FailureCode::HandshakeFailed, message));
    };
    agreed(&report).map_err(|failure| Failure {
        return_code: Some(answer.return_code),
        stderr: answer.stderr,
        ..failure
    })
}

fn agreed(report: &Report) -> Result<Handshake, Failure> {
    for (contract, ours) in &NEEDED {
        let theirs = report.contracts.get(*contract);
        let version = theirs.and_then(|theirs| Version::parse(theirs).ok());
        if version.is_some_and(|theirs| satisfies(ours, &theirs)) {
            continue;
        }
        let message = format!(
            "compiler `{} {}` speaks contract `{contract}` in version {}, and this program needs {}.{} or a later {}.x",
            shown(&report.compiler.name),
            shown(&report.compiler.version),
            theirs.map_or_else(|| "none".to_owned(), |theirs| shown(theirs)),
            ours.major,
            ours.minor,
            ours.major,
        );
        return Err(Failure {
            compiler_version: Some(report.compiler.version.clone()),
            contract_version: theirs.cloned(),
            ..Failure::new(FailureCode::IncompatibleCompiler, message)
        });
    }
    Ok(Handshake {
        compiler_version: report.compiler.version.clone(),
    })
}

/// Whether a compiler that speaks `theirs` serves a program that needs `ours`. A pre-release comes before its version.
pub(super) fn satisfies(ours: &Version, theirs: &Version) -> bool {
    theirs.major == ours.major
        && (theirs.minor > ours.minor || theirs >= &Version::new(ours.major, ours.minor, 0))
}

/// Text of a stranger, as a message shows it.
pub(super) fn shown(text: &str) -> String {
    let clean = vibey_context_contracts::redact::redact(text);
    clean
        .chars()
        .filter(|c| !c.is_control())
        .take(SHOWN_CHARS)
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_same_major_and_at_least_our_minor_will_do() {
        let ours = Version::new(1, 2, 5);
        for (theirs, good) in [
            ("1.2.0", true),
            ("1.3.0", true),
            ("1.10.0", true),
            ("1.3.0-rc.1", true),
            ("1.2.0-rc.1", false),
            ("1.1.9", false),
            ("2.2.5", false),
            ("0.9.0", false),
        ] {
            assert_eq!(
                satisfies(&ours, &Version::parse(theirs).unwrap()),
                good,
                "{theirs}"
            );
        }
    }

    #[test]
    fn both_versions_are_named() {
        let mut report = Report {
            compiler: Speaker {
                name: "vibey-context".into(),
                version: "7.1.0".into(),
            },
            contracts: NEEDED
                .map(|(name, version)| (name.to_owned(), version.to_string()))
                .into(),
        };
        assert_eq!(agreed(&report).unwrap().compiler_version, "7.1.0");
        for (theirs, words) in [("2.0.0", "2.0.0"), ("one", "one"), ("", "")] {
            report.contracts.insert("request".into(), theirs.into());
            let failure = agreed(&report).unwrap_err();
            assert_eq!(failure.code, FailureCode::IncompatibleCompiler);
            assert!(
                failure.message.contains(&format!("in version {words}")),
                "{}",
                failure.message
            );
            assert!(failure.message.contains("needs 1.0"), "{}", failure.message);
        }
        report.contracts.remove("request");
        assert!(
            agreed(&report)
                .unwrap_err()
                .message
                .contains("in version none")
        );
    }
}
