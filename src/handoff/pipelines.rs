//! Which pipelines are there, what may a phase hand over, and when is it good enough?

use crate::handoff::desk::Desk;
use crate::handoff::error::HandoffError;
use crate::text::nearest::nearest;
use std::collections::BTreeMap;
use vibey_context_contracts::handoff::config::{
    CONFIG_MAX_BYTES, Defaults, PhaseConfig, Pipeline, PipelineConfig, Rule, Transition, parse,
};
use vibey_context_contracts::handoff::state::{PipelineState, Settings};
use vibey_context_contracts::handoff::threshold::Threshold;
use vibey_context_host::read::{kind_of, read_regular};

/// The built-in configuration, in the form of a user's own.
const BUILTIN: &str = include_str!("builtin.json");
/// The pipeline of a transition whose phases it has, where none is named.
const USUAL: &str = "sdd";
/// Tokens of a window, where nothing else is said.
const WINDOW: u64 = 128_000;
/// From which part of the window on a brief is compressed, in thousandths: an agent needs room to work in.
const THRESHOLD_PER_MILLE: u32 = 600;

/// The built-in configuration with the user's over it.
#[derive(Debug)]
pub(crate) struct Pipelines {
    config: PipelineConfig,
}

impl Pipelines {
    /// Reads the user's configuration. Where there is none, what is built in counts alone.
    ///
    /// # Errors
    /// [`HandoffError::Config`], or [`HandoffError::Host`] where the file can not be read.
    pub(crate) fn load(desk: &Desk) -> Result<Self, HandoffError> {
        let mut config = builtin();
        let path = desk.config_path();
        let bytes = match read_regular(&path, CONFIG_MAX_BYTES as u64) {
            // A link that leads nowhere is a configuration that is missed.
            Err(missing) if missing.is_not_found() && kind_of(&path)?.is_none() => {
                return Ok(Self { config });
            }
            read => read?,
        };
        let own = parse(&bytes).map_err(|fault| HandoffError::Config {
            fault: Box::new(fault),
            path: desk.shown(&path),
        })?;
        config.defaults = own.defaults;
        config.pipelines.extend(own.pipelines);
        config.validation_rules.extend(own.validation_rules);
        config.sections.extend(own.sections);
        Ok(Self { config })
    }

    /// The pipeline of a type.
    ///
    /// # Errors
    /// [`HandoffError::UnknownPipeline`], with those that there are.
    pub(crate) fn named(&self, name: &str) -> Result<Route<'_>, HandoffError> {
        match self.config.pipelines.get_key_value(name) {
            Some((name, pipeline)) => Ok(Route { name, pipeline }),
            None => Err(HandoffError::UnknownPipeline {
                name: name.to_owned(),
                known: self.types(),
            }),
        }
    }

    /// The pipeline that has both phases: the usual one, or the only one.
    ///
    /// # Errors
    /// [`HandoffError::WhichPipeline`].
    pub(crate) fn leading(&self, from: &str, to: &str) -> Result<Route<'_>, HandoffError> {
        let has = |route: &Route<'_>| [from, to].iter().all(|name| route.index(name).is_ok());
        let mut fitting: Vec<Route<'_>> = self.all().filter(has).collect();
        if let Some(usual) = fitting.iter().position(|route| route.name == USUAL) {
            return Ok(fitting.swap_remove(usual));
        }
        match (fitting.pop(), fitting.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                let known = fitting
                    .iter()
                    .chain([&last])
                    .map(|route| route.name.to_owned())
                    .collect();
                Err(HandoffError::WhichPipeline {
                    from: from.to_owned(),
                    to: to.to_owned(),
                    known,
                })
            }
            (None, _) => Err(self.leading_nowhere(from, to)),
        }
    }

    /// Why no pipeline has both phases.
    fn leading_nowhere(&self, from: &str, to: &str) -> HandoffError {
        let mut phases: Vec<String> = self
            .all()
            .flat_map(|route| &route.pipeline.phases)
            .map(|phase| phase.name.clone())
            .collect();
        phases.sort();
        phases.dedup();
        let missing = [from, to]
            .into_iter()
            .find(|name| !phases.iter().any(|phase| phase == name));
        match missing {
            Some(phase) => HandoffError::PhaseNowhere {
                phase: phase.to_owned(),
                near: nearest(phase, &phases),
            },
            None => HandoffError::WhichPipeline {
                from: from.to_owned(),
                to: to.to_owned(),
                known: Vec::new(),
            },
        }
    }

    /// The pipeline of a state.
    ///
    /// # Errors
    /// [`HandoffError::StateValue`].
    pub(crate) fn of_state(
        &self,
        desk: &Desk,
        state: &PipelineState,
    ) -> Result<Route<'_>, HandoffError> {
        self.named(&state.pipeline_type)
            .map_err(|_| HandoffError::StateValue {
                field: "pipeline_type",
                value: state.pipeline_type.clone(),
                known: self.types(),
                path: desk.shown(&desk.state_path()),
            })
    }

    /// Every pipeline, by type.
    pub(crate) fn all(&self) -> impl Iterator<Item = Route<'_>> {
        self.config
            .pipelines
            .iter()
            .map(|(name, pipeline)| Route { name, pipeline })
    }

    fn types(&self) -> Vec<String> {
        self.config.pipelines.keys().cloned().collect()
    }

    /// The rule of an artifact. One without a rule is a file of that path that has to exist and hold something.
    #[must_use]
    pub(crate) fn rule(&self, artifact: &str) -> Rule {
        self.config
            .validation_rules
            .get(artifact)
            .cloned()
            .unwrap_or_else(|| Rule {
                paths: vec![artifact.to_owned()],
                ..Rule::default()
            })
    }

    /// The rule for an artifact that was found at `path`: its own, or where the found file's name has a rule, that one
    /// (`tasks.md` in the place of `completion-report.md`).
    #[must_use]
    pub(crate) fn rule_at(&self, artifact: &str, path: &str) -> Rule {
        self.rule(self.judged_by(artifact, path))
    }

    /// The name of that rule; `None` of an artifact without one.
    #[must_use]
    pub(crate) fn rule_name(&self, artifact: &str, path: &str) -> Option<String> {
        let name = self.judged_by(artifact, path);
        let is_rule = self.config.validation_rules.contains_key(name);
        is_rule.then(|| name.to_owned())
    }

    fn judged_by<'a>(&self, artifact: &'a str, path: &'a str) -> &'a str {
        let file = path.rsplit('/').next().unwrap_or(path);
        if self.config.validation_rules.contains_key(file) {
            file
        } else {
            artifact
        }
    }

    /// The headings that an include key stands for. A key without any stands for its own words.
    #[must_use]
    pub(crate) fn headings(&self, key: &str) -> Vec<String> {
        let own = || vec![key.replace(['_', '-', '.'], " ")];
        self.config.sections.get(key).cloned().unwrap_or_else(own)
    }

    /// What a pipeline runs under: what the configuration says, else what its state says, else what is built in.
    #[must_use]
    pub(crate) fn settings(&self, stored: Option<&Settings>) -> Settings {
        let Defaults {
            context_window,
            compression_threshold,
            enable_drift_detection,
            enable_dashboard,
        } = self.config.defaults;
        let threshold = const { Threshold::new(THRESHOLD_PER_MILLE).expect("it is a threshold") };
        let mut settings = stored.cloned().unwrap_or_else(|| Settings {
            context_window: WINDOW,
            compression_threshold: threshold,
            enable_drift_detection: true,
            enable_dashboard: true,
            unknown: BTreeMap::new(),
        });
        settings.context_window = context_window.unwrap_or(settings.context_window);
        settings.compression_threshold =
            compression_threshold.unwrap_or(settings.compression_threshold);
        settings.enable_drift_detection =
            enable_drift_detection.unwrap_or(settings.enable_drift_detection);
        settings.enable_dashboard = enable_dashboard.unwrap_or(settings.enable_dashboard);
        settings
    }
}

fn builtin() -> PipelineConfig {
    parse(BUILTIN.as_bytes()).expect("the built-in configuration is read by a test")
}

/// A pipeline with its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route<'a> {
    /// Its type.
    pub(crate) name: &'a str,
    /// Its description.
    pub(crate) pipeline: &'a Pipeline,
}

impl<'a> Route<'a> {
    /// Place of a phase, from 0.
    ///
    /// # Errors
    /// [`HandoffError::UnknownPhase`], with those that there are.
    pub(crate) fn index(&self, phase: &str) -> Result<usize, HandoffError> {
        let found = self
            .pipeline
            .phases
            .iter()
            .position(|one| one.name == phase);
        found.ok_or_else(|| HandoffError::UnknownPhase {
            phase: phase.to_owned(),
            pipeline: self.name.to_owned(),
            known: self
                .pipeline
                .phases
                .iter()
                .map(|one| one.name.clone())
                .collect(),
        })
    }

    /// The phase at a place, from 0.
    #[must_use]
    pub(crate) fn phase(&self, index: usize) -> Option<&'a PhaseConfig> {
        self.pipeline.phases.get(index)
    }

    /// What leads from one phase to another; where nothing does, what leads to the second from anywhere.
    #[must_use]
    pub(crate) fn transition(&self, from: &str, to: &str) -> Option<&'a Transition> {
        let leading = || self.pipeline.transitions.iter().filter(|one| one.to == to);
        leading()
            .find(|one| one.from == from)
            .or_else(|| leading().next_back())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_a_configuration() {
        let config = builtin();
        let types: Vec<&str> = config.pipelines.keys().map(String::as_str).collect();
        assert_eq!(types, ["debug", "full-product", "sdd", "ui-lifecycle"]);
        let pipelines = Pipelines { config };
        for route in pipelines.all() {
            for pair in route.pipeline.phases.windows(2) {
                let found = route
                    .pipeline
                    .transitions
                    .iter()
                    .any(|one| one.from == pair[0].name && one.to == pair[1].name);
                assert!(
                    found,
                    "{}: {} to {}",
                    route.name, pair[0].name, pair[1].name
                );
            }
            for phase in &route.pipeline.phases {
                assert!(
                    !phase.mission.is_empty() && !phase.artifacts.is_empty(),
                    "{}",
                    phase.name
                );
                for artifact in &phase.artifacts {
                    assert!(
                        pipelines.config.validation_rules.contains_key(artifact),
                        "{artifact}"
                    );
                }
            }
            for one in &route.pipeline.transitions {
                for key in &one.include {
                    assert!(pipelines.config.sections.contains_key(key), "{key}");
                }
            }
        }
    }

    #[test]
    fn a_transition_finds_its_pipeline() {
        let pipelines = Pipelines { config: builtin() };
        let name = |from: &str, to: &str| {
            pipelines
                .leading(from, to)
                .map(|route| route.name.to_owned())
        };
        assert_eq!(
            name("spec-writer", "implementer").ok().as_deref(),
            Some("sdd")
        );
        assert_eq!(name("diagnose", "fix").ok().as_deref(), Some("debug"));
        assert!(
            matches!(name("ux-research", "info-arch"), Err(HandoffError::WhichPipeline { known, .. }) if known.len() == 2)
        );
        assert!(
            matches!(name("fix", "nowhere"), Err(HandoffError::PhaseNowhere { phase, .. }) if phase == "nowhere")
        );
    }
}
