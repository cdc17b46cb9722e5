//! The program: words in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(vibey_conductor_shim::cli::run(std::env::args_os()))
}
