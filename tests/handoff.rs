//! A pipeline over its life: handed over, blocked, cut by story, compressed, drifted, damaged, killed, inferred and restarted.

mod budget;
mod chunking;
mod commands;
mod config;
mod contract;
mod crash;
mod dashboard;
mod drift;
mod example;
mod forging;
mod old;
mod permissions;
mod reconstruction;
mod run;
mod stage;
mod state;
mod validation;
