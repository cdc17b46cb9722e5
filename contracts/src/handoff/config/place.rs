//! Where in the text of a document does a field stand? For faults that no reader of JSON sees.

/// Line and column (in bytes) of the value of a field such as `pipelines.sdd.phases[1].name`, from 1; of the innermost value on
/// the way there that is found. The text has to be JSON.
pub(super) fn place(text: &str, field: &str) -> (usize, usize) {
    let offset = offset(text.as_bytes(), field);
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        before.matches('\n').count() + 1,
        before.len() - line_start + 1,
    )
}

fn offset(bytes: &[u8], field: &str) -> usize {
    let (mut at, mut field) = (blank(bytes, 0), field);
    loop {
        let inner = match bytes.get(at) {
            Some(b'{') => of_key(bytes, at + 1, field),
            Some(b'[') => of_index(bytes, at + 1, field),
            _ => None,
        };
        match inner {
            Some((value, rest)) => (at, field) = (value, rest),
            None => return at,
        }
    }
}

/// The value of the key that a field's path begins with, and what is left of the path. A key may hold dots: the longest counts.
fn of_key<'a>(bytes: &[u8], from: usize, field: &'a str) -> Option<(usize, &'a str)> {
    let mut found: Option<(usize, &str)> = None;
    let mut at = blank(bytes, from);
    while bytes.get(at) == Some(&b'"') {
        let end = behind_value(bytes, at);
        let key = bytes.get(at + 1..end.saturating_sub(1))?;
        let value = blank(bytes, blank(bytes, end) + 1);
        let rest = std::str::from_utf8(key)
            .ok()
            .and_then(|key| field.strip_prefix(key))
            .filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            .map(|rest| rest.strip_prefix('.').unwrap_or(rest));
        if let Some(rest) = rest
            && found.is_none_or(|(_, other)| rest.len() < other.len())
        {
            found = Some((value, rest));
        }
        at = blank(bytes, blank(bytes, behind_value(bytes, value)) + 1);
    }
    found
}

/// The value at the index that a field's path begins with, and what is left of the path.
fn of_index<'a>(bytes: &[u8], from: usize, field: &'a str) -> Option<(usize, &'a str)> {
    let (index, rest) = field.strip_prefix('[')?.split_once(']')?;
    let index: usize = index.parse().ok()?;
    let mut at = blank(bytes, from);
    for _ in 0..index {
        at = blank(bytes, blank(bytes, behind_value(bytes, at)) + 1);
    }
    let is_there = bytes.get(at).is_some_and(|byte| *byte != b']');
    is_there.then(|| (at, rest.strip_prefix('.').unwrap_or(rest)))
}

fn blank(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// Just behind the value that begins here.
fn behind_value(bytes: &[u8], from: usize) -> usize {
    let (mut at, mut depth, mut is_text) = (from, 0_usize, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if is_text => at += 1,
            b'"' => {
                is_text = !is_text;
                if !is_text && depth == 0 {
                    return at + 1;
                }
            }
            _ if is_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return if depth == 1 { at + 1 } else { at },
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            byte if depth == 0 && byte.is_ascii_whitespace() => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_field_is_found_by_its_path() {
        let text = "{\n  \"a\": {\"x\": [1, {\"n\": \"}\\\"]\"}, [2, 3]]},\n  \"a.b\": { \"c\" : true }\n}";
        for (field, expected) in [
            ("a", (2, 8)),
            ("a.x[0]", (2, 15)),
            ("a.x[1].n", (2, 24)),
            ("a.x[2][1]", (2, 37)),
            ("a.b.c", (3, 18)),
            ("a.x[9]", (2, 14)),
            ("nothing", (1, 1)),
        ] {
            assert_eq!(place(text, field), expected, "{field}");
        }
    }

    proptest! {
        #[test]
        fn any_text_and_path_are_survived(text in "[\\[\\]{}\",:\\\\ a1\n]{0,40}", field in "[a1.\\[\\]]{0,12}") {
            let _ = place(&text, &field);
        }
    }
}
