//! The ledger on both databases: one suite.
//!
//! The half on PostgreSQL needs a server, whose URL stands in `VIBEY_TEST_POSTGRES` (`.ci/postgres` starts one); without
//! it the suite says once that this half was skipped.

mod chain;
mod command;
mod moved;
pub(crate) mod place;
mod refusals;
mod rows;
mod tampered;
mod writers;

/// Makes a test for each database of each function, which takes a [`place::Place`].
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { crate::ledger::place::on_sqlite(super::$name); })+
        }
        mod postgres {
            $(#[test] fn $name() { crate::ledger::place::on_postgres(super::$name); })+
        }
    };
}
use on_both;
