//! The runner's first line, and the `hello` that is derived from it.

use std::collections::BTreeMap;

use callbench_kit::contract::CONTRACT;
use callbench_kit::contract::answers::{Clock, Hello};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The version of the runner protocol.
const RUNNER: u64 = 1;
/// The features of runners that are also features of the contract.
const FEATURES: [&str; 7] = ["closed", "think", "ramp-up", "open", "burn", "heap", "trace"];
/// The host passes the answers to the runner, so it can alter them.
const ALTERED: &str = "altered";

/// The first line of a runner.
#[derive(Debug, Deserialize)]
pub struct Ready {
    language: String,
    version: String,
    runtime: String,
    #[serde(default)]
    libraries: BTreeMap<String, String>,
    clock: Clock,
    #[serde(default)]
    features: Vec<String>,
    stacks: Vec<String>,
    #[serde(default)]
    unavailable: BTreeMap<String, String>,
    /// The options of each stack.
    #[serde(default)]
    options: BTreeMap<String, Vec<String>>,
}

impl Ready {
    /// Parses the line. The error is part of a sentence.
    pub fn of(line: Map<String, Value>) -> Result<Self, String> {
        if line.get("is") != Some(&Value::from("ready")) {
            return Err(format!("said {} first; it must say ready", line.get("is").unwrap_or(&Value::Null)));
        }
        let spoken = line.get("runner").unwrap_or(&Value::Null);
        if spoken.as_u64() != Some(RUNNER) {
            return Err(format!("speaks version {spoken} of the runner protocol; this host speaks version {RUNNER}: rebuild it"));
        }
        Ready::deserialize(Value::Object(line)).map_err(|error| format!("said a ready that is not understood: {error}"))
    }

    /// The `hello` of the adapter `name`.
    pub fn hello(&self, name: &str) -> Hello {
        let full = |stack: &String| format!("{name}/{stack}");
        let mut features: Vec<String> = self.features.iter().filter(|its| FEATURES.contains(&its.as_str())).cloned().collect();
        if features.iter().any(|its| its == "closed") {
            features.push(ALTERED.to_owned());
        }
        Hello {
            contract: CONTRACT,
            adapter: name.to_owned(),
            language: self.language.clone(),
            version: self.version.clone(),
            runtime: self.runtime.clone(),
            libraries: self.libraries.clone(),
            clock: self.clock.clone(),
            features,
            stacks: self.stacks.iter().map(full).collect(),
            unavailable: self.unavailable.iter().map(|(stack, why)| (full(stack), why.clone())).collect(),
        }
    }

    pub fn has(&self, stack: &str) -> bool {
        self.stacks.iter().any(|its| its == stack)
    }

    pub fn can(&self, feature: &str) -> bool {
        self.features.iter().any(|its| its == feature)
    }

    /// Why a stack cannot run here.
    pub fn unavailable(&self, stack: &str) -> Option<&str> {
        self.unavailable.get(stack).map(String::as_str)
    }

    /// The options of a stack.
    pub fn options(&self, stack: &str) -> Vec<&str> {
        self.options.get(stack).into_iter().flatten().map(String::as_str).collect()
    }
}
