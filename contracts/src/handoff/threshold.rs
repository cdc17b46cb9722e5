//! At which part of a window does compression begin: a fraction that is computed with as a whole number.

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

/// A threshold is counted in thousandths.
const WHOLE: u32 = 1_000;

/// A fraction above 0 and up to 1, of at most three decimals. Whole thousandths give the same limit on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threshold(u32);

impl Threshold {
    /// A fraction of `per_mille` thousandths; `None` outside 1 to 1,000.
    #[must_use]
    pub const fn new(per_mille: u32) -> Option<Self> {
        if per_mille == 0 || per_mille > WHOLE {
            return None;
        }
        Some(Self(per_mille))
    }

    /// This part of `whole`, rounded down.
    #[must_use]
    pub fn of(self, whole: u64) -> u64 {
        // Below `u64::MAX`, since the fraction is at most one.
        (u128::from(whole) * u128::from(self.0) / u128::from(WHOLE)) as u64
    }
}

impl Serialize for Threshold {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(f64::from(self.0) / f64::from(WHOLE))
    }
}

impl<'de> Deserialize<'de> for Threshold {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        /// Beyond this a decimal has more places than its nearest thousandth, not merely a binary spelling.
        const TOLERANCE: f64 = 1e-9;
        let thousandths = f64::deserialize(from)? * f64::from(WHOLE);
        let is_exact = (thousandths - thousandths.round()).abs() <= TOLERANCE;
        let whole = (0.0..=f64::from(WHOLE)).contains(&thousandths) && is_exact;
        // Between 0 and 1,000, as was just checked.
        let read = whole.then(|| Self::new(thousandths.round() as u32));
        read.flatten().ok_or_else(|| {
            D::Error::custom("a threshold is a number above 0 and up to 1, with at most three decimals, such as 0.6")
        })
    }
}

impl JsonSchema for Threshold {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Threshold".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "number",
            "description": "A fraction above 0 and up to 1, of at most three decimals.",
            "exclusiveMinimum": 0,
            "maximum": 1,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_read_computed_with_and_written() {
        for (text, whole, part) in [
            ("0.6", 128_000, 76_800),
            ("1", 7, 7),
            ("0.001", 999, 0),
            ("0.333", 10, 3),
        ] {
            let read: Threshold = serde_json::from_str(text).unwrap();
            assert_eq!(read.of(whole), part, "{text}");
            let again: Threshold =
                serde_json::from_str(&serde_json::to_string(&read).unwrap()).unwrap();
            assert_eq!(read, again);
        }
        assert_eq!(serde_json::to_string(&Threshold(600)).unwrap(), "0.6");
        for bad in ["0", "-0.1", "1.001", "0.6001", "1e300", "\"0.6\"", "null"] {
            assert!(serde_json::from_str::<Threshold>(bad).is_err(), "{bad}");
        }
        assert_eq!(Threshold(1_000).of(u64::MAX), u64::MAX);
    }
}
