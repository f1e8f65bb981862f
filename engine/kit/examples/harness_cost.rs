//! Measures what the harness costs per call. It compares slices of two bare clock readings per call with slices of the load loop and a client that
//! does nothing. Both time every call, in one process, in pairs of random order. It prints the median ratio of the pairs. It also prints the time of
//! the check of longer answers, which the loop makes outside of the timed region.
//!
//! `cargo run --release -p callbench-kit --example harness_cost [PAIRS]`

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use callbench_kit::clock;
use callbench_kit::drive::{Pace, Plan, Timing, drive};
use callbench_kit::nothing::Idle;
use callbench_kit::stack::Client;
use callbench_service::generate::{self, SplitMix64};
use callbench_service::{Call, Expectation, Service};

/// A slice takes about 1 ms, so other programs disturb few slices even on a busy machine.
const CALLS: u64 = 20_000;

/// Nanoseconds per call of a loop that only reads the clock twice.
fn bare() -> f64 {
    let start = clock::now();
    let mut sum = 0;
    for _ in 0..CALLS {
        let started = clock::now();
        let ended = clock::now();
        sum += ended - started;
    }
    black_box(sum);
    (clock::now() - start) as f64 / CALLS as f64
}

/// Nanoseconds per call of the load loop: check, histogram, pool, progress and stop rule.
fn driven(clients: &mut [Box<dyn Client>]) -> f64 {
    let plan = Plan {
        call: Call::Empty,
        further: Vec::new(),
        calls: CALLS,
        length_ns: 0,
        limit_ns: 60_000_000_000,
        pace: Pace::Closed { think_ns: 0, timing: Timing::Each },
        start_at_ns: 0,
        burn_ns: 0,
        ramp_up_ns: 0,
        altered: false,
    };
    let outcome = drive(clients, &plan, &AtomicBool::new(false), &mut |_| true).expect("a thread");
    assert_eq!(outcome.calls, CALLS);
    outcome.elapsed_ns as f64 / CALLS as f64
}

/// Nanoseconds to check the answer to `call`. The minimum of many rounds is not affected by other programs.
fn check(call: &Call) -> f64 {
    const TURNS: u64 = 1000;
    let expected = Expectation::of(call);
    let Ok(answer) = Service::default().answer(call) else { return f64::NAN };
    let round = |_| {
        let start = clock::now();
        for turn in 0..TURNS {
            black_box(expected.holds(black_box(&answer), turn));
        }
        (clock::now() - start) as f64 / TURNS as f64
    };
    (0..200).map(round).fold(f64::INFINITY, f64::min)
}

/// Calls whose answers are checked.
fn checked() -> [Call; 6] {
    [
        Call::Sum { a: 1, b: 2 },
        Call::GetPersons { n: 250 },
        Call::GetBinaryData { size: 32_768, fill: "random".to_owned() },
        Call::EchoString("A".repeat(1000)),
        Call::EchoStructure(generate::structure(100).into()),
        Call::FindItems { n: 100 },
    ]
}

fn main() {
    let pairs: usize = std::env::args().nth(1).map_or(1001, |given| given.parse().expect("PAIRS is a number"));
    let mut clients: Vec<Box<dyn Client>> = vec![Box::new(Idle)];
    let mut coin = SplitMix64::new(clock::now());
    let mut both: Vec<(f64, f64)> = Vec::with_capacity(pairs);
    let _ = (bare(), driven(&mut clients));
    for _ in 0..pairs {
        both.push(if coin.draw(2) == 0 {
            let first = bare();
            (first, driven(&mut clients))
        } else {
            let first = driven(&mut clients);
            (bare(), first)
        });
    }
    let sorted = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = both.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let [ratios, bare, driven] = [sorted(&|it| it.1 / it.0), sorted(&|it| it.0), sorted(&|it| it.1)];
    // The order statistics that enclose the median with 95 %: the binomial's quantiles in the normal approximation.
    let half = 0.98 * (pairs as f64).sqrt();
    let rank = |at: f64| at.clamp(0.0, pairs as f64 - 1.0) as usize;
    let middle = pairs as f64 / 2.0;
    println!("pairs {pairs}, calls a slice {CALLS}");
    println!("two bare readings {:.1} ns, load loop {:.1} ns a call (medians)", bare[pairs / 2], driven[pairs / 2]);
    println!("ratio {:.3}, 95 % from {:.3} to {:.3}", ratios[pairs / 2], ratios[rank(middle - half)], ratios[rank((middle + half).ceil())]);
    let checks: Vec<String> = checked().iter().map(|call| format!("{} {:.1} ns", call.name(), check(call))).collect();
    println!("the check of an answer: {}", checks.join(", "));
}
