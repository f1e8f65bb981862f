//! Delays and work that a service is asked to add, to test Callbench with known values.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

/// How long each call waits and works, and how often the whole service stalls.
#[derive(Debug)]
pub(super) struct Delays {
    each: Duration,
    burn: Duration,
    stall: Option<Stall>,
}

/// The service stalls for `length` at the end of every `every`, counted from `since`.
#[derive(Debug)]
struct Stall {
    since: Instant,
    every: Duration,
    length: Duration,
}

impl Default for Delays {
    fn default() -> Self {
        Delays { each: Duration::ZERO, burn: Duration::ZERO, stall: None }
    }
}

impl Delays {
    /// Reads `delay_us`, `stall_us`, `stall_every_us` and `burn_us`, in microseconds.
    pub(super) fn of(options: &Map<String, Value>) -> Result<Self, String> {
        let each = microseconds(options, "delay_us")?.unwrap_or_default();
        let burn = parse_burn(options)?;
        let stall = match (microseconds(options, "stall_us")?, microseconds(options, "stall_every_us")?) {
            (None, None) => None,
            (Some(length), Some(every)) if length < every => Some(Stall { since: Instant::now(), every, length }),
            (Some(_), Some(_)) => return Err("stall_us must be less than stall_every_us".to_owned()),
            _ => return Err("stall_us and stall_every_us must be given together".to_owned()),
        };
        Ok(Delays { each, burn, stall })
    }

    pub(super) fn wait(&self) {
        if !self.each.is_zero() {
            std::thread::sleep(self.each);
        }
        if let Some(stall) = &self.stall {
            let remaining = stall.remaining(stall.since.elapsed());
            if !remaining.is_zero() {
                std::thread::sleep(remaining);
            }
        }
        if !self.burn.is_zero() {
            burn(self.burn);
        }
    }
}

impl Stall {
    /// How long a call that arrives `elapsed` after the start must still wait. Every call during a stall waits for its end, as with a server that
    /// really stalls.
    fn remaining(&self, elapsed: Duration) -> Duration {
        let into = Duration::from_nanos((elapsed.as_nanos() % self.every.as_nanos()) as u64);
        let remaining = self.every.saturating_sub(into);
        if remaining <= self.length { remaining } else { Duration::ZERO }
    }
}

/// Keeps the processor busy, as a slower service does.
fn burn(length: Duration) {
    let began = Instant::now();
    while began.elapsed() < length {
        std::hint::spin_loop();
    }
}

/// Parses `burn_us`. Fractions are allowed, because a share of a call of a microsecond is a few nanoseconds.
fn parse_burn(options: &Map<String, Value>) -> Result<Duration, String> {
    match options.get("burn_us") {
        None | Some(Value::Null) => Ok(Duration::ZERO),
        Some(value) => match value.as_f64() {
            Some(number) if (0.0..=1e6).contains(&number) => Ok(Duration::from_nanos((number * 1e3).round() as u64)),
            _ => Err(format!("burn_us is {value}: it must be a number of microseconds from 0 to 1000000")),
        },
    }
}

fn microseconds(options: &Map<String, Value>, name: &str) -> Result<Option<Duration>, String> {
    match options.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64() {
            Some(number) if number <= 3_600_000_000 => Ok(Some(Duration::from_micros(number))),
            _ => Err(format!("{name} is {value}: it must be a whole number of microseconds from 0 to 3600000000")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(options: &Value) -> Result<Delays, String> {
        Delays::of(options.as_object().expect("an object"))
    }

    #[test]
    fn a_stall_ends_each_period() {
        let delays = of(&json!({"stall_us": 10, "stall_every_us": 100})).expect("good options");
        let stall = delays.stall.expect("a stall");
        let remaining = [0, 89, 90, 95, 99, 100, 190].map(|us| stall.remaining(Duration::from_micros(us)).as_micros());
        assert_eq!(remaining, [0, 0, 10, 5, 1, 0, 10]);
    }

    #[test]
    fn a_burn_takes_its_time_and_may_be_a_fraction() {
        assert_eq!(of(&json!({"burn_us": 0.25})).expect("good options").burn, Duration::from_nanos(250));
        let began = Instant::now();
        of(&json!({"burn_us": 500})).expect("good options").wait();
        assert!(began.elapsed() >= Duration::from_micros(500));
    }

    #[test]
    fn bad_options_are_named() {
        for (options, named) in [
            (json!({"delay_us": -1}), "delay_us"),
            (json!({"delay_us": "1"}), "delay_us"),
            (json!({"burn_us": -0.5}), "burn_us"),
            (json!({"burn_us": "1"}), "burn_us"),
            (json!({"stall_us": 1}), "stall_every_us"),
            (json!({"stall_us": 5, "stall_every_us": 5}), "less than"),
        ] {
            let message = of(&options).expect_err("bad options");
            assert!(message.contains(named), "{message}");
        }
    }
}
