//! Which flags of well-known commands take a password without saying so?
//!
//! `curl -u user:password`, `curl -b name=value`, `sshpass -p …`, `mysql -p…`, `redis-cli -a …`. The flags mean other things
//! elsewhere (`docker run -u 1000:1000 -p 80:80`), so the command on the line decides.

use super::bytes::{at, is_blank, is_newline, part, run, run_back, starts};
use super::headers;
use super::marker::{Span, USER_PASSWORD};
use super::placeholder::{is_no_value, structural_end};
use super::quote::{closing, opening};
use super::separator::{Join, Separator};
use super::unquoted::{self, Place};

/// How far back on the line the command is looked for.
const REACH: usize = 256;
/// Flags that take `user:password`.
const USER_FLAGS: &[&str] = &["-u", "-U", "--user", "--proxy-user", "--auth"];
/// Commands whose `-a` takes `user:password`.
const HTTPIE: &[&str] = &["http", "https", "xh"];
/// Commands whose `-u` takes a user and a group, or something else.
const OTHER_USERS: &[&str] = &["docker", "podman", "nerdctl", "kubectl", "sudo", "chown"];
/// Command, flag, and whether the value may be glued to it, stand apart, or both.
const PASSWORD_FLAGS: &[(&str, &str, Glue)] = &[
    ("sshpass", "-p", Glue::Both),
    ("login", "-p", Glue::Apart),
    ("mysql", "-p", Glue::Glued),
    ("mysqldump", "-p", Glue::Glued),
    ("mysqladmin", "-p", Glue::Glued),
    ("mariadb", "-p", Glue::Glued),
    ("redis-cli", "-a", Glue::Both),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Glue {
    Glued,
    Apart,
    Both,
}

/// The value of the flag whose run of label bytes is `b[raw..end]`.
pub(super) fn scan(b: &[u8], raw: usize, end: usize, spans: &mut Vec<Span>) -> Option<usize> {
    if at(b, raw) != b'-' {
        return None;
    }
    if part(b, raw, end) == b"-b" && on_line(b, raw, &["curl"]) {
        let value = behind_flag(b, end)?;
        let join = Join::Tight;
        return headers::cookie(b, Separator { join, value }, spans);
    }
    user_password(b, raw, end, spans).or_else(|| password(b, raw, end, spans))
}

fn user_password(b: &[u8], raw: usize, end: usize, spans: &mut Vec<Span>) -> Option<usize> {
    let flag = part(b, raw, end);
    let httpie = flag == b"-a" && on_line(b, raw, HTTPIE);
    let start = if httpie || USER_FLAGS.iter().any(|f| f.as_bytes() == flag) {
        behind_flag(b, end)?
    } else if (flag.starts_with(b"-u") || flag.starts_with(b"-U")) && at(b, end) == b':' {
        raw + 2
    } else {
        return None;
    };
    let (start, stop) = value(b, start);
    let colon = start + part(b, start, stop).iter().position(|&c| c == b':')?;
    let user = part(b, start, colon);
    let secret = part(b, colon + 1, stop);
    let digits = |v: &[u8]| v.iter().all(u8::is_ascii_digit);
    let ids = digits(user) && digits(secret);
    let path = secret.starts_with(b"//") || secret.starts_with(b"\\");
    if user.is_empty() || ids || path || stays(secret) || on_line(b, raw, OTHER_USERS) {
        return None;
    }
    push(spans, colon + 1, stop)
}

fn password(b: &[u8], raw: usize, end: usize, spans: &mut Vec<Span>) -> Option<usize> {
    let row = PASSWORD_FLAGS
        .iter()
        .filter(|(_, flag, _)| starts(b, raw, flag.as_bytes()))
        .find(|(command, ..)| on_line(b, raw, &[*command]))?;
    let behind = raw + row.1.len();
    let glued = behind < end
        || !(is_blank(at(b, behind)) || is_newline(at(b, behind)) || behind >= b.len());
    let start = match row.2 {
        Glue::Glued | Glue::Both if glued => behind,
        Glue::Apart | Glue::Both if !glued => behind_flag(b, end)?,
        _ => return None,
    };
    let (start, stop) = value(b, start);
    if at(b, start) == b'-' || stays(part(b, start, stop)) {
        return None;
    }
    push(spans, start, stop)
}

fn behind_flag(b: &[u8], end: usize) -> Option<usize> {
    if at(b, end) == b'=' {
        return Some(end + 1);
    }
    let start = run(b, end, is_blank);
    (start > end).then_some(start)
}

fn value(b: &[u8], start: usize) -> (usize, usize) {
    match opening(b, start) {
        Some(open) => (open.content, closing(b, open).content),
        None => (start, unquoted::end(b, start, Place::default())),
    }
}

fn stays(secret: &[u8]) -> bool {
    is_no_value(secret) || structural_end(secret, 0).is_some()
}

/// Is one of `commands` a word of the line before `raw`?
fn on_line(b: &[u8], raw: usize, commands: &[&str]) -> bool {
    let line = part(b, run_back(b, raw, REACH, |c| !is_newline(c)), raw);
    line.split(|c| !(c.is_ascii_alphanumeric() || *c == b'-'))
        .any(|word| commands.iter().any(|command| command.as_bytes() == word))
}

fn push(spans: &mut Vec<Span>, start: usize, end: usize) -> Option<usize> {
    if end <= start {
        return None;
    }
    spans.push(Span {
        start,
        end,
        kind: USER_PASSWORD,
    });
    Some(end)
}
