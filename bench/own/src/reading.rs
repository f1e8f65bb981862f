//! The flat call of `calls.proto`.

use prost::Message;
use serde::{Deserialize, Serialize};

use crate::service::Service;

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(rename_all = "camelCase", default)]
pub struct Reading {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(string, tag = "2")]
    pub meter: String,
    #[prost(int64, tag = "3")]
    pub taken_ms: i64,
    #[prost(double, tag = "4")]
    pub value: f64,
    #[prost(double, tag = "5")]
    pub temperature: f64,
    #[prost(int32, tag = "6")]
    pub battery: i32,
    #[prost(bool, tag = "7")]
    pub estimated: bool,
    #[prost(string, tag = "8")]
    pub unit: String,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(rename_all = "camelCase", default)]
pub struct Receipt {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(int64, tag = "2")]
    pub stored_ms: i64,
    #[prost(bool, tag = "3")]
    pub accepted: bool,
    #[prost(double, tag = "4")]
    pub total: f64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Asked {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(message, optional, tag = "100")]
    pub report: Option<Reading>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Answered {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(message, optional, tag = "100")]
    pub report: Option<Receipt>,
}

pub struct Readings;

impl Service for Readings {
    const CALL: &'static str = "Report";
    const TAG: u32 = 100;
    type Request = Reading;
    type Answer = Receipt;
    type Asked = Asked;
    type Answered = Answered;

    fn id(request: &Reading) -> &str {
        &request.id
    }

    fn asked(envelope: Asked) -> Option<(u32, Reading)> {
        Some((envelope.id, envelope.report?))
    }

    fn answered(envelope: Answered) -> Option<Receipt> {
        envelope.report
    }

    fn is_right(found: &Receipt, right: &Receipt) -> bool {
        found.id == right.id && found.total.to_bits() == right.total.to_bits()
    }
}
