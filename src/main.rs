//! The program: words in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(vibey_context::cli::run(std::env::args_os()))
}
