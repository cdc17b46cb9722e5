//! Are the measures those of their definitions?
#![allow(clippy::unwrap_used)]

use super::*;
use vibey_context_contracts::evaluation::CaseResult;

/// A case with `expected` expected skills at these ranks.
fn case(expected: usize, ranks: &[usize], status: Status) -> Measured {
    Measured {
        result: CaseResult {
            id: String::new(),
            form: None,
            negative: expected == 0,
            expected: Vec::new(),
            also_relevant: Vec::new(),
            rank: ranks.first().map(|&rank| rank as u32),
            top: Vec::new(),
            status,
            confidence: None,
            selected: Vec::new(),
            packet_token_estimate: 0,
            mandatory_named: 0,
            mandatory_included: 0,
            mandatory_missing: Vec::new(),
        },
        expected,
        ranks: ranks.to_vec(),
        latency: 0,
        warnings: Vec::new(),
    }
}

#[test]
fn discounts_are_logarithms() {
    for (at, discount) in DISCOUNTS.iter().enumerate() {
        let expected = 1.0 / ((at + 2) as f64).log2();
        assert!((discount - expected).abs() < 1e-15, "{at}: {discount}");
    }
}

#[test]
fn rates_are_those_counted_by_hand() {
    let cases = [
        case(1, &[1], Status::Ok),
        case(2, &[2, 7], Status::LowConfidence),
        case(1, &[12], Status::Ok),
        case(3, &[], Status::LowConfidence),
    ];
    let of = measures(cases.iter());
    assert_eq!((of.positives, of.negatives), (4, 0));
    assert_eq!(of.hit_at_1, Some(0.25));
    assert_eq!([of.any_at_3, of.any_at_5, of.any_at_10], [Some(0.5); 3]);
    assert_eq!([of.recall_at_3, of.recall_at_5], [Some(0.375); 2]);
    assert_eq!(of.recall_at_10, Some(0.5));
    // (1 + 1/2 + 1/12 + 0) / 4
    assert_eq!(of.mrr, Some(0.3958));
    // Second case: (1/log2 3 + 1/log2 8) / (1 + 1/log2 3).
    let second = (0.630_93 + 0.333_33) / 1.630_93;
    assert!((of.ndcg_at_10.unwrap() - (1.0 + second) / 4.0).abs() < 1e-4);
    assert_eq!(of.positives_low_confidence, 2);
}

#[test]
fn the_boundary_itself_counts() {
    for (rank, expected) in [
        (1, [1.0, 1.0, 1.0, 1.0]),
        (3, [0.0, 1.0, 1.0, 1.0]),
        (5, [0.0, 0.0, 1.0, 1.0]),
        (10, [0.0, 0.0, 0.0, 1.0]),
        (11, [0.0; 4]),
    ] {
        let of = measures([case(1, &[rank], Status::Ok)].iter());
        let any = [of.hit_at_1, of.any_at_3, of.any_at_5, of.any_at_10];
        assert_eq!(any.map(Option::unwrap), expected, "{rank}");
    }
}

#[test]
fn more_expected_skills_than_ten_can_still_be_ideal() {
    let ranks: Vec<usize> = (1..=12).collect();
    let of = measures([case(12, &ranks, Status::Ok)].iter());
    assert_eq!(of.ndcg_at_10, Some(1.0));
    assert_eq!(of.recall_at_10, Some(0.8333));
}

#[test]
fn without_positives_there_are_no_rates() {
    let cases = [
        case(0, &[], Status::Ok),
        case(0, &[], Status::LowConfidence),
        case(0, &[], Status::BudgetInsufficient),
    ];
    let of = measures(cases.iter());
    assert_eq!((of.positives, of.negatives, of.negatives_ok), (0, 3, 1));
    assert_eq!((of.hit_at_1, of.recall_at_5, of.mrr), (None, None, None));
    assert_eq!((of.ndcg_at_10, of.mandatory_recall), (None, None));
    assert!(of.packet_tokens.is_some());
    let none = measures([].iter());
    assert!(none.packet_tokens.is_none() && none.latency_us.is_none());
}

#[test]
fn negatives_stay_out_of_the_rates() {
    let positive = case(1, &[1], Status::Ok);
    let with = measures([&positive, &case(0, &[], Status::Ok)].into_iter());
    assert_eq!(with.hit_at_1, Some(1.0));
    assert_eq!(with.mrr, Some(1.0));
}

#[test]
fn sections_are_counted_over_all_cases() {
    let mut cases = [case(1, &[1], Status::Ok), case(1, &[1], Status::Ok)];
    cases[0].result.mandatory_named = 3;
    cases[0].result.mandatory_included = 1;
    cases[1].result.mandatory_named = 1;
    assert_eq!(measures(cases.iter()).mandatory_recall, Some(0.25));
}

#[test]
fn tokens_are_those_of_packets_and_latencies_those_of_all() {
    let mut cases: Vec<Measured> = (1..=20).map(|_| case(1, &[1], Status::Ok)).collect();
    for (at, case) in cases.iter_mut().enumerate() {
        case.result.packet_token_estimate = 100 * (20 - at as u64);
        case.latency = at as u64;
    }
    cases[0].result.status = Status::LowConfidence;
    let of = measures(cases.iter());
    let tokens = of.packet_tokens.unwrap();
    assert_eq!((tokens.mean, tokens.p50, tokens.p95), (1000.0, 1000, 1900));
    let latency = of.latency_us.unwrap();
    assert_eq!((latency.p50, latency.p95), (9, 18));
}

#[test]
fn percentiles_are_nearest_ranks() {
    let five = [15, 20, 35, 40, 50];
    let of = [5, 30, 40, 50, 100].map(|percent| percentile(&five, percent));
    assert_eq!(of, [15, 20, 20, 35, 50]);
    assert_eq!(percentile(&[7], 95), 7);
}
