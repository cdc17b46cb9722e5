//! Which bare strings are secrets by their own shape, whatever stands around them?
//!
//! One row per prefix that a provider documents, sorted, with an index by first letter built at compile
//! time. The least lengths lie below the documented ones, so that a token cut by its sender still goes.

use super::bytes::{
    at, before, escape_before, is_alnum, is_base64, is_base64url, is_dotted, is_hex, is_word,
    looks_generated, part, run, run_back, starts, word_starts,
};
use super::marker::{
    ANTHROPIC, AWS_ACCESS_KEY, AWS_SECRET_KEY, GITHUB, GITLAB, GOOGLE, JWT, NPM, OPENAI,
    PRIVATE_KEY, PROVIDER, PYPI, SLACK, STRIPE, Span,
};

/// Where a shape may start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    /// Anywhere: the prefix and the length alone are proof.
    Anywhere,
    /// Not inside a word.
    Word,
    /// Neither inside a word nor inside a hyphenated one (`task-list`).
    Apart,
    /// Behind the number of a bot, which goes with it.
    Bot,
}

/// How much must follow the prefix.
#[derive(Clone, Copy)]
enum Body {
    /// At least so many bytes of the class.
    Least(usize),
    /// Exactly so many bytes of the class that look generated, and neither letter nor digit behind them: for prefixes that
    /// alone prove little.
    Exactly(usize),
    /// At least 20 bytes of the class with an unbroken stretch of 16 letters and digits: slugs of words
    /// and hyphens stay.
    Stretch,
    /// Exactly 16 capital letters and digits: ids of Amazon.
    AmazonId,
    /// Base64url parts joined by dots.
    Jwt,
}

#[derive(Clone, Copy)]
struct Shape {
    prefix: &'static str,
    begins: Begins,
    body: Body,
    class: fn(u8) -> bool,
    kind: &'static str,
}

const fn anywhere(
    prefix: &'static str,
    least: usize,
    class: fn(u8) -> bool,
    kind: &'static str,
) -> Shape {
    Shape {
        prefix,
        begins: Begins::Anywhere,
        body: Body::Least(least),
        class,
        kind,
    }
}

const fn word(
    prefix: &'static str,
    least: usize,
    class: fn(u8) -> bool,
    kind: &'static str,
) -> Shape {
    Shape {
        prefix,
        begins: Begins::Word,
        body: Body::Least(least),
        class,
        kind,
    }
}

const fn exactly(prefix: &'static str, begins: Begins, len: usize, class: fn(u8) -> bool) -> Shape {
    Shape {
        prefix,
        begins,
        body: Body::Exactly(len),
        class,
        kind: PROVIDER,
    }
}

const fn amazon(prefix: &'static str) -> Shape {
    Shape {
        prefix,
        begins: Begins::Word,
        body: Body::AmazonId,
        class: is_alnum,
        kind: AWS_ACCESS_KEY,
    }
}

fn is_slack(c: u8) -> bool {
    is_dotted(c) || matches!(c, b'%' | b'/' | b'+' | b'=')
}

fn is_path(c: u8) -> bool {
    is_base64url(c) || c == b'/'
}

/// Sorted by first byte. Of several prefixes that fit one place the longest span wins.
const SHAPES: &[Shape] = &[
    // `1//0` opens Google's refresh tokens.
    word("1//0", 30, is_base64url, GOOGLE),
    // Telegram: the number of a bot, a colon, and 35 bytes, of which the first one is an `A` everywhere.
    exactly(":A", Begins::Bot, 34, is_base64url),
    amazon("ABIA"),
    amazon("ACCA"),
    anywhere("AGE-SECRET-KEY-1", 30, is_alnum, PROVIDER),
    amazon("AGPA"),
    amazon("AIDA"),
    amazon("AIPA"),
    word("AIza", 30, is_base64url, GOOGLE),
    amazon("AKIA"),
    amazon("ANPA"),
    amazon("ANVA"),
    amazon("APKA"),
    amazon("AROA"),
    amazon("ASCA"),
    amazon("ASIA"),
    word("ATATT3x", 30, is_slack, PROVIDER),
    // Session tokens of Amazon: base64 of one fixed header each.
    word("FwoGZXIvYXdz", 40, is_base64, AWS_SECRET_KEY),
    anywhere("GOCSPX-", 16, is_base64url, GOOGLE),
    word("GR1348941", 16, is_base64url, GITLAB),
    word("IQoJb3JpZ2luX2Vj", 40, is_base64, AWS_SECRET_KEY),
    // Base64 of PEM armour: RSA, EC, OPENSSH, ENCRYPTED, DSA, PGP and plain private keys.
    anywhere("LS0tLS1CRUdJTiBBTlkgUFJJVk", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBEU0Eg", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBFQyBQUklW", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBFTkNSWVBU", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBPUEVOU1NI", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBQR1AgUFJJVk", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBQUklW", 20, is_base64, PRIVATE_KEY),
    anywhere("LS0tLS1CRUdJTiBSU0EgUFJJVk", 20, is_base64, PRIVATE_KEY),
    word("NRAK-", 20, is_alnum, PROVIDER),
    word("PMAK-", 20, is_base64url, PROVIDER),
    word("SG.", 30, is_dotted, PROVIDER),
    // Twilio's API keys. `AC` and as many digits are an account, which is no secret.
    exactly("SK", Begins::Word, 32, is_hex),
    anywhere("b3BlbnNzaC1rZXkt", 20, is_base64, PRIVATE_KEY),
    word("dckr_pat_", 16, is_base64url, PROVIDER),
    word("discord.com/api/webhooks/", 20, is_path, PROVIDER),
    word("discordapp.com/api/webhooks/", 20, is_path, PROVIDER),
    word("dop_v1_", 20, is_alnum, PROVIDER),
    Shape {
        prefix: "eyJ",
        begins: Begins::Anywhere,
        body: Body::Jwt,
        class: is_dotted,
        kind: JWT,
    },
    anywhere("gho_", 20, is_dotted, GITHUB),
    anywhere("ghp_", 20, is_dotted, GITHUB),
    anywhere("ghr_", 20, is_dotted, GITHUB),
    anywhere("ghs_", 20, is_dotted, GITHUB),
    anywhere("ghu_", 20, is_dotted, GITHUB),
    anywhere("github_pat_", 20, is_word, GITHUB),
    anywhere("glagent-", 15, is_dotted, GITLAB),
    anywhere("glcbt-", 15, is_dotted, GITLAB),
    anywhere("gldt-", 15, is_dotted, GITLAB),
    anywhere("glffct-", 15, is_dotted, GITLAB),
    anywhere("glft-", 15, is_dotted, GITLAB),
    anywhere("glimt-", 15, is_dotted, GITLAB),
    anywhere("gloas-", 15, is_dotted, GITLAB),
    anywhere("glpat-", 15, is_dotted, GITLAB),
    anywhere("glptt-", 15, is_dotted, GITLAB),
    anywhere("glrt-", 15, is_dotted, GITLAB),
    anywhere("glrtr-", 15, is_dotted, GITLAB),
    anywhere("glsoat-", 15, is_dotted, GITLAB),
    anywhere("glwt-", 15, is_dotted, GITLAB),
    word("gsk_", 30, is_alnum, PROVIDER),
    word("hf_", 30, is_alnum, PROVIDER),
    anywhere("hooks.slack.com/services/", 8, is_path, SLACK),
    anywhere("hooks.slack.com/triggers/", 8, is_path, SLACK),
    anywhere("hooks.slack.com/workflows/", 8, is_path, SLACK),
    word("hvb.", 30, is_base64url, PROVIDER),
    word("hvs.", 20, is_base64url, PROVIDER),
    word("lin_api_", 20, is_alnum, PROVIDER),
    anywhere("npm_", 30, is_alnum, NPM),
    word("ntn_", 30, is_alnum, PROVIDER),
    word("pplx-", 30, is_alnum, PROVIDER),
    anywhere("pypi-AgE", 12, is_base64url, PYPI),
    word("r8_", 30, is_alnum, PROVIDER),
    word("rk_live_", 16, is_word, STRIPE),
    word("rk_test_", 16, is_word, STRIPE),
    word("rubygems_", 30, is_alnum, PROVIDER),
    word("sbp_", 30, is_alnum, PROVIDER),
    word("shpat_", 30, is_alnum, PROVIDER),
    word("shpca_", 30, is_alnum, PROVIDER),
    word("shppa_", 30, is_alnum, PROVIDER),
    word("shpss_", 30, is_alnum, PROVIDER),
    Shape {
        prefix: "sk-",
        begins: Begins::Apart,
        body: Body::Stretch,
        class: is_base64url,
        kind: OPENAI,
    },
    word("sk-admin-", 16, is_base64url, OPENAI),
    word("sk-ant-", 12, is_base64url, ANTHROPIC),
    word("sk-proj-", 12, is_base64url, OPENAI),
    word("sk-svcacct-", 12, is_base64url, OPENAI),
    word("sk_live_", 16, is_word, STRIPE),
    word("sk_test_", 16, is_word, STRIPE),
    word("whsec_", 16, is_slack, STRIPE),
    word("xai-", 30, is_alnum, PROVIDER),
    anywhere("xapp-", 10, is_slack, SLACK),
    anywhere("xoxa-", 10, is_slack, SLACK),
    anywhere("xoxb-", 10, is_slack, SLACK),
    anywhere("xoxc-", 10, is_slack, SLACK),
    anywhere("xoxd-", 10, is_slack, SLACK),
    anywhere("xoxe", 10, is_slack, SLACK),
    anywhere("xoxp-", 10, is_slack, SLACK),
    anywhere("xoxr-", 10, is_slack, SLACK),
    anywhere("xoxs-", 10, is_slack, SLACK),
    word("ya29.", 10, is_dotted, GOOGLE),
];

/// The rows that start with one byte.
#[derive(Clone, Copy)]
struct Rows {
    first: u8,
    /// One past the last.
    end: u8,
    /// A bit for each second byte among them: most places of a text fail here.
    seconds: u128,
}

/// [`Rows`] by first byte. `static`, so that it is not copied into each use.
static ROWS: [Rows; 128] = {
    let mut rows = [Rows {
        first: 0,
        end: 0,
        seconds: 0,
    }; 128];
    let mut i = 0;
    while i < SHAPES.len() {
        let prefix = SHAPES[i].prefix.as_bytes();
        let row = &mut rows[prefix[0] as usize];
        if row.end == 0 {
            row.first = i as u8;
        }
        row.end = i as u8 + 1;
        row.seconds |= 1 << prefix[1];
        i += 1;
    }
    rows
};

/// The rows whose first two bytes stand at `i`, and some more.
fn rows_at(b: &[u8], i: usize) -> &'static [Shape] {
    let second = at(b, i + 1);
    match ROWS.get(usize::from(at(b, i))) {
        Some(rows) if second < 128 && rows.seconds >> second & 1 == 1 => SHAPES
            .get(usize::from(rows.first)..usize::from(rows.end))
            .unwrap_or_default(),
        _ => &[],
    }
}

/// Longest prefix of a row, `discordapp.com/api/webhooks/`.
pub(super) const LONGEST_PREFIX: usize = 28;
/// Half width of the window around an Amazon id in which a bare secret half is looked for: one line of
/// a `credentials.csv` or two lines of a `credentials` file.
const AMAZON_WINDOW: usize = 160;
/// Length of the secret half of an Amazon key pair.
const AMAZON_SECRET: usize = 40;
/// Digits in the number of a Telegram bot. Times and ports have fewer, times in milliseconds more.
const BOT_DIGITS: std::ops::RangeInclusive<usize> = 8..=10;

pub(super) fn scan(b: &[u8], spans: &mut Vec<Span>) {
    let mut i = 0;
    // No JWT starts before this place: the first part of each would end where one already failed.
    let mut no_jwt_before = 0;
    while i < b.len() {
        let mut best: Option<Span> = None;
        for shape in rows_at(b, i) {
            if !starts(b, i, shape.prefix.as_bytes()) || !begins(b, i, shape.begins) {
                continue;
            }
            if let Some(end) = body_end(b, i, shape, &mut no_jwt_before)
                && best.is_none_or(|known| known.end <= end)
            {
                best = Some(Span {
                    start: span_start(b, i, shape),
                    end,
                    kind: shape.kind,
                });
            }
        }
        let Some(span) = best else {
            i += 1;
            continue;
        };
        spans.push(span);
        if span.kind == AWS_ACCESS_KEY {
            amazon_secrets(b, span, spans);
        }
        // A second secret may be glued to this one and start inside its last bytes.
        i = span.end.saturating_sub(LONGEST_PREFIX).max(i + 1);
    }
}

fn begins(b: &[u8], i: usize, rule: Begins) -> bool {
    match rule {
        Begins::Anywhere => true,
        // `backup_AKIA…`: what is glued on with an underscore is a name for the secret, not a part of it.
        Begins::Word => word_starts(b, i) || before(b, i) == b'_',
        Begins::Apart => (word_starts(b, i) && before(b, i) != b'-') || before(b, i) == b'_',
        Begins::Bot => bot_number(b, i).is_some(),
    }
}

/// Where the number of a bot starts that ends before `i`. A letter may stand before it: `…/bot123456789:…`.
fn bot_number(b: &[u8], i: usize) -> Option<usize> {
    let first = run_back(b, i, *BOT_DIGITS.end(), |c| c.is_ascii_digit());
    (first..=i.checked_sub(*BOT_DIGITS.start())?)
        .find(|&start| !before(b, start).is_ascii_digit() || escape_before(b, start) > 0)
}

/// Where the secret starts. Hosts of webhooks are none: only what follows them goes.
fn span_start(b: &[u8], i: usize, shape: &Shape) -> usize {
    if shape.begins == Begins::Bot {
        bot_number(b, i).unwrap_or(i)
    } else if shape.prefix.ends_with('/') && shape.prefix.contains('.') {
        i + shape.prefix.len()
    } else {
        i
    }
}

fn body_end(b: &[u8], i: usize, shape: &Shape, no_jwt_before: &mut usize) -> Option<usize> {
    let body = i + shape.prefix.len();
    let end = match shape.body {
        Body::Jwt if i < *no_jwt_before => return None,
        Body::Jwt => {
            let first = run(b, body, is_base64url);
            let end = jwt_end(b, body, first);
            if end.is_none() {
                *no_jwt_before = first;
            }
            end?
        }
        Body::AmazonId => {
            let end = body + 16;
            let id = part(b, body, end);
            let fits = id.len() == 16
                && id
                    .iter()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
            return (fits && !is_alnum(at(b, end))).then_some(end);
        }
        Body::Least(least) => {
            let end = run(b, body, shape.class);
            (end - body >= least).then_some(end)?
        }
        Body::Exactly(len) => {
            let end = run(b, body, shape.class);
            let fits = end - body == len && looks_generated(part(b, body, end), len);
            return (fits && !is_alnum(at(b, end))).then_some(end);
        }
        Body::Stretch => {
            let end = run(b, body, shape.class);
            let stretch = part(b, body, end)
                .split(|c| !is_alnum(*c))
                .map(<[u8]>::len)
                .max()
                .unwrap_or(0);
            (end - body >= 20 && stretch >= 16).then_some(end)?
        }
    };
    Some(without_trailing_dots(b, body, end))
}

/// Three parts, or two whose second is JSON as well: `eyJ….eyJ…` with its signature cut off. The shortest
/// real header, `{"alg":"none"}`, has 17 letters behind `eyJ`; 8 leaves room for fakes.
fn jwt_end(b: &[u8], body: usize, first: usize) -> Option<usize> {
    if first - body < 8 || at(b, first) != b'.' {
        return None;
    }
    let second = run(b, first + 1, is_base64url);
    let json = starts(b, first + 1, b"eyJ") && second - first > 8;
    let third = at(b, second) == b'.' && is_base64url(at(b, second + 1));
    (json || third).then(|| run(b, second, is_dotted))
}

/// A full stop after a token ends a sentence.
fn without_trailing_dots(b: &[u8], body: usize, mut end: usize) -> usize {
    while end > body && before(b, end) == b'.' {
        end -= 1;
    }
    end
}

/// Amazon's secret half has no shape of its own; near an id, 40 bytes of mixed-case base64 are it.
fn amazon_secrets(b: &[u8], id: Span, spans: &mut Vec<Span>) {
    let from = id.start.saturating_sub(AMAZON_WINDOW);
    let to = id.end.saturating_add(AMAZON_WINDOW).min(b.len());
    let mut i = from;
    while i < to {
        if !is_base64(at(b, i)) || is_base64(before(b, i)) || at(b, i) == b'=' {
            i += 1;
            continue;
        }
        let end = super::bytes::run_within(b, i, AMAZON_SECRET + 1, |c| is_base64(c) && c != b'=');
        let value = part(b, i, end);
        if value.len() == AMAZON_SECRET
            && value.iter().any(u8::is_ascii_uppercase)
            && value.iter().any(u8::is_ascii_lowercase)
        {
            spans.push(Span {
                start: i,
                end,
                kind: AWS_SECRET_KEY,
            });
        }
        i = end.max(i + 1);
    }
}

/// The prefixes in the order of their rows.
#[cfg(test)]
pub(super) fn rows() -> Vec<&'static str> {
    SHAPES.iter().map(|shape| shape.prefix).collect()
}
