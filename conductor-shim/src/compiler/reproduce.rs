//! Does compiling again give the same bytes?

use super::Compiler;
use super::call::call;
use super::failure::Failure;
use std::ffi::OsStr;
use std::path::Path;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_contracts::exit;

/// What the compiler says about a packet that it compiled again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Whether it is the same packet.
    pub is_same: bool,
    /// What the compiler printed: what differs, or the digest.
    pub report: String,
}

impl Compiler {
    /// Compiles the packet of a request again and compares it with a manifest.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn reproduce(&self, request: &Path, manifest: &Path) -> Result<Comparison, Failure> {
        self.ready().await?;
        let words: [&OsStr; 7] = [
            "reproduce".as_ref(),
            "--request".as_ref(),
            request.as_os_str(),
            "--manifest".as_ref(),
            manifest.as_os_str(),
            "--index".as_ref(),
            self.index_path().as_os_str(),
        ];
        let mut answer = call(self, &words).await?;
        let is_same = answer.return_code == i32::from(exit::DONE);
        if !is_same && answer.return_code != i32::from(exit::STRUCTURED) {
            let message = format!("`reproduce` ended with exit code {}", answer.return_code);
            return Err(answer.failed(FailureCode::CompilerFailed, message));
        }
        let printed = answer.stdout.take().unwrap_or_default();
        Ok(Comparison {
            is_same,
            report: String::from_utf8_lossy(&printed).into_owned(),
        })
    }
}
