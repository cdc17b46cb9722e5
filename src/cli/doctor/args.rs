//! The words of `doctor`.

use clap::Args;
use std::path::PathBuf;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 no problem (warnings included), 1 a problem, an error or usage"
)]
pub struct DoctorArgs {
    /// Index to look at instead of the default one
    #[arg(long, value_name = "DIR")]
    pub index: Option<PathBuf>,
    /// Program vibey-conductor to ask for its version [default: the one in PATH]
    #[arg(long, value_name = "FILE")]
    pub conductor: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
