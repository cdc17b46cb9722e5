//! The compiler, on the other side of a process boundary: what does it answer, and may the answer be believed?
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`failure`] | why is there no answer |
//! | `call` | how did one run of it end |
//! | [`handshake`] | does it speak our contracts |
//! | `index` | is there an index to compile from |
//! | [`packet`] | is this the packet of that request |
//! | [`reproduce`] | does compiling again give the same bytes |
//! | [`skills`] | which skills could a packet be made of |
//!
//! Invariants:
//! - It never gets more of our environment than [`ALLOWED`](crate::environment::ALLOWED).
//! - It is not linked: whatever program is configured has to prove by its answers that it is one.
//! - Everything that it prints or writes is read with a bound.

mod call;
pub mod failure;
pub mod handshake;
mod index;
pub mod packet;
pub mod reproduce;
pub mod skills;

use failure::Failure;
use handshake::Handshake;
use index::Index;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::OnceCell;
use vibey_context_contracts::conductor::config::SkillsContext;
use vibey_context_contracts::conductor::event::FailureCode;
use vibey_context_host::cancel::Cancel;
use vibey_context_host::process::StartFailure;

use crate::environment::Variables;
use crate::program;

/// How the compiler is called, and what one process of ours knows of it.
///
/// Several tasks may use it: the handshake is made once, and one of them builds the index while the others wait.
pub struct Compiler {
    /// Its first word, as the configuration has it.
    name: String,
    program: OsString,
    /// Its first words: the rest of the configured command, and the skill roots.
    words: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    timeout: Duration,
    grace: Duration,
    cancel: Option<Cancel>,
    handshake: OnceCell<Result<Handshake, Failure>>,
    index: Index,
}

impl Compiler {
    /// The compiler that the configuration of the project in `dir` names; `cancel` stops whatever it does. Nothing runs
    /// yet.
    #[must_use]
    pub fn new(
        dir: &Path,
        config: &SkillsContext,
        variables: &Variables,
        cancel: Option<Cancel>,
    ) -> Self {
        let environment = variables.for_compiler();
        let path = environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, value)| value.as_os_str());
        let (name, rest) = config
            .command
            .split_first()
            .map_or(("", &[][..]), |(name, rest)| (name, rest));
        let mut words: Vec<OsString> = rest.iter().map(OsString::from).collect();
        for root in &config.skills {
            words.push("--skills".into());
            words.push(dir.join(root).into());
        }
        Self {
            name: name.to_owned(),
            program: program::to_start(OsStr::new(name), path, dir),
            words,
            directory: dir.to_owned(),
            timeout: Duration::from_secs(config.timeout_seconds),
            grace: Duration::from_secs(config.kill_grace_seconds),
            cancel,
            handshake: OnceCell::new(),
            index: Index::new(dir, &config.index_path),
            environment,
        }
    }

    /// The handshake, and the index: what has to be there before a packet can be compiled.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn ready(&self) -> Result<&Handshake, Failure> {
        let handshake = self.greet().await?;
        self.index.ensure(self).await?;
        Ok(handshake)
    }

    /// The handshake, which this process makes once.
    async fn greet(&self) -> Result<&Handshake, Failure> {
        let handshake = self.handshake.get_or_init(|| handshake::shake(self)).await;
        handshake.as_ref().map_err(Failure::clone)
    }

    /// Why the compiler could not be started now, as far as that can be told without starting it.
    #[must_use]
    pub fn missing(&self) -> Option<Failure> {
        let is_there = Path::new(&self.program).is_file();
        (!is_there).then(|| self.not_started(&StartFailure::NotFound))
    }

    fn not_started(&self, cause: &StartFailure) -> Failure {
        let name = &self.name;
        let message = match cause {
            StartFailure::NotFound if !name.contains('/') => {
                format!("compiler `{name}` is not in PATH")
            }
            cause => format!("cannot start compiler `{name}`: {cause}"),
        };
        Failure::new(FailureCode::NotStarted, message)
    }

    /// Where the index lies.
    #[must_use]
    pub fn index_path(&self) -> &Path {
        self.index.path()
    }
}
