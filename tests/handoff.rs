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
mod messages;
mod old;
mod permissions;
mod reconstruction;
mod rest;
mod reviews;
mod run;
mod stage;
mod standing;
mod state;
mod steps;
mod swapped;
mod validation;
