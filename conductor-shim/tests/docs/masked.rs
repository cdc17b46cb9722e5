//! Which parts of an output are different in every run?

/// A character of a shape: `9` stands for a digit, `x` for a hexadecimal one, all else for itself.
fn fits(shape: char, c: char) -> bool {
    match shape {
        '9' => c.is_ascii_digit(),
        'x' => c.is_ascii_hexdigit(),
        _ => shape == c,
    }
}

/// Shapes of what is masked anywhere.
const ANYWHERE: [&str; 2] = [
    "9999-99-99T99:99:99.999Z",
    "xxxxxxxx-xxxx-7xxx-xxxx-xxxxxxxxxxxx",
];
/// Words of lines that hold the digest of a row.
const OF_ROWS: [&str; 4] = ["\"digest\"", "\"previous\"", "\"head\"", " head "];

/// The text with times, ids, digests of rows and milliseconds replaced, and runs of blanks as one.
pub(super) fn masked(page: &str) -> String {
    let mut masked = String::new();
    let mut in_times = false;
    for line in page.lines() {
        let mut line = line.to_owned();
        for shape in ANYWHERE {
            line = without(&line, shape);
        }
        if OF_ROWS.iter().any(|word| line.contains(word)) {
            line = without(&line, &"x".repeat(64));
        }
        let mut words: Vec<&str> = line.split_whitespace().collect();
        in_times = !words.is_empty() && (in_times || line.ends_with("ms p95"));
        let last = words.len();
        for at in 0..last {
            // A row of a table whose last two columns are milliseconds, or `12 ms`, or `"compile_ms": 12,`.
            let of_table = in_times && at + 2 >= last;
            let after = words.get(at + 1).is_some_and(|word| word.starts_with("ms"));
            let before = at > 0 && words[at - 1] == "\"compile_ms\":";
            if (of_table || after || before) && words[at].starts_with(|c: char| c.is_ascii_digit())
            {
                words[at] = "N";
            }
        }
        masked.push_str(&words.join(" "));
        masked.push('\n');
    }
    masked
}

fn without(line: &str, shape: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let length = shape.chars().count();
    let mut out = String::new();
    let mut at = 0;
    while at < chars.len() {
        let is_it = at + length <= chars.len()
            && shape
                .chars()
                .zip(&chars[at..])
                .all(|(shape, c)| fits(shape, *c));
        if is_it {
            out.push_str(shape);
            at += length;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

#[test]
fn what_a_run_decides_is_masked_and_nothing_else() {
    let digest = "0af1".repeat(16);
    for (line, same) in [
        (
            "2026-11-30T08:00:00.123Z  shop 1",
            "2027-01-02T09:10:11.000Z shop 1",
        ),
        ("x, 12 ms", "x, 9 ms"),
        ("  \"compile_ms\": 12,", "  \"compile_ms\": 1,"),
    ] {
        assert_eq!(masked(line), masked(same));
    }
    let of_row = format!("project `shop`: 1 rows, head {digest}");
    assert!(!masked(&of_row).contains(&digest));
    assert!(masked(&format!("\"packet_sha256\": \"{digest}\"")).contains(&digest));
    let table = |ms: &str, tokens: &str| {
        masked(&format!(
            "  mode  p50  ms p50  ms p95\n  shadow  {tokens}  {ms}  99\n"
        ))
    };
    assert_eq!(table("7", "1,000"), table("12", "1,000"));
    assert_ne!(table("7", "1,000"), table("7", "1,001"));
    assert_ne!(masked("12 tokens"), masked("13 tokens"));
}
