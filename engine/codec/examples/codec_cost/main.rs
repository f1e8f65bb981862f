//! Measures the cost of our layers: each message compared with the simplest use of its own library on the same data, in one run, in random order.
//!
//! `cargo run --release --example codec_cost [MESSAGE ...]` prints the median of the ratios ours / plain for every message and case, with its 95 %
//! interval from order statistics. It fails if a median is above the limit.

mod plain;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use callbench_codec::{Message, Reply, all};
use callbench_service::generate::{SplitMix64, binary, persons};
use callbench_service::{Answer, Call, Fault, Fill, Octets};

/// What a median may be at most.
const LIMIT: f64 = 1.3;
const PAIRS: usize = 101;
/// How long one side of a pair is measured: long beside the clock's reading, short beside the machine's moods.
const BATCH: Duration = Duration::from_millis(1);
/// The 95 % interval of a median of n values lies about 0.98 * sqrt(n) ranks around the middle.
const RANKS: f64 = 0.98;

type Work<'a> = Box<dyn FnMut() + 'a>;

/// A call, its answer, and which of the two is encoded.
struct Case {
    name: &'static str,
    call: Call,
    answer: Result<Answer, Fault>,
    is_request: bool,
}

fn cases() -> [Case; 3] {
    let octets = Octets(binary(32 << 10, Fill::Random));
    [
        Case { name: "GetPersons(250)", call: Call::GetPersons { n: 250 }, answer: Ok(Answer::Persons(persons(250))), is_request: false },
        Case {
            name: "32 KiB binary",
            call: Call::GetBinaryData { size: 32 << 10, fill: "random".to_owned() },
            answer: Ok(Answer::Octets(octets)),
            is_request: false,
        },
        Case { name: "Sum", call: Call::Sum { a: 2, b: 3 }, answer: Ok(Answer::Number(5)), is_request: true },
    ]
}

fn encoded(message: &dyn Message, case: &Case) -> Vec<u8> {
    let mut request = Vec::new();
    message.encode_request(&case.call, &mut request).expect("it can be carried");
    if case.is_request {
        return request;
    }
    let (reply, _) = message.decode_request(&request);
    let mut out = Vec::new();
    message.encode_answer(&reply, &case.answer, &mut out);
    out
}

fn our_encode<'a>(message: &'a dyn Message, case: &'a Case, reply: &'a Reply) -> Work<'a> {
    if case.is_request {
        return Box::new(|| {
            let mut out = Vec::new();
            message.encode_request(black_box(&case.call), &mut out).expect("it can be carried");
            black_box(out);
        });
    }
    Box::new(|| {
        let mut out = Vec::new();
        message.encode_answer(reply, black_box(&case.answer), &mut out);
        black_box(out);
    })
}

/// The value is used in place, here and in `plain`: passing it to `black_box` would copy it, which no caller does.
fn our_decode<'a>(message: &'a dyn Message, case: &'a Case, bytes: &'a [u8]) -> Work<'a> {
    if case.is_request {
        return Box::new(|| {
            black_box(&message.decode_request(black_box(bytes)));
        });
    }
    Box::new(|| {
        black_box(&message.decode_answer(&case.call, black_box(bytes)));
    })
}

/// How often `work` runs within a batch.
fn times(work: &mut Work) -> u32 {
    let mut count = 1_u32;
    loop {
        let start = Instant::now();
        (0..count).for_each(|_| work());
        if start.elapsed() >= BATCH {
            return count;
        }
        count *= 2;
    }
}

fn seconds(work: &mut Work, count: u32) -> f64 {
    let start = Instant::now();
    (0..count).for_each(|_| work());
    start.elapsed().as_secs_f64() / f64::from(count)
}

/// The ratios of the pairs, and our median time in nanoseconds.
fn compare(mut ours: Work, mut plain: Work, order: &mut SplitMix64) -> ([f64; 3], f64) {
    let (our_count, plain_count) = (times(&mut ours), times(&mut plain));
    let (mut ratios, mut ours_alone) = (Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        let (our, plain) = if order.draw(2) == 0 {
            let our = seconds(&mut ours, our_count);
            (our, seconds(&mut plain, plain_count))
        } else {
            let plain = seconds(&mut plain, plain_count);
            (seconds(&mut ours, our_count), plain)
        };
        ratios.push(our / plain);
        ours_alone.push(our * 1e9);
    }
    ratios.sort_by(f64::total_cmp);
    ours_alone.sort_by(f64::total_cmp);
    let (middle, around) = (PAIRS / 2, (RANKS * (PAIRS as f64).sqrt()).ceil() as usize);
    ([ratios[middle - around], ratios[middle], ratios[middle + around]], ours_alone[middle])
}

fn main() -> ExitCode {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
    let mut order = SplitMix64::new(seed);
    let mut within = true;
    println!("{:10} {:16} {:7} {:>7}  {:15} {:>12}", "message", "case", "", "ratio", "95 %", "ours, ns");
    for message in all().iter().filter(|it| chosen.is_empty() || chosen.iter().any(|name| name == it.name())) {
        for case in &cases() {
            let bytes = encoded(&**message, case);
            let mut request = Vec::new();
            message.encode_request(&case.call, &mut request).expect("it can be carried");
            let (reply, _) = message.decode_request(&request);
            let plain = plain::of(message.name(), &case.call, &case.answer, case.is_request, &bytes);
            let sides = [
                ("encode", our_encode(&**message, case, &reply), plain.encode),
                ("decode", our_decode(&**message, case, &bytes), plain.decode),
            ];
            for (side, ours, plain) in sides {
                let ([low, ratio, high], nanoseconds) = compare(ours, plain, &mut order);
                let over = if ratio > LIMIT { "  over" } else { "" };
                within &= ratio <= LIMIT;
                println!("{:10} {:16} {side:7} {ratio:7.2}  {low:5.2} to {high:5.2}  {nanoseconds:12.0}{over}", message.name(), case.name);
            }
        }
    }
    if within { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
