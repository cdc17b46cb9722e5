//! `contract`.

use super::args::JsonArgs;
use super::failure::Failure;
use super::output::{json, stdout};
use vibey_context_contracts::exit;
use vibey_context_contracts::version::ContractReport;

/// Runs the command.
pub(super) fn run(args: &JsonArgs) -> Result<u8, Failure> {
    let report = ContractReport::current();
    if args.json {
        json(&report)?;
    } else {
        let mut text = format!(
            "{} {}\nindex format {}\n",
            report.compiler.name, report.compiler.version, report.index_format
        );
        for (name, version) in &report.contracts {
            text.push_str(&format!("{name} {version}\n"));
        }
        stdout(&text)?;
    }
    Ok(exit::DONE)
}
