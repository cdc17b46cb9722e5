//! What no type can say of a configuration: names, paths, and phases that a transition names.

use super::{PROJECT_NAME, PROJECT_PATH, Pipeline, PipelineConfig, Rule, WINDOW_MAX, WINDOW_MIN};
use crate::handoff::name;
use std::collections::BTreeSet;

/// The path of a field, and what is wrong with it.
type Fault = (String, String);

/// The first fault of a configuration, in the order of its keys.
pub(super) fn check(config: &PipelineConfig) -> Result<(), Fault> {
    if let Some(window) = config.defaults.context_window
        && !(WINDOW_MIN..=WINDOW_MAX).contains(&window)
    {
        let message =
            format!("`defaults.context_window` is {window}, not from {WINDOW_MIN} to {WINDOW_MAX}");
        return Err(("defaults.context_window".to_owned(), message));
    }
    for (kind, pipeline) in &config.pipelines {
        let at = format!("pipelines.{kind}");
        named(&at, "pipeline type", kind)?;
        check_pipeline(&at, kind, pipeline)?;
    }
    for (artifact, rule) in &config.validation_rules {
        check_rule(&format!("validation_rules.{artifact}"), rule)?;
    }
    for (key, headings) in &config.sections {
        let at = format!("sections.{key}");
        named(&at, "section key", key)?;
        filled(&at, headings)?;
    }
    Ok(())
}

fn check_pipeline(at: &str, kind: &str, pipeline: &Pipeline) -> Result<(), Fault> {
    if pipeline.phases.is_empty() {
        return Err((format!("{at}.phases"), format!("`{at}.phases` is empty")));
    }
    let mut phases = BTreeSet::new();
    for (nth, phase) in pipeline.phases.iter().enumerate() {
        let at = format!("{at}.phases[{nth}]");
        named(&format!("{at}.name"), "phase", &phase.name)?;
        if !phases.insert(phase.name.as_str()) {
            return Err((
                format!("{at}.name"),
                format!(
                    "`{at}.name`: phase `{}` stands twice in pipeline `{kind}`",
                    phase.name
                ),
            ));
        }
        for (nth, artifact) in phase.artifacts.iter().enumerate() {
            path(&format!("{at}.artifacts[{nth}]"), artifact)?;
        }
    }
    let mut pairs = BTreeSet::new();
    for (nth, transition) in pipeline.transitions.iter().enumerate() {
        let at = format!("{at}.transitions[{nth}]");
        for (end, phase) in [("from", &transition.from), ("to", &transition.to)] {
            if !phases.contains(phase.as_str()) {
                let known: Vec<String> = phases.iter().map(|name| format!("`{name}`")).collect();
                let message = format!(
                    "`{at}.{end}` names the unknown phase `{phase}`; there are {}",
                    known.join(", ")
                );
                return Err((format!("{at}.{end}"), message));
            }
        }
        let pair = (transition.from.as_str(), transition.to.as_str());
        if pair.0 == pair.1 {
            return Err((
                format!("{at}.to"),
                format!("`{at}` leads from `{}` to itself", pair.0),
            ));
        }
        if !pairs.insert(pair) {
            let message = format!(
                "`{at}`: the transition from `{}` to `{}` stands twice in pipeline `{kind}`",
                pair.0, pair.1
            );
            return Err((at, message));
        }
        for (list, keys) in [
            ("include", &transition.include),
            ("exclude", &transition.exclude),
        ] {
            for (nth, key) in keys.iter().enumerate() {
                named(&format!("{at}.{list}[{nth}]"), "section key", key)?;
            }
        }
    }
    Ok(())
}

fn check_rule(at: &str, rule: &Rule) -> Result<(), Fault> {
    if rule.paths.is_empty() {
        return Err((format!("{at}.paths"), format!("`{at}.paths` is empty")));
    }
    for (nth, one) in rule.paths.iter().enumerate() {
        path(&format!("{at}.paths[{nth}]"), one)?;
    }
    for (list, groups) in [
        ("required_sections", &rule.required_sections),
        ("required_patterns", &rule.required_patterns),
    ] {
        for (nth, group) in groups.iter().enumerate() {
            filled(&format!("{at}.{list}[{nth}]"), group)?;
        }
    }
    match rule.required_any.is_empty() {
        true => Ok(()),
        false => filled(&format!("{at}.required_any"), &rule.required_any),
    }
}

/// A list of texts, of which there is one at least and none is blank.
fn filled(at: &str, texts: &[String]) -> Result<(), Fault> {
    if texts.is_empty() {
        return Err((at.to_owned(), format!("`{at}` is empty")));
    }
    match texts.iter().position(|text| text.trim().is_empty()) {
        Some(nth) => Err((format!("{at}[{nth}]"), format!("`{at}[{nth}]` is blank"))),
        None => Ok(()),
    }
}

fn named(at: &str, what: &str, text: &str) -> Result<(), Fault> {
    match name::fault(text) {
        Some(reason) => Err((at.to_owned(), format!("`{at}`: {what} {reason}"))),
        None => Ok(()),
    }
}

/// A path that stays in the project whatever the project is called.
fn path(at: &str, text: &str) -> Result<(), Fault> {
    let bare = text
        .strip_prefix(PROJECT_PATH)
        .unwrap_or(text)
        .replace(PROJECT_NAME, "x");
    let reason = if bare.contains(['{', '}']) {
        "holds another placeholder than `{project-name}` or a leading `{project-path}`"
    } else if bare.contains('\\') || bare.contains(char::is_control) {
        "holds a backslash or a control character"
    } else if bare.starts_with('/') || bare.split('/').any(|part| part == "..") {
        "must be relative to the project, without `..`"
    } else if bare.split('/').any(|part| matches!(part, "" | ".")) {
        "must be one name or several with one `/` between, without `.`"
    } else {
        return Ok(());
    };
    Err((at.to_owned(), format!("`{at}`: path `{text}` {reason}")))
}
