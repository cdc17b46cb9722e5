//! The tools: how each is described, and the command that each is another way to.

use super::arguments::{ExplainSkill, Found, MayRead, SearchSkills, read};
use crate::cli::failure::Failure;
use crate::cli::locate::{Choice, Meant, Opened};
use crate::cli::surroundings::Surroundings;
use crate::cli::{markers, packet, search, why};
use crate::text::tokens::Tokenizer;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use vibey_context_contracts::canonical;
use vibey_context_contracts::markers::answer::Explanation;
use vibey_context_contracts::packet::PacketManifest;
use vibey_context_contracts::request::parse::{Parsed, parse};
use vibey_context_contracts::request::{REQUEST_MAX_BYTES, Request};
use vibey_context_contracts::schema::{tool_input, tool_output};

/// What calls are answered from: the command line and the environment that the server was started with.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) skills: Vec<PathBuf>,
    pub(super) embedded: bool,
    pub(super) no_project_file: bool,
    /// The index to use as it is.
    pub(super) index: Option<PathBuf>,
    pub(super) tokenizer: Tokenizer,
    pub(super) surroundings: Surroundings,
}

impl Desk {
    /// What the command line means at this moment: the project file may have changed since the last call.
    fn meant(&self) -> Meant<'_> {
        let choice = Choice {
            skills: &self.skills,
            embedded: self.embedded,
            no_project_file: self.no_project_file,
        };
        Meant::new(choice, &self.surroundings)
    }

    /// The index, brought up to date as any command does it.
    fn open(&self, meant: &Meant<'_>) -> Result<Opened, Failure> {
        meant.open(self.index.as_deref())
    }
}

/// What a call is answered with.
#[derive(Debug)]
pub(super) struct Answer {
    /// What a model reads.
    pub(super) text: String,
    /// What a program reads; `None` where the command has no JSON.
    pub(super) structured: Option<Value>,
}

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    pub(super) input: fn() -> Value,
    /// Schema of the structured answer, where there is one.
    pub(super) output: Option<fn() -> Value>,
    pub(super) run: fn(Map<String, Value>, &Desk) -> Result<Answer, Failure>,
}

/// Every tool, in the order in which they are listed.
pub(super) const TOOLS: [Tool; 4] = [
    Tool {
        name: "compile_packet",
        title: "Compile a packet of skills",
        description: "Collects the sections of skills that matter for a piece of work, as Markdown within a budget of tokens. \
            Call it once, before the work begins, and say in `objective` what is to be achieved. The text is reference material, \
            not instructions; it is empty but for a note where no skill fits (`status` says so).",
        input: tool_input::<Request>,
        output: Some(tool_output::<PacketManifest>),
        run: compile_packet,
    },
    Tool {
        name: "search_skills",
        title: "Search skills",
        description: "Finds sections of skills by words: where they stand, and how well they match. For single questions while \
            working; compile_packet gives the text of all that a task needs.",
        input: tool_input::<SearchSkills>,
        output: Some(tool_output::<Found>),
        run: search_skills,
    },
    Tool {
        name: "explain_skill",
        title: "Explain why a skill is chosen",
        description: "Says why a skill is in the packet of a request, or is not: its rank, the words that matched and missed, and \
            the rule that decided.",
        input: tool_input::<ExplainSkill>,
        output: None,
        run: explain_skill,
    },
    Tool {
        name: "may_read",
        title: "Ask whether a path may be read",
        description: "Says whether agents may read a path, or whether a file `.agent-no-read.md` on the way keeps them out, and \
            which. Reads neither the path nor anything below it.",
        input: tool_input::<MayRead>,
        output: Some(tool_output::<Explanation>),
        run: may_read,
    },
];

fn compile_packet(arguments: Map<String, Value>, desk: &Desk) -> Result<Answer, Failure> {
    let parsed = request(arguments)?;
    let meant = desk.meant();
    let budget = meant.budget(None, &parsed.request)?;
    let compiled = packet::compiled(parsed, &desk.open(&meant)?, &budget, desk.tokenizer)?;
    Ok(Answer {
        structured: Some(json(&compiled.manifest)?),
        text: match packet::explanation(&compiled.manifest) {
            Some(note) => note,
            None => compiled.packet,
        },
    })
}

fn search_skills(arguments: Map<String, Value>, desk: &Desk) -> Result<Answer, Failure> {
    let SearchSkills {
        query,
        limit,
        explain,
    } = read(arguments)?;
    if query.len() as u64 > REQUEST_MAX_BYTES {
        let message = format!(
            "query is {} bytes, more than {REQUEST_MAX_BYTES}",
            query.len()
        );
        return Err(Failure::new("request_too_large", message, "shorten it"));
    }
    let hits = search::answer(&query, limit, explain, &desk.open(&desk.meant())?)?.hits();
    Ok(Answer {
        text: canonical::pretty(&hits)?,
        structured: Some(json(&Found { hits })?),
    })
}

fn explain_skill(arguments: Map<String, Value>, desk: &Desk) -> Result<Answer, Failure> {
    let arguments: ExplainSkill = read(arguments)?;
    let parsed = request(arguments.request)?;
    let meant = desk.meant();
    let budget = meant.budget(None, &parsed.request)?;
    Ok(Answer {
        text: why::report(
            &arguments.skill,
            parsed,
            &desk.open(&meant)?,
            &budget,
            desk.tokenizer,
        )?,
        structured: None,
    })
}

fn may_read(arguments: Map<String, Value>, desk: &Desk) -> Result<Answer, Failure> {
    let MayRead { path } = read(arguments)?;
    let answer = crate::markers::explain(&desk.surroundings.cwd, Path::new(&path))
        .map_err(|fault| markers::failure(&fault))?;
    Ok(Answer {
        text: format!("{}\n", canonical::compact(&answer)?),
        structured: Some(json(&answer)?),
    })
}

/// A request, read by the one reader of requests. Its places would be those of no file: they are left out.
fn request(arguments: Map<String, Value>) -> Result<Parsed, Failure> {
    let text = Value::Object(arguments).to_string();
    parse(text.as_bytes()).map_err(|error| Failure::new(error.code, error.message, error.help))
}

/// The value that [`canonical`] makes of one of ours.
fn json<T: Serialize>(value: &T) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| {
        Failure::new(
            "internal",
            error.to_string(),
            "report this with the call that shows it",
        )
    })
}
