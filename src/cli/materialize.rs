//! `materialize`.

use super::args::MaterializeArgs;
use super::failure::Failure;
use super::now::now_ms;
use super::output::{json, note, stderr, stdout};
use super::surroundings::Surroundings;
use super::values::Roles;
use crate::materialize::context::{self, Context, persist_warnings};
use crate::materialize::plan;
use crate::materialize::refused::Refused;
use crate::materialize::report::{self, Verbosity};
use crate::materialize::roles::Role;
use crate::materialize::setup::{Options, Setup, World, set_up};
use crate::materialize::stale;
use crate::text::neutralise::plain_line;
use std::io::{BufRead as _, IsTerminal as _};
use std::time::Duration;
use vibey_context_contracts::exit;
use vibey_context_contracts::materialize::Mode;

/// Runs the command.
pub(super) fn run(args: &MaterializeArgs, surroundings: &Surroundings) -> Result<u8, Failure> {
    let mode = mode(args)?;
    let setup = set_up(options(args, mode), &world(args, surroundings)?)?;
    let verbosity = verbosity(args, surroundings, &setup);
    match mode {
        Mode::Materialize => materialize(args, &setup, verbosity)?,
        Mode::DetectStale => detect_stale(args, &setup, verbosity)?,
        Mode::DryRun => dry_run(args, &setup)?,
    }
    Ok(exit::DONE)
}

fn materialize(args: &MaterializeArgs, setup: &Setup, verbosity: Verbosity) -> Result<(), Failure> {
    let context = context::context(setup)?;
    let mut further = Vec::new();
    if let Some((original, more)) = persist_warnings(setup, &context) {
        note(&original);
        warn(&more);
        further = more;
    }
    confirm(args, setup, &context)?;
    let Some(written) = context::write(setup, &context)? else {
        return Ok(());
    };
    if args.json {
        return json(&report::of_context(&context, &written, &further));
    }
    warn(&context.manifest.warnings);
    if verbosity != Verbosity::Verbose {
        warn(report::unresolved_line(&context).as_slice());
    }
    stdout(&report::context_lines(&context, &written, verbosity))
}

fn detect_stale(
    args: &MaterializeArgs,
    setup: &Setup,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    let stale = stale::stale(setup)?;
    let Some(written) = stale::write(setup, &stale)? else {
        return Ok(());
    };
    if args.json {
        return json(&report::of_stale(&stale, &written));
    }
    warn(&stale.warnings);
    stdout(&report::stale_lines(&stale, &written, verbosity))
}

fn dry_run(args: &MaterializeArgs, setup: &Setup) -> Result<(), Failure> {
    let context = context::context(setup)?;
    let entries = plan::plan(&context);
    // The plan is a list, in which nothing else has a place.
    warn(&context.manifest.warnings);
    if let Some(refused) = secrets(args, setup, &context) {
        warn(&[format!("a run is refused: {refused}")]);
    }
    if args.json {
        return json(&entries);
    }
    stdout(&plan::table(&entries))
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        note(&format!("warning: {}", plain_line(warning)));
    }
}

/// Whether content may be kept in the brain. Secrets need the option; `--strict` is also content with a yes on a
/// terminal.
fn confirm(args: &MaterializeArgs, setup: &Setup, context: &Context) -> Result<(), Refused> {
    if let Some(refused) = secrets(args, setup, context) {
        return Err(refused);
    }
    let asked = args.strict && !args.confirm_persist && setup.persisted().is_some();
    if asked && !says_yes() {
        return Err(Refused::Unconfirmed);
    }
    Ok(())
}

/// Why secrets keep a result out of the brain, where they do.
fn secrets(args: &MaterializeArgs, setup: &Setup, context: &Context) -> Option<Refused> {
    let count = context.secrets;
    let option = setup
        .kept_by()
        .filter(|_| count > 0 && !args.confirm_persist)?;
    Some(Refused::Secrets { option, count })
}

/// Asks the person at the terminal. Without one nobody says yes.
fn says_yes() -> bool {
    if !std::io::stdin().is_terminal() {
        return false;
    }
    stderr("Write it? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// The mode, which may be named in two ways but not be two.
fn mode(args: &MaterializeArgs) -> Result<Mode, Failure> {
    let flag = match (args.detect_stale, args.dry_run) {
        (true, _) => Some(Mode::DetectStale),
        (_, true) => Some(Mode::DryRun),
        _ => None,
    };
    match (args.mode, flag) {
        (Some(mode), Some(flag)) if mode != flag => {
            let message = format!("`--mode {}` contradicts `--{}`", mode.name(), flag.name());
            let failure = Failure::new("usage", message, "name one mode");
            Err(failure.ending_with(exit::USAGE))
        }
        (mode, flag) => Ok(mode.or(flag).unwrap_or(Mode::Materialize)),
    }
}

/// The roles that are wanted; none for all.
fn roles(args: &MaterializeArgs) -> Vec<Role> {
    let wanted = args.roles.iter().map(|word| match word {
        Roles::One(role) => Some(*role),
        Roles::All => None,
    });
    wanted.collect::<Option<Vec<Role>>>().unwrap_or_default()
}

fn options(args: &MaterializeArgs, mode: Mode) -> Options {
    Options {
        artifact: args.artifact.clone(),
        brain: args.brain.clone(),
        mode,
        consumer: args.consumer,
        roles: roles(args),
        max_tokens: args.max_tokens,
        tokenizer: args.tokenizer,
        refresh: args.refresh,
        persist: args.persist,
        out: args.out.clone(),
        mcp_config: args.mcp_config.clone(),
        trust_project_mcp: args.trust_project_mcp,
        allow_private: args.allow_private,
        allow_private_network: args.allow_private_network,
        timeout: Duration::from_secs(args.timeout),
    }
}

fn world(args: &MaterializeArgs, surroundings: &Surroundings) -> Result<World, Failure> {
    let registry = surroundings.registry.as_ref();
    Ok(World {
        cwd: surroundings.cwd.clone(),
        home: surroundings.home.clone(),
        cache: surroundings.cache.clone(),
        config: surroundings.config.clone(),
        registry: registry.map(|path| surroundings.cwd.join(path)),
        scratch: surroundings.scratch.clone(),
        environment: surroundings.server_environment.clone(),
        now_ms: now_ms(args.now.as_deref())?,
    })
}

/// The option, else the environment, else the brain's configuration, else terse. A name that is none is passed over
/// with a warning.
fn verbosity(args: &MaterializeArgs, surroundings: &Surroundings, setup: &Setup) -> Verbosity {
    if let Some(verbosity) = args.verbosity {
        return verbosity;
    }
    let of_environment = surroundings.verbosity.as_ref();
    let of_environment = of_environment.map(|value| value.to_string_lossy().into_owned());
    let of_config = setup.verbosity().map(str::to_owned);
    let sources = [
        ("`PROJECT_BRAIN_VERBOSITY`", of_environment),
        ("`verbosity` in `config.yaml`", of_config),
    ];
    for (source, name) in sources {
        let Some(name) = name else {
            continue;
        };
        match Verbosity::named(&name) {
            Some(verbosity) => return verbosity,
            None => warn(&[format!(
                "{source} is `{name}`, and has to be one of {}",
                Verbosity::ALL.map(Verbosity::name).join(", ")
            )]),
        }
    }
    Verbosity::Terse
}
