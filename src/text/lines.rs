//! Which text do bytes of a file hold, whatever editor wrote them?

use std::borrow::Cow;

/// The text with one leading byte order mark removed and every line end made LF.
#[must_use]
pub fn normalise(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Number of the line that holds the byte at `offset`, from 1.
#[must_use]
pub fn line_of(text: &str, offset: usize) -> u32 {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let breaks = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
}
