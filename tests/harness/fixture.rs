//! Which corpus do most tests run against: sixteen skills in four plugins, made in code, small but not simple.

use super::Dir;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The folder of the corpus below a [`Dir`], as [`write`] makes it.
pub(crate) const ROOT: &str = "corpus";

/// Skills in the corpus.
pub(crate) const SKILLS: u64 = 16;

/// The text of a `SKILL.md`. `extra` is whole frontmatter lines.
pub(crate) fn skill_text(name: &str, description: &str, extra: &str, body: &str) -> String {
    let extra = if extra.is_empty() || extra.ends_with('\n') {
        extra.to_owned()
    } else {
        format!("{extra}\n")
    };
    format!("---\nname: {name}\ndescription: {description}\n{extra}---\n\n{body}")
}

/// `count` numbered sentences about `topic`, each different, so that no two paragraphs are the same text.
pub(crate) fn prose(topic: &str, count: usize) -> String {
    let mut text = String::new();
    for number in 1..=count {
        let _ = writeln!(
            text,
            "Rule {number} for {topic}: write down what you expect, do the step, compare, and only then go on with {topic}."
        );
    }
    text
}

/// Writes the corpus below `dir` and returns its root as an argument.
pub(crate) fn write(dir: &Dir) -> String {
    dir.file(
        &format!("{ROOT}/.claude-plugin/marketplace.json"),
        json!({
            "name": "fixture",
            "owner": {"name": "tests"},
            "metadata": {"version": "2.4.1"},
            "plugins": [
                {"name": "atlas", "source": "./plugins/atlas", "version": "1.2.0", "category": "data"},
                {"name": "forge", "source": "./plugins/forge", "version": "0.9.0", "category": "build"},
                {"name": "relay", "source": "./plugins/relay", "version": "3.0.0", "category": "network"},
                {"name": "garden", "source": "./plugins/garden", "category": "writing"}
            ]
        })
        .to_string(),
    );
    for (plugin, folder, text) in skills() {
        dir.file(
            &format!("{ROOT}/plugins/{plugin}/skills/{folder}/SKILL.md"),
            text,
        );
    }
    dir.arg(ROOT)
}

/// Writes the corpus and builds its index at `index`; returns the root as an argument.
pub(crate) fn indexed(dir: &Dir) -> String {
    let root = write(dir);
    let index = dir.arg("index");
    dir.run(["--skills", &root, "index", "build", "--output", &index])
        .expect(0);
    root
}

/// A request that `atlas/postgres-migrations` explains.
pub(crate) fn migration() -> Value {
    json!({
        "schema_version": 1,
        "title": "Add a currency column to the accounts table",
        "objective": "Write a postgres migration that adds a NOT NULL column with a backfill while the old release keeps serving",
        "requirements": ["no statement may hold a table lock for longer than two seconds", "the rollback is rehearsed"],
        "phase": "BUILD",
        "languages": ["sql"],
        "dependencies": ["postgres"],
        "commands": ["psql -f migration.sql"],
        "target_files": ["migrations/0042_currency.sql"]
    })
}

/// Requests about different skills, each of which gets a packet at the largest budget.
pub(crate) fn requests() -> Vec<Value> {
    vec![
        migration(),
        json!({"objective": "rust compile times: profile the cargo build and split the workspace crates"}),
        json!({"objective": "retry an http request with exponential backoff, jitter and a timeout for each attempt"}),
        json!({"required_plugins": ["garden"]}),
        json!({"objective": "日本語の文書を校正する 用語と表記"}),
    ]
}

/// Plugin, folder and text of every skill.
fn skills() -> Vec<(&'static str, &'static str, String)> {
    let mut all = atlas();
    all.extend(forge());
    all.extend(relay());
    all.extend(garden());
    all
}

/// Text that two skills share to the byte.
const SHARED: &str = "## Before you begin\n\nRead the whole plan once. Ask who else changes the same place today.\n\n";

fn atlas() -> Vec<(&'static str, &'static str, String)> {
    let migrations = format!(
        "# Postgres migrations\n\nChange a schema while the old release keeps serving.\n\n\
         ## Lock rules\n\nSet `lock_timeout` before every `ALTER TABLE`; retry, never wait in the queue.\n\n\
         ### Exceptions\n\nAn empty table needs no care.\n\n\
         {SHARED}\
         ## Add a column\n\nAdd it nullable, backfill in batches, then set NOT NULL by a validated check.\n\n\
         ```sql\n# not a heading, a comment of some tool\nALTER TABLE accounts ADD COLUMN currency text;\n```\n\n\
         ## Backfill\n\n{}\n\
         ## Rollback\n\nRehearse the rollback of the migration on a copy of production size.\n",
        prose("the backfill of a column in batches", 60)
    );
    let tuning = "# Query tuning\n\n## Read the plan\n\nRun `EXPLAIN (ANALYZE, BUFFERS)` and look for the node whose rows are misjudged.\n\n\
                  ## Add an index\n\nAn index that the planner does not use costs every write and helps no read.\n";
    let backup = format!(
        "# Backup and restore\n\n## Never skip\n\n{}\n## Restore drill\n\nRestore the backup into an empty cluster each month.\n",
        prose("the backup of a cluster", 90)
    );
    let review = "# Review of schema changes\n\n## What to look for\n\nDoes the migration hold a lock, and does the application of the last release still work with the schema?\n";
    vec![
        (
            "atlas",
            "postgres-migrations",
            skill_text(
                "postgres-migrations",
                "Plans postgres schema migrations, backfills and NOT NULL columns without downtime.",
                "phases: [build]\nlanguages: [sql]\ntechnologies: [postgres, psql]\nmandatory_sections:\n  - Lock rules\nretrieval_version: 1",
                &migrations,
            ),
        ),
        (
            "atlas",
            "query-tuning",
            skill_text(
                "query-tuning",
                "Makes slow postgres queries fast by reading plans and choosing indexes.",
                "languages: [sql]\ntechnologies: [postgres]",
                tuning,
            ),
        ),
        (
            "atlas",
            "backup",
            // The folder's name differs from the skill's.
            skill_text(
                "cluster-backup",
                "Backs up and restores database clusters, with a drill for each.",
                "mandatory_sections: [Never skip]",
                &backup,
            ),
        ),
        (
            "atlas",
            "code-review",
            skill_text(
                "code-review",
                "Reviews schema changes and migrations before they are merged.",
                "",
                review,
            ),
        ),
    ]
}

fn forge() -> Vec<(&'static str, &'static str, String)> {
    let compile = format!(
        "# Compile times\n\nWhere does a cargo build of a rust workspace spend its time?\n\n\
         ## Profile first\n\n```sh\n# a comment, no heading\ncargo build --timings\n```\n\n\
         ## Split crates\n\nSplit the crate that everything waits for; keep macros out of it.\n\n\
         {SHARED}\
         ## Long tail\n\n{}",
        prose("compile times of rust crates", 40)
    );
    let errors = "Error types\n===========\n\nOne enum for each module.\n\nMessages\n--------\n\nA lowercase fragment that names the place.\n";
    let review = "# Code review\n\n## Order\n\nRead the tests of a rust change first, then the types, then the bodies.\n";
    let unsafe_code = "# Unsafe code\n\n## Always\n\nEvery `unsafe` block carries the invariant that makes it sound.\n\n## Miri\n\nRun `cargo miri test` for each changed module.\n\n> ## Quoted, no section\n";
    vec![
        (
            "forge",
            "compile-times",
            skill_text(
                "compile-times",
                "Finds out why rust builds are slow and shortens compile times of cargo workspaces.",
                "languages: [rust]\ntechnologies: [cargo]",
                &compile,
            ),
        ),
        (
            "forge",
            "error-types",
            skill_text(
                "error-types",
                "Designs rust error enums and their messages.",
                "languages: [rust]",
                errors,
            ),
        ),
        (
            "forge",
            "code-review",
            skill_text(
                "code-review",
                "Reviews rust changes, tests first.",
                "languages: [rust]",
                review,
            ),
        ),
        (
            "forge",
            "unsafe-code",
            skill_text(
                "unsafe-code",
                "Keeps unsafe rust sound and its invariants written down.",
                "languages: [rust]\nmandatory_sections: [Always]\nmetadata:\n  version: \"7.1\"",
                unsafe_code,
            ),
        ),
    ]
}

fn relay() -> Vec<(&'static str, &'static str, String)> {
    let retry = "# Retry\n\n## Which requests\n\nRetry an http request only where it is idempotent or carries a key.\n\n\
                 ## Backoff\n\nExponential backoff with full jitter; each attempt has its own timeout.\n\n\
                 ```python\n# first attempt\nfor attempt in range(5):\n    ## not a heading either\n    call(timeout=2)\n```\n\n\
                 ## Budget\n\nA retry budget keeps a slow server from being drowned.\n";
    let caching = "# Caching of http answers\n\n## Validators\n\nSend an ETag, answer 304.\n\n## Vary\n\nName every header that changes the answer.\n";
    let tracing = "# Tracing\n\nNo second heading here, only one paragraph on spans and how they nest in a trace.\n";
    let webhooks = "# Webhooks\n\n## Verify\n\nCheck the signature over the raw bytes of the delivery before anything is parsed.\n\n## Answer\n\nAnswer fast, work later, and take each delivery twice without harm.\n";
    vec![
        (
            "relay",
            "http-retry",
            skill_text(
                "http-retry",
                "Retries http requests with backoff, jitter, timeouts and a budget.",
                "technologies: [http]",
                retry,
            ),
        ),
        (
            "relay",
            "http-caching",
            skill_text(
                "http-caching",
                "Caches http answers with validators and Vary.",
                "technologies: [http]",
                caching,
            ),
        ),
        (
            "relay",
            "tracing",
            skill_text(
                "tracing",
                "Adds spans and traces to a service.",
                "",
                tracing,
            ),
        ),
        (
            "relay",
            "webhooks",
            skill_text(
                "webhooks",
                "Receives webhooks safely and more than once.",
                "mandatory_sections: [Verify]",
                webhooks,
            ),
        ),
    ]
}

fn garden() -> Vec<(&'static str, &'static str, String)> {
    let japanese = "# 日本語の文書\n\n## 用語\n\n用語は一つの文書の中で統一する。表記の揺れを残さない。\n\n\
                    ## 校正\n\n文書を声に出して読み、長い文を二つに分ける。\n";
    let glossary = "# Glossary\n\n## Terms\n\n| term | meaning |\n| --- | --- |\n| packet | a selection of sections |\n| skill | a folder with a `SKILL.md` |\n";
    let changelog = "# Changelog entries\n\nSay what changed for the reader, not what was done 🎉 in the code.\n\n## Shape\n\nOne line each: added, changed, fixed, removed.";
    let letters = format!(
        "# Release letters\n\n## Tone\n\n{}\n## Layout\n\nThe most important change stands first.\n",
        prose("the tone of a release letter", 30)
    );
    vec![
        (
            "garden",
            "japanese-prose",
            skill_text(
                "japanese-prose",
                "日本語の文書を校正する。用語と表記を統一する。",
                "",
                japanese,
            ),
        ),
        (
            "garden",
            "glossary",
            skill_text("glossary", "Keeps the glossary of a project.", "", glossary),
        ),
        (
            "garden",
            "changelog",
            skill_text(
                "changelog",
                "Writes changelog entries that readers understand.",
                "",
                changelog,
            ),
        ),
        (
            "garden",
            "release-letters",
            skill_text(
                "release-letters",
                "Writes letters that announce a release.",
                "",
                &letters,
            ),
        ),
    ]
}
