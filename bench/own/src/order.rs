//! The nested call of `calls.proto`.

use prost::Message;
use serde::{Deserialize, Serialize};

use crate::service::Service;

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(default)]
pub struct Order {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(message, optional, tag = "2")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer: Option<Customer>,
    #[prost(message, repeated, tag = "3")]
    pub lines: Vec<Line>,
    #[prost(string, repeated, tag = "4")]
    pub notes: Vec<String>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(default)]
pub struct Customer {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub email: String,
    #[prost(message, optional, tag = "3")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(rename_all = "camelCase", default)]
pub struct Address {
    #[prost(string, tag = "1")]
    pub street: String,
    #[prost(string, tag = "2")]
    pub city: String,
    #[prost(string, tag = "3")]
    pub post_code: String,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(default)]
pub struct Line {
    #[prost(string, tag = "1")]
    pub article: String,
    #[prost(int32, tag = "2")]
    pub count: i32,
    #[prost(double, tag = "3")]
    pub price: f64,
    #[prost(string, repeated, tag = "4")]
    pub options: Vec<String>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(default)]
pub struct Confirmation {
    #[prost(string, tag = "1")]
    pub id: String,
    #[prost(double, tag = "2")]
    pub total: f64,
    #[prost(message, repeated, tag = "3")]
    pub parcels: Vec<Parcel>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Message)]
#[serde(rename_all = "camelCase", default)]
pub struct Parcel {
    #[prost(string, tag = "1")]
    pub number: String,
    #[prost(int64, tag = "2")]
    pub leaves_ms: i64,
    #[prost(message, repeated, tag = "3")]
    pub lines: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Asked {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(message, optional, tag = "101")]
    pub place: Option<Order>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Answered {
    #[prost(uint32, tag = "1")]
    pub id: u32,
    #[prost(message, optional, tag = "101")]
    pub place: Option<Confirmation>,
}

pub struct Orders;

impl Service for Orders {
    const CALL: &'static str = "Place";
    const TAG: u32 = 101;
    type Request = Order;
    type Answer = Confirmation;
    type Asked = Asked;
    type Answered = Answered;

    fn id(request: &Order) -> &str {
        &request.id
    }

    fn asked(envelope: Asked) -> Option<(u32, Order)> {
        Some((envelope.id, envelope.place?))
    }

    fn answered(envelope: Answered) -> Option<Confirmation> {
        envelope.place
    }

    fn is_right(found: &Confirmation, right: &Confirmation) -> bool {
        found.id == right.id && found.parcels.len() == right.parcels.len() && found.parcels.last() == right.parcels.last()
    }
}
