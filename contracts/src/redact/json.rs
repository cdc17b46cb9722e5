//! What does redaction mean for a JSON value?

use serde_json::{Map, Value};

use super::label::{Label, Noun, classify};
use super::marker::{LABELLED, only_markers, push_marker};
use super::{redact, value};

/// Length that a string deep below a secret key must have, with letters and digits: the fields of
/// `"credentials": {"user": …, "value": …}` are not all secret.
const NESTED: usize = 6;

/// Redacts every string of `value` in place.
///
/// Beyond [`redact`] on each string this knows structure: a string under an object key that is a secret
/// label goes whole, and so does the number under one that names a password or key; in lists the string
/// behind a flag (`["--token", "…"]`) and in objects the `value` beside a `name` or `key` that is a label
/// go too. Object keys are redacted as text. Idempotent.
pub fn redact_json(value: &mut Value) {
    walk(value, None);
}

fn walk(value: &mut Value, label: Option<Label>) {
    match value {
        Value::String(text) => redact_string(text, label),
        Value::Number(number) => {
            let named = label.is_some_and(|l| l.least == 0 && l.noun != Noun::Token);
            if named && number.to_string().len() > 1 {
                *value = Value::String(marker());
            }
        }
        Value::Array(items) => walk_list(items, label),
        Value::Object(fields) => walk_object(fields, label),
        Value::Null | Value::Bool(_) => {}
    }
}

fn walk_list(items: &mut [Value], label: Option<Label>) {
    let mut flag = None;
    for item in items {
        // The next flag of the list is no value.
        let given = flag.filter(|_| !item.as_str().is_some_and(|text| text.starts_with('-')));
        walk(item, given.or(label));
        flag = item.as_str().and_then(flag_label);
    }
}

fn walk_object(fields: &mut Map<String, Value>, label: Option<Label>) {
    // Keys first: a label is read from the text that stays.
    if fields.keys().any(|key| redact(key) != *key) {
        redact_keys(fields);
    }
    let nested = label.map(|l| Label {
        least: l.least.max(NESTED),
        ..l
    });
    let named = ["name", "key", "Name", "Key"]
        .iter()
        .find_map(|key| fields.get(*key).and_then(Value::as_str))
        .and_then(|name| classify(redact(name).as_bytes()));
    for (key, field) in fields.iter_mut() {
        let own = classify(key.as_bytes());
        let beside = named.filter(|_| key.eq_ignore_ascii_case("value"));
        walk(field, own.or(beside).or(nested));
    }
}

/// Redacts the keys themselves; where two become one, later ones get a number, so that no field is lost.
fn redact_keys(fields: &mut Map<String, Value>) {
    let mut clean = Map::new();
    for (key, field) in std::mem::take(fields) {
        let base = redact(&key).into_owned();
        let mut name = base.clone();
        let mut count = 1;
        while clean.contains_key(&name) {
            count += 1;
            name = format!("{base} {count}");
        }
        clean.insert(name, field);
    }
    *fields = clean;
}

fn redact_string(text: &mut String, label: Option<Label>) {
    let clean = redact(text);
    let secret = label.is_some_and(|l| value::is_secret_under(&clean, l));
    if secret && !only_markers(clean.trim().as_bytes()) {
        *text = marker();
    } else if clean != *text {
        *text = clean.into_owned();
    }
}

/// The label of a command line flag that takes its value as the next argument.
fn flag_label(text: &str) -> Option<Label> {
    let name = text.trim_start_matches('-');
    (name.len() < text.len() && !name.contains('=')).then(|| classify(name.as_bytes()))?
}

fn marker() -> String {
    let mut out = String::new();
    push_marker(&mut out, LABELLED);
    out
}
