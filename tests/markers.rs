//! Markers kept by a manifest: refused, written, checked, restored after a generator, and honoured by readers.

mod apply;
mod apply_faults;
mod check;
mod crash;
mod example;
mod explain;
mod generate;
mod generate_hostile;
mod generate_leftovers;
mod generate_limits;
mod guidance;
mod index;
mod lock;
mod orphans;
mod project;
mod refused_calls;
mod refused_links;
mod refused_manifest;
mod refused_paths;
mod refused_sources;
mod report;
mod secrecy;
mod signals;
mod swapped;
mod tree;
