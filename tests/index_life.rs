//! An index over its life: built, refreshed, damaged, repaired, moved, shared by many and killed in the middle.

mod crash;
mod damage;
mod edits;
mod forged;
mod lock;
mod moved;
mod places;
mod read_only;
mod refresh;
mod refused;
mod reproducible;
mod rig;
mod shards;
mod stampede;
