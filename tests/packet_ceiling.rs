//! Does the whole packet fit its budget, at every budget?

use crate::harness::library::Memory;
use crate::harness::{Dir, fixture};
use vibey_context_contracts::packet::{PacketManifest, Status};

/// Every 97th budget: prime, so that no size of a block lines up with it.
const STEP: usize = 97;

fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(4)
}

#[test]
fn no_packet_exceeds_its_budget() {
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    let mut statuses = Vec::new();
    for request in fixture::requests() {
        let mut largest = 0;
        for budget in (1000..=32000).step_by(STEP) {
            let compiled = memory.compile(&request, budget);
            let size = estimate(compiled.packet.len());
            let manifest = &compiled.manifest;
            assert!(size <= budget, "{size} tokens at a budget of {budget}");
            assert_eq!(size, manifest.packet_token_estimate);
            assert_eq!(manifest.maximum_context_tokens, budget);
            assert_eq!(manifest.status == Status::Ok, !compiled.packet.is_empty());
            assert!(
                manifest.mandatory_token_estimate + manifest.retrieved_token_estimate
                    <= size
                    // Each section's own estimate is rounded up.
                    + manifest.included_chunks.len() as u64
            );
            statuses.push(manifest.status);
            largest = largest.max(size);
        }
        assert!(largest > 0, "no packet at all for {request}");
    }
    let fitting = statuses.iter().filter(|status| **status == Status::Ok);
    assert!(fitting.count() > statuses.len() * 9 / 10);
}

#[test]
fn what_fits_a_budget_fits_a_larger_one_and_nothing_that_fits_is_left_out() {
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    let request = fixture::migration();
    let omitted_for_budget = |manifest: &PacketManifest| {
        manifest
            .omitted_by_reason
            .get("budget")
            .copied()
            .unwrap_or_default()
    };
    let small = memory.compile(&request, 1000).manifest;
    let large = memory.compile(&request, 32000).manifest;
    assert!(
        omitted_for_budget(&small) > 0,
        "the corpus is too small for this test"
    );
    assert_eq!(
        omitted_for_budget(&large),
        0,
        "the whole corpus fits the largest budget"
    );
    assert!(small.included_chunks.len() < large.included_chunks.len());
}

#[test]
fn the_smallest_budget_is_used_well() {
    let dir = Dir::new();
    let memory = Memory::of(&fixture::write(&dir));
    let compiled = memory.compile(&fixture::migration(), 1000);
    // The corpus has short sections to fill the rest with, so a packet far below its budget left something out.
    assert!(
        compiled.manifest.packet_token_estimate > 600,
        "{} of 1000 tokens",
        compiled.manifest.packet_token_estimate
    );
}
