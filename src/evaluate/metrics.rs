//! What do the results of many cases amount to?

use super::measure::Measured;
use vibey_context_contracts::evaluation::{Latency, Measures, PacketTokens};
use vibey_context_contracts::packet::Status;

/// `1 / log2(rank + 1)` for the ranks 1 to 10, the discounts of nDCG (Järvelin and Kekäläinen 2002, with base 2 from rank 1
/// on, as has become usual). Written out since logarithms of platforms differ in the last bit.
const DISCOUNTS: [f64; 10] = [
    1.0,
    0.630_929_753_571_457_5,
    0.5,
    0.430_676_558_073_393_06,
    0.386_852_807_234_541_63,
    0.356_207_187_108_022_2,
    0.333_333_333_333_333_3,
    0.315_464_876_785_728_77,
    std::f64::consts::LOG10_2,
    0.289_064_826_317_887_9,
];

/// The measures over some cases.
pub(super) fn measures<'a>(cases: impl Iterator<Item = &'a Measured>) -> Measures {
    let cases: Vec<&Measured> = cases.collect();
    let (negatives, positives): (Vec<&Measured>, Vec<&Measured>) =
        cases.iter().partition(|case| case.result.negative);
    let count = |of: &[&Measured], status: Status| {
        of.iter()
            .filter(|case| case.result.status == status)
            .count() as u64
    };
    let any = |k: usize| mean(&positives, |case| within(case, k).min(1.0));
    let recall = |k: usize| mean(&positives, |case| within(case, k) / case.expected as f64);
    let named: u64 = cases.iter().map(|case| case.result.mandatory_named).sum();
    let included = cases.iter().map(|case| case.result.mandatory_included);
    let mut tokens: Vec<u64> = cases
        .iter()
        .filter(|case| case.result.status == Status::Ok)
        .map(|case| case.result.packet_token_estimate)
        .collect();
    let mut latencies: Vec<u64> = cases.iter().map(|case| case.latency).collect();
    tokens.sort_unstable();
    latencies.sort_unstable();
    Measures {
        positives: positives.len() as u64,
        negatives: negatives.len() as u64,
        hit_at_1: any(1),
        any_at_3: any(3),
        any_at_5: any(5),
        any_at_10: any(10),
        recall_at_3: recall(3),
        recall_at_5: recall(5),
        recall_at_10: recall(10),
        mrr: mean(&positives, |case| {
            case.ranks.first().map_or(0.0, |&rank| 1.0 / rank as f64)
        }),
        ndcg_at_10: mean(&positives, ndcg),
        mandatory_recall: ratio(included.sum::<u64>() as f64, named as usize),
        negatives_ok: count(&negatives, Status::Ok),
        positives_low_confidence: count(&positives, Status::LowConfidence),
        packet_tokens: ratio(tokens.iter().sum::<u64>() as f64, tokens.len()).map(|mean| {
            PacketTokens {
                mean,
                p50: percentile(&tokens, 50),
                p95: percentile(&tokens, 95),
            }
        }),
        latency_us: (!latencies.is_empty()).then(|| Latency {
            p50: percentile(&latencies, 50),
            p95: percentile(&latencies, 95),
        }),
    }
}

/// Number of expected skills among the first `k`.
fn within(case: &Measured, k: usize) -> f64 {
    case.ranks.iter().filter(|&&rank| rank <= k).count() as f64
}

/// Normalised discounted cumulative gain of the first ten, gain 1 for an expected skill and 0 for every other.
fn ndcg(case: &Measured) -> f64 {
    let discount = |rank: &usize| DISCOUNTS.get(rank - 1).copied().unwrap_or(0.0);
    let gained: f64 = case.ranks.iter().map(discount).sum();
    let best: f64 = DISCOUNTS.iter().take(case.expected).sum();
    gained / best
}

fn mean(cases: &[&Measured], of: impl Fn(&Measured) -> f64) -> Option<f64> {
    ratio(cases.iter().map(|case| of(case)).sum(), cases.len())
}

/// `sum / count`, rounded to four decimals; none of nothing.
fn ratio(sum: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| (sum / count as f64 * 10_000.0).round() / 10_000.0)
}

/// The smallest value that `percent` of the values do not exceed; `sorted` holds at least one.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests;
