//! What does a run need to know before it resolves the first link? Whatever refuses a run is found here, and nothing is
//! written.

use super::artifact::{self, Artifact, Link, safe_name};
use super::brain::{self, CONFIG_FILE, Knowledge};
use super::cache::Cache;
use super::local::Places;
use super::mcp::Manners;
use super::mcp::config::{self, PROJECT_FILE, Servers};
use super::refused::Refused;
use super::registry::Aliases;
use super::remote::Network;
use super::roles::Role;
use super::uri::{Form, form};
use super::zones::{self, Target, Wish, Zones, scratch_root};
use crate::text::neutralise::plain_line;
use crate::text::tokens::Tokenizer;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vibey_context_contracts::materialize::{Consumer, Mode};

/// The registry and the default configuration of MCP servers, below the folder for configurations.
const REGISTRY: &str = "project-brain/projects.yaml";
const MCP_CONFIG: &str = "project-brain/mcp.json";

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// The artifact; else the one file that fits in the working directory.
    pub artifact: Option<PathBuf>,
    /// The brain or its parent; else the one around the working directory.
    pub brain: Option<PathBuf>,
    /// What the run is for.
    pub mode: Mode,
    /// Preset of the budget.
    pub consumer: Consumer,
    /// The roles that are wanted; empty for all.
    pub roles: Vec<Role>,
    /// Tokens of the whole file at most, instead of the preset's.
    pub max_tokens: Option<u64>,
    /// What tokens are counted by.
    pub tokenizer: Tokenizer,
    /// Fetch what the cache has too.
    pub refresh: bool,
    /// Write beside the artifact.
    pub persist: bool,
    /// Write there instead.
    pub out: Option<PathBuf>,
    /// Configuration of MCP servers instead of the user's own.
    pub mcp_config: Option<PathBuf>,
    /// Let the project's `.mcp.json` name servers too.
    pub trust_project_mcp: bool,
    /// Read private places.
    pub allow_private: bool,
    /// Let links lead to this machine and its network.
    pub allow_private_network: bool,
    /// Time for each answer of a server.
    pub timeout: Duration,
}

/// What the machine is like.
#[derive(Debug, Clone)]
pub struct World {
    /// Working directory, canonical.
    pub cwd: PathBuf,
    /// Home folder.
    pub home: Option<PathBuf>,
    /// The caches of all programs.
    pub cache: Option<PathBuf>,
    /// The configurations of all programs.
    pub config: Option<PathBuf>,
    /// The registry, where the user has named one.
    pub registry: Option<PathBuf>,
    /// The root of the default place, where the user has named one.
    pub scratch: Option<PathBuf>,
    /// Environment of servers that are started.
    pub environment: Vec<(OsString, OsString)>,
    /// Milliseconds since 1970.
    pub now_ms: u64,
}

/// A run that nothing refuses.
#[derive(Debug, Clone)]
pub struct Setup {
    pub(crate) options: Options,
    pub(crate) now_ms: u64,
    pub(crate) brain: PathBuf,
    pub(crate) artifact: Artifact,
    /// The links that are wanted.
    pub(crate) links: Vec<Link>,
    pub(crate) primary_project: String,
    pub(crate) aliases: Aliases,
    pub(crate) network: Network,
    /// Where the result goes; `None` for a dry run of one that nobody has named a place for.
    pub(crate) target: Option<Target>,
    /// How much is printed where nothing else says so.
    verbosity: Option<String>,
    pub(crate) warnings: Vec<String>,
}

/// Finds and reads all that a run depends on.
///
/// # Errors
/// Whatever refuses the run.
pub fn set_up(options: Options, world: &World) -> Result<Setup, Refused> {
    let named = options.artifact.as_deref();
    let brain = brain::find(options.brain.as_deref(), &world.cwd, named)?;
    let path = artifact::locate(named, &world.cwd, &brain)?;
    let artifact = artifact::read(&path, &brain)?;
    let registry = world.registry.clone();
    let registry = registry.or_else(|| Some(world.config.as_ref()?.join(REGISTRY)));
    let knowledge = brain::knowledge(&brain, registry.as_deref(), world.home.as_deref())?;
    let primary_project = project(&artifact, &knowledge, &brain, registry.as_deref())?;
    let scratch = scratch_root(world.scratch.as_deref(), world.cache.as_deref());
    let zones = Zones {
        brain: &brain,
        cache: world.cache.as_deref(),
        scratch: scratch.as_deref(),
    };
    let target = target(&options, world, &zones, &artifact, &primary_project)?;
    let cache = scratch
        .as_ref()
        .map(|scratch| zones::cache_folder(scratch, &brain));
    let cache = cache.transpose()?;

    let mut warnings = knowledge.warnings;
    warnings.extend(artifact.warnings.iter().cloned());
    if world.registry.as_ref().is_some_and(|path| !path.exists()) {
        warnings.push("`PROJECT_BRAIN_PROJECTS_YAML` names no file".to_owned());
    }
    if !artifact.accepted {
        warnings.push(format!(
            "`{}` is neither a thread, a leaf, a NODE.md nor an impl-spec",
            plain_line(&artifact.relative)
        ));
    }
    let wanted = |link: &&Link| {
        let role = link.role.as_deref().and_then(Role::labelled);
        options.roles.is_empty() || role.is_some_and(|role| options.roles.contains(&role))
    };
    let links: Vec<Link> = artifact.links.iter().filter(wanted).cloned().collect();
    let network = network(&options, world, &brain, &links, cache, &mut warnings)?;
    Ok(Setup {
        now_ms: world.now_ms,
        aliases: knowledge.aliases,
        verbosity: knowledge.verbosity,
        options,
        brain,
        artifact,
        links,
        primary_project,
        network,
        target,
        warnings,
    })
}

impl Setup {
    /// How much the brain's configuration wants printed.
    #[must_use]
    pub fn verbosity(&self) -> Option<&str> {
        self.verbosity.as_deref()
    }

    /// The folder beside the artifact that the result is kept in, where it is.
    #[must_use]
    pub fn persisted(&self) -> Option<&Path> {
        match &self.target {
            Some(Target::Persist(folder)) => Some(folder),
            _ => None,
        }
    }

    /// The option that keeps the result in the brain, where one does.
    #[must_use]
    pub fn kept_by(&self) -> Option<&'static str> {
        match self.target.as_ref()? {
            Target::Scratch(_) => None,
            Target::Persist(_) => Some("--persist"),
            Target::Folder(path) | Target::File(path) => {
                path.starts_with(&self.brain).then_some("--out")
            }
        }
    }

    pub(crate) fn places(&self) -> Places<'_> {
        Places {
            brain: &self.brain,
            own: &self.primary_project,
            aliases: &self.aliases,
            allow_private: self.options.allow_private,
        }
    }

    /// Tokens of the whole file at most.
    pub(crate) fn ceiling(&self) -> Option<u64> {
        self.options.max_tokens.or(self.options.consumer.ceiling())
    }
}

/// The project of the artifact, which has to be known.
fn project(
    artifact: &Artifact,
    knowledge: &Knowledge,
    brain: &Path,
    registry: Option<&Path>,
) -> Result<String, Refused> {
    let of_brain = || {
        let alias = knowledge.primary_project.as_deref()?;
        Some(safe_name(
            "primary_project",
            alias,
            &brain.join(CONFIG_FILE),
        ))
    };
    let own = artifact.primary_project.clone().map(Ok);
    let alias = own.or_else(of_brain).ok_or_else(|| Refused::NoProject {
        path: artifact.path.clone(),
    })??;
    if knowledge.aliases.get(&alias).is_none() {
        let missing = || Path::new("~/.config").join(REGISTRY);
        return Err(Refused::UnknownProject {
            alias,
            registry: registry.map_or_else(missing, Path::to_path_buf),
        });
    }
    Ok(alias)
}

fn target(
    options: &Options,
    world: &World,
    zones: &Zones<'_>,
    artifact: &Artifact,
    project: &str,
) -> Result<Option<Target>, Refused> {
    if options.mode == Mode::DryRun && options.out.is_none() && !options.persist {
        return Ok(None);
    }
    let out = options.out.as_ref().map(|out| world.cwd.join(out));
    let wish = match &out {
        Some(out) => Wish::Out(out),
        None if options.persist => Wish::Persist,
        None => Wish::Scratch,
    };
    zones::choose(wish, zones, artifact, project, options.mode, world.now_ms).map(Some)
}

fn network(
    options: &Options,
    world: &World,
    brain: &Path,
    links: &[Link],
    cache: Option<PathBuf>,
    warnings: &mut Vec<String>,
) -> Result<Network, Refused> {
    let is_mcp = |uri: &str| matches!(form(uri), Form::Mcp { .. });
    let any = links
        .iter()
        .any(|link| link.uri.as_deref().is_some_and(is_mcp));
    let project_files =
        [brain.parent(), Some(brain)].map(|folder| Some(folder?.join(PROJECT_FILE)));
    let servers = if any {
        servers(options, world, &project_files, warnings)?
    } else {
        Servers::new()
    };
    let untrusted =
        !options.trust_project_mcp && project_files.iter().flatten().any(|path| path.exists());
    Ok(Network {
        cache: Cache {
            folder: cache,
            now_ms: world.now_ms,
        },
        refresh: options.refresh,
        allow_private: options.allow_private_network,
        servers,
        missing_server: if untrusted {
            "the `.mcp.json` of the project names servers only with `--trust-project-mcp`"
        } else {
            "no server of that name is configured; `--mcp-config` names another file"
        },
        manners: Manners {
            timeout: options.timeout,
            environment: world.environment.clone(),
            now_ms: world.now_ms,
        },
    })
}

/// The MCP servers that may be asked. A file that was named must be good; another one is passed over, and its servers
/// are unreachable.
fn servers(
    options: &Options,
    world: &World,
    project_files: &[Option<PathBuf>],
    warnings: &mut Vec<String>,
) -> Result<Servers, Refused> {
    if let Some(path) = &options.mcp_config {
        let path = world.cwd.join(path);
        let missing = || Refused::McpConfig {
            path: path.clone(),
            why: "there is no such file".to_owned(),
        };
        return config::read(&path, warnings)?.ok_or_else(missing);
    }
    let own = world.config.as_ref().map(|config| config.join(MCP_CONFIG));
    let trusted = project_files.iter().filter(|_| options.trust_project_mcp);
    let mut servers = Servers::new();
    for path in own.iter().chain(trusted.flatten()) {
        match config::read(path, warnings) {
            Ok(found) => {
                for (name, server) in found.unwrap_or_default() {
                    // The user's own come first and win.
                    servers.entry(name).or_insert(server);
                }
            }
            Err(error) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let why = match error {
                    Refused::McpConfig { why, .. } => why,
                    _ => "it can not be read".to_owned(),
                };
                warnings.push(format!(
                    "`{name}` names no MCP servers: {}",
                    plain_line(&why)
                ));
            }
        }
    }
    Ok(servers)
}
