//! How is one of several values read by its name?

use crate::materialize::report::Verbosity;
use crate::materialize::roles::Role;
use crate::text::tokens::Tokenizer;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use vibey_context_contracts::materialize::{Consumer, Mode};

/// Reads the name of a tokenizer.
pub(super) fn tokenizer() -> impl TypedValueParser<Value = Tokenizer> {
    one_of(Tokenizer::ALL, Tokenizer::name)
}

/// Reads the name of a mode.
pub(super) fn mode() -> impl TypedValueParser<Value = Mode> {
    one_of(Mode::ALL, Mode::name)
}

/// Reads the name of a consumer.
pub(super) fn consumer() -> impl TypedValueParser<Value = Consumer> {
    one_of(Consumer::ALL, Consumer::name)
}

/// One word of `--roles`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roles {
    /// Links with this role.
    One(Role),
    /// All links.
    All,
}

impl Roles {
    fn name(self) -> &'static str {
        match self {
            Self::One(role) => role.label(),
            Self::All => "all",
        }
    }
}

/// Reads the label of a role, or `all`.
pub(super) fn roles() -> impl TypedValueParser<Value = Roles> {
    let [a, b, c, d, e, f] = Role::ALL.map(Roles::One);
    one_of([a, b, c, d, e, f, Roles::All], Roles::name)
}

/// Reads the name of a verbosity.
pub(super) fn verbosity() -> impl TypedValueParser<Value = Verbosity> {
    one_of(Verbosity::ALL, Verbosity::name)
}

/// Reads one of several values by its name.
fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    values: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.map(name)).try_map(move |text| {
        // Only names of values come here.
        let found = values.into_iter().find(|value| name(*value) == text);
        found.ok_or("no such value")
    })
}
