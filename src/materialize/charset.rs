//! Which text do the bytes of a web page spell?

use encoding_rs::{Encoding, UTF_8};

/// Bytes in which a page declares its encoding: the bound that the HTML standard sets for the declaration.
const DECLARATION_BYTES: usize = 1024;

/// The text, and whether bytes had to be replaced because the declared encoding does not fit them.
///
/// A byte order mark decides, then what the server declares, then what the page declares. Where a declaration does not
/// fit the bytes and they are UTF-8, they are read as that.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>, html: bool) -> (String, bool) {
    let in_page = || html.then(|| declaration(bytes)).flatten();
    let label = declared.map(str::to_owned).or_else(in_page);
    let encoding = label.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let (text, _, malformed) = encoding.unwrap_or(UTF_8).decode(bytes);
    if !malformed {
        return (text.into_owned(), false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (text.into_owned(), true),
    }
}

/// What stands behind `charset=` at the start of a page.
fn declaration(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..DECLARATION_BYTES).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let (_, behind) = head.split_once("charset=")?;
    let value = behind.trim_start_matches(['"', '\'', ' ']);
    let end = value.find(['"', '\'', ' ', '>', '/', ';']);
    value.get(..end.unwrap_or(value.len())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_count_where_they_fit() {
        let latin = b"caf\xe9";
        for (bytes, declared, html, text, replaced) in [
            (&b"caf\xc3\xa9"[..], None, false, "café", false),
            (latin, Some("ISO-8859-1"), false, "café", false),
            (latin, Some("utf-8"), false, "caf\u{fffd}", true),
            (latin, Some("no-such"), false, "caf\u{fffd}", true),
            (b"caf\xc3\xa9", Some("shift_jis "), false, "cafﾃｩ", false),
            (b"\xef\xbb\xbfx", Some("latin1"), false, "x", false),
            (b"x\x00y\x00", Some("utf-16le"), false, "xy", false),
            (
                b"<meta charset=\"latin1\">\xe9",
                None,
                true,
                "<meta charset=\"latin1\">é",
                false,
            ),
        ] {
            let got = decode(bytes, declared, html);
            assert_eq!(got, (text.to_owned(), replaced), "{declared:?}");
        }
    }
}
