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

/// Where the lines of a text begin: for whoever asks for the numbers of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// Offsets behind each line break.
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self {
            starts: breaks.map(|(at, _)| at + 1).collect(),
        }
    }

    /// As [`line_of`].
    #[must_use]
    pub fn line_of(&self, offset: usize) -> u32 {
        let breaks = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(breaks).unwrap_or(u32::MAX).saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_a_line_number_agree() {
        for text in ["", "a", "\n", "a\nb", "\n\na\n", "a\n\nb\n"] {
            let lines = Lines::new(text);
            for offset in 0..=text.len() + 1 {
                let expected = line_of(text, offset);
                assert_eq!(lines.line_of(offset), expected, "{text:?} at {offset}");
            }
        }
        assert_eq!(line_of("a\nb\nc", 2), 2);
    }
}
