//! Which characters of a text does a reader not see?

/// Calls `found` with the offset and value of every hidden character, in order.
pub(super) fn each(text: &str, mut found: impl FnMut(usize, char)) {
    // What the next character stands on: the last visible character, unless something hidden came between.
    let mut base = Base::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let ascii = plain_ascii(rest);
        let mut taken = ascii.len();
        if let Some(last) = ascii.bytes().last() {
            base = Base::on(char::from(last));
        } else {
            taken = c.len_utf8();
            let behind = rest.get(taken..).unwrap_or_default();
            if !is_ignorable(c) {
                if c == BLACK_FLAG {
                    let tags = behind.chars().take(flag_tags(behind));
                    taken += tags.map(char::len_utf8).sum::<usize>();
                }
                base = Base::on(c);
            } else if base.carries(c) {
                base.selected = true;
            } else if !(is_joiner(c) && base.joins(c, behind.chars().next())) {
                found(at, c);
                base = Base::default();
            }
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
}

/// Offset of the first hidden character and the number of all of them; `None` if there is none.
#[must_use]
pub fn count_hidden(text: &str) -> Option<(usize, u32)> {
    let mut first = None;
    let mut count: u32 = 0;
    each(text, |at, _| {
        first.get_or_insert(at);
        count = count.saturating_add(1);
    });
    first.map(|at| (at, count))
}

/// Bytes that are looked at together: as many as a processor compares at once.
const TOGETHER: usize = 32;

/// What a text starts with that can neither be hidden nor hide anything: nearly all of most texts.
fn plain_ascii(text: &str) -> &str {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let blocks = text.as_bytes().chunks_exact(TOGETHER);
    // Without a branch for each byte, so that a block is one comparison.
    let whole =
        blocks.take_while(|block| block.iter().fold(true, |all, byte| all & is_plain(byte)));
    let from = whole.count() * TOGETHER;
    let rest = text.bytes().skip(from).take_while(is_plain).count();
    text.get(..from + rest).unwrap_or_default()
}

#[derive(Clone, Copy, Default)]
struct Base {
    char: Option<char>,
    /// Whether a variation selector stands on it already: a second one shows nothing and may carry a message.
    selected: bool,
}

impl Base {
    fn on(c: char) -> Self {
        Self {
            char: Some(c),
            selected: false,
        }
    }

    /// Whether `c` is a variation selector that this character can take.
    fn carries(self, c: char) -> bool {
        let Some(base) = self.char else { return false };
        !self.selected
            && match c {
                // Mongolian free variation selectors.
                '\u{180B}'..='\u{180D}' | '\u{180F}' => matches!(base, '\u{1820}'..='\u{18AA}'),
                // Text or emoji style; the ASCII ones are the bases of keycaps.
                '\u{FE00}'..='\u{FE0F}' => {
                    matches!(base, '0'..='9' | '#' | '*') || has_styles(base)
                }
                '\u{E0100}'..='\u{E01EF}' => is_ideograph(base),
                _ => false,
            }
    }

    /// Whether the joiner `c` between this character and `next` can change how they look.
    fn joins(self, c: char, next: Option<char>) -> bool {
        let (Some(base), Some(next)) = (self.char, next) else {
            return false;
        };
        (is_joining_letter(base) && is_joining_letter(next))
            || (c == ZWJ && is_pictograph(base) && is_pictograph(next))
    }
}

const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';

fn is_joiner(c: char) -> bool {
    matches!(c, ZWNJ | ZWJ)
}

/// Controls, separators of lines that are no newline, annotation marks, and Unicode's `Default_Ignorable_Code_Point`
/// (a closed list: new characters of that kind get code points that are reserved for them and listed here).
#[must_use]
pub fn is_ignorable(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c,
            '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

/// Base of the flags of parts of countries.
const BLACK_FLAG: char = '\u{1F3F4}';
/// A region such as `gbsct`: two letters of the country, up to three of its part, one to spare.
const FLAG_TAGS: std::ops::RangeInclusive<usize> = 3..=6;

/// Number of characters after a black flag that make it the flag of a region: tag letters and digits, then the
/// cancel tag; 0 if they do not.
fn flag_tags(rest: &str) -> usize {
    let is_tag = |c: &char| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}');
    let tags = rest
        .chars()
        .take(*FLAG_TAGS.end())
        .take_while(is_tag)
        .count();
    let is_cancelled = rest.chars().nth(tags) == Some('\u{E007F}');
    if FLAG_TAGS.contains(&tags) && is_cancelled {
        tags + 1
    } else {
        0
    }
}

/// Characters that emoji sequences are made of: whole blocks, so that new emoji need no new table.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{00A9}' | '\u{00AE}'          // copyright, registered
        | '\u{2190}'..='\u{21FF}'        // arrows
        | '\u{2300}'..='\u{23FF}'        // technical
        | '\u{2600}'..='\u{27BF}'        // symbols, dingbats
        | '\u{2B00}'..='\u{2BFF}'        // more arrows, squares
        | '\u{1F000}'..='\u{1FAFF}')
}

/// Letters and marks of scripts in which a joiner chooses the shape of its neighbours: whole blocks.
fn is_joining_letter(c: char) -> bool {
    !is_ignorable(c)
        && matches!(c,
            '\u{0600}'..='\u{08FF}'      // Arabic, Syriac, Thaana, NKo, Mandaic and their extensions
            | '\u{0900}'..='\u{0DFF}'    // Devanagari to Sinhala
            | '\u{0F00}'..='\u{109F}'    // Tibetan, Myanmar
            | '\u{1700}'..='\u{18AF}'    // Philippine scripts, Khmer, Mongolian
            | '\u{1900}'..='\u{1CFF}'    // Limbu to Vedic extensions
            | '\u{A800}'..='\u{ABFF}'    // Syloti Nagri to Meetei Mayek
            | '\u{FB50}'..='\u{FDFF}'    // Arabic presentation forms
            | '\u{FE70}'..='\u{FEFE}'
            | '\u{10A00}'..='\u{10EFF}'  // Kharoshthi to Arabic extensions
            | '\u{11000}'..='\u{11FFF}') // Brahmi and its descendants
}

/// Characters of which some have a text and an emoji style, or another standardised variant.
fn has_styles(c: char) -> bool {
    is_pictograph(c)
        || is_ideograph(c)
        || (matches!(c,
            '\u{1000}'..='\u{109F}'         // Myanmar
            | '\u{2010}'..='\u{2BFF}'       // punctuation, letterlike and mathematical symbols
            | '\u{3001}'..='\u{33FF}'       // punctuation and symbols of East Asia
            | '\u{A840}'..='\u{A87F}'       // Phags-pa
            | '\u{FF00}'..='\u{FF9F}'       // full width
            | '\u{10AC0}'..='\u{10AFF}')    // Manichaean
            && !c.is_whitespace())
}

/// Characters of which some have registered variants.
fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}
