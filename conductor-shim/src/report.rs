//! The report: do packets help?
//!
//! | module | question it answers |
//! | --- | --- |
//! | [`gather`] | what do the rows of a ledger add up to |
//! | `tally` | what is counted of the rows that share a mode, a phase or a skill |
//! | [`spread`] | how are the values of a figure spread |
//! | [`interval`] | how sure is a rate, and a difference of two |
//! | [`table`], [`html`] | how is the report shown on a terminal, and in a browser |
//! | `sections` | which tables both of them have |
//! | `chart` | which bars and ranges are drawn |
//! | `words` | how numbers and decisions are written |
//!
//! Invariants:
//! - The same rows give the same report, byte for byte, whatever clock and machine.
//! - Memory grows with the attempts of the largest project, not with the rows of the ledger.
//! - Names from the ledger are text wherever they are shown.

mod chart;
pub mod gather;
pub mod html;
pub mod interval;
mod sections;
pub mod spread;
pub mod table;
mod tally;
pub(crate) mod words;
