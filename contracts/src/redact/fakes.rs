//! Fake secrets for tests, put together at run time: no file of this repository holds one in a piece.

/// Letters and digits.
pub(super) const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Capital letters and digits from 2 on, as in ids of Amazon.
pub(super) const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(super) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(super) const BASE64URL: &str =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
pub(super) const HEX: &str = "0123456789abcdef";

/// `len` letters of `alphabet`, the same for the same `seed`.
pub(super) fn letters(seed: u64, len: usize, alphabet: &str) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    // Knuth's MMIX generator; its high bits are good enough for fakes.
    let mut state = seed
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(len as u64);
    (0..len)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let index = usize::try_from(state >> 33).unwrap() % alphabet.len();
            alphabet[index]
        })
        .collect()
}

pub(super) struct Fake {
    pub(super) kind: &'static str,
    /// What stands in the text.
    pub(super) text: String,
}

fn fake(kind: &'static str, parts: &[&str], body: String) -> Fake {
    Fake {
        kind,
        text: format!("{}{body}", parts.concat()),
    }
}

/// One fake of every provider shape, all made from `seed`.
pub(super) fn providers(seed: u64) -> Vec<Fake> {
    let word = |len| letters(seed, len, BASE62);
    let url = |len| format!("{}q7", letters(seed, len, BASE64URL));
    let json = |seed: u64, len| format!("{}{}", ["ey", "J"].concat(), letters(seed, len, BASE62));
    let mut fakes = vec![
        fake(
            "github",
            &["github", "_pat_"],
            format!("{}_{}", word(22), word(59)),
        ),
        fake("gitlab", &["gl", "pat-"], url(20)),
        fake("gitlab", &["gl", "dt-"], url(20)),
        fake("gitlab", &["gl", "rt-"], url(20)),
        fake("gitlab", &["gl", "ptt-"], letters(seed, 40, HEX)),
        fake(
            "slack",
            &["xap", "p-1-A"],
            format!("{}-{}", letters(seed, 10, BASE32), letters(seed, 64, HEX)),
        ),
        fake("stripe", &["sk_", "live_"], word(24)),
        fake("stripe", &["sk_", "test_"], word(99)),
        fake("stripe", &["rk_", "live_"], word(24)),
        fake("stripe", &["rk_", "test_"], word(24)),
        fake("stripe", &["wh", "sec_"], word(32)),
        fake("google", &["AI", "za"], url(33)),
        fake("google", &["ya", "29."], format!("a0{}", url(60))),
        fake("google", &["GOC", "SPX-"], url(26)),
        fake("openai", &["sk", "-"], word(48)),
        fake("openai", &["sk", "-proj-"], url(60)),
        fake("openai", &["sk", "-svcacct-"], url(60)),
        fake("anthropic", &["sk", "-ant-", "api03-"], url(93)),
        fake("npm", &["np", "m_"], word(36)),
        fake(
            "provider",
            &[
                &letters(seed, 8 + seed as usize % 3, "123456789"),
                ":A",
                "A",
            ],
            url(31),
        ),
        fake(
            "provider",
            &["S", "K"],
            format!("{}a7", letters(seed, 30, HEX)),
        ),
        fake("pypi", &["py", "pi-", "AgEIcHlwaS5vcmc"], url(70)),
        fake(
            "jwt",
            &[],
            format!("{}.{}.{}", json(seed, 33), json(seed + 1, 40), url(41)),
        ),
    ];
    for letter in ["p", "o", "u", "s", "r"] {
        fakes.push(fake("github", &["gh", letter, "_"], word(36)));
    }
    for letter in ["b", "p", "a", "r", "s"] {
        let body = format!(
            "{}-{}-{}",
            letters(seed, 11, "0123456789"),
            letters(seed, 12, "0123456789"),
            word(24)
        );
        fakes.push(fake("slack", &["xo", "x", letter, "-"], body));
    }
    for id in ["KIA", "SIA", "ROA", "IDA"] {
        fakes.push(fake(
            "aws-access-key",
            &["A", id],
            letters(seed, 16, BASE32),
        ));
    }
    fakes
}

/// The base64 body of a PEM private key: `lines` lines of 64 and a short last one.
pub(super) fn pem_body(seed: u64, lines: usize) -> Vec<String> {
    let mut body: Vec<String> = (0..lines)
        .map(|line| letters(seed + line as u64, 64, BASE64))
        .collect();
    body.push(format!("{}=", letters(seed, 23, BASE64)));
    body
}

/// One line of PEM armour: `side` is `BEGIN` or `END`.
pub(super) fn armour(side: &str, algorithm: &str) -> String {
    format!("-----{side} {algorithm}{} {}-----", "PRIVATE", "KEY")
}

/// `clean` without its markers: their kinds repeat the names of providers.
fn without_markers(clean: &str) -> String {
    let mut pieces = clean.split("[redacted:");
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push('|');
        out.push_str(piece.split_once(']').map_or(piece, |(_, rest)| rest));
    }
    out
}

/// Asserts that no run of six bytes of `secret` is left in `clean`.
///
/// Six, because shorter runs of letters occur in words around the secret by chance.
pub(super) fn assert_gone(clean: &str, secret: &str, context: &str) {
    let clean = without_markers(clean);
    let bytes = secret.as_bytes();
    for piece in bytes.windows(6.min(bytes.len().max(1))) {
        assert!(
            !clean.as_bytes().windows(piece.len()).any(|w| w == piece),
            "{context}: a part of `{secret}` is left in `{clean}`"
        );
    }
}
