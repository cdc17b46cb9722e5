//! The words of `clean`.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Further folders that outputs were written to; temporary files of killed runs are removed there
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Remove nothing, and say what would be removed
    #[arg(long)]
    pub dry_run: bool,
    /// Remove unused indexes, results and answers from this age on
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(..=36_500))]
    pub older_than: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
