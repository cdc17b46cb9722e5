//! The conductor's side of the process boundary: one packet per implement job, and a ledger of what came back.

pub mod ledger;
