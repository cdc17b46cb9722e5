//! Which skills could a packet be made of?

use super::Compiler;
use super::call::call;
use super::failure::Failure;
use serde::Deserialize;
use std::collections::BTreeSet;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_contracts::conductor::id;
use vibey_context_contracts::exit;

/// What we read of `index inspect --json --skills-list`; a newer compiler may say more.
#[derive(Deserialize)]
struct Report {
    skills_list: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    plugin: String,
    skill: String,
}

impl Compiler {
    /// The skills in the index as it is, as `plugin/skill`, spelled as the ledger spells them.
    ///
    /// # Errors
    /// [`Failure`], also where there is no index.
    pub async fn skills(&self) -> Result<BTreeSet<String>, Failure> {
        self.greet().await?;
        let words = [
            "index".as_ref(),
            "inspect".as_ref(),
            self.index_path().as_os_str(),
            "--skills-list".as_ref(),
            "--json".as_ref(),
        ];
        let mut answer = call(self, &words).await?;
        let printed = answer.stdout.take().unwrap_or_default();
        let is_done = answer.return_code == i32::from(exit::DONE);
        match serde_json::from_slice::<Report>(&printed) {
            Ok(report) if is_done => Ok(report.skills_list.iter().map(name).collect()),
            _ => {
                let code = answer.return_code;
                let message =
                    format!("`index inspect` ended with exit code {code} and no list of skills");
                Err(answer.failed(FailureCode::IndexFailed, message))
            }
        }
    }
}

fn name(entry: &Entry) -> String {
    id::name(&format!("{}/{}", entry.plugin, entry.skill))
}
