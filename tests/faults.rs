//! Faults of the machine over everything that writes: each run ends with what was there or with what was asked for, says
//! so, and the next one without the fault works. The table is docs/reliability.md.

mod clock;
mod handles;
mod homes;
mod kill;
mod locks;
mod preload;
mod slow;
mod space;
mod writer;
