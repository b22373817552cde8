//! The program `loopmem`.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopmem_cli::run(Vec::new(), std::env::args_os().skip(1).collect()).into()
}
