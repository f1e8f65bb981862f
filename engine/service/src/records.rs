//! The records of the service. On the wire, members have the names of `contract/SERVICE.md`. The tags are those of `contract/service.proto`, so that
//! a record can be part of a protobuf message without a copy.

use callbench_own::octets;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes: base64 in text formats, raw bytes in others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Octets(pub Vec<u8>);

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        octets::serialize(&self.0, to)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        octets::deserialize(from).map(Octets)
    }
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, prost::Message)]
pub struct Person {
    #[prost(int32, tag = "1")]
    #[serde(rename = "ID")]
    pub id: i32,
    #[prost(string, tag = "2")]
    #[serde(rename = "FirstName")]
    pub first_name: String,
    #[prost(string, tag = "3")]
    #[serde(rename = "LastName")]
    pub last_name: String,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct UserDetails {
    #[prost(string, tag = "1")]
    pub user_name: String,
    #[prost(string, tag = "2")]
    pub full_name: String,
    #[prost(string, tag = "3")]
    pub email: String,
    #[prost(int32, tag = "4")]
    pub age: i32,
    #[prost(bool, tag = "5")]
    pub active: bool,
    #[prost(int64, tag = "6")]
    pub created: i64,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
pub struct TestStructureBean {
    #[prost(int32, tag = "1")]
    pub id: i32,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(string, tag = "3")]
    pub description: String,
    #[prost(double, tag = "4")]
    pub amount: f64,
    #[prost(bool, tag = "5")]
    pub flag: bool,
    #[prost(int32, repeated, tag = "6")]
    pub related: Vec<i32>,
}

/// What `EchoStructure` sends and receives.
#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
pub struct Structure {
    #[prost(string, tag = "1")]
    pub text: String,
    #[prost(int32, repeated, tag = "2")]
    pub numbers: Vec<i32>,
    #[prost(message, repeated, tag = "3")]
    pub users: Vec<UserDetails>,
    #[prost(message, repeated, tag = "4")]
    pub beans: Vec<TestStructureBean>,
}

/// The answer of `FindItems`: the search result of the gateway study.
#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    #[prost(string, required, tag = "1")]
    pub ack: String,
    #[prost(string, required, tag = "2")]
    pub version: String,
    #[prost(string, required, tag = "3")]
    pub timestamp: String,
    #[prost(message, required, tag = "4")]
    pub search_result: SearchResult,
    #[prost(message, required, tag = "5")]
    pub pagination_output: Pagination,
    #[prost(string, required, tag = "6")]
    #[serde(rename = "itemSearchURL")]
    pub item_search_url: String,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
pub struct SearchResult {
    #[prost(message, repeated, tag = "1")]
    pub item: Vec<Item>,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    #[prost(int32, required, tag = "1")]
    pub page_number: i32,
    #[prost(int32, required, tag = "2")]
    pub entries_per_page: i32,
    #[prost(int32, required, tag = "3")]
    pub total_pages: i32,
    #[prost(int32, required, tag = "4")]
    pub total_entries: i32,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Category {
    #[prost(string, required, tag = "1")]
    pub category_id: String,
    #[prost(string, required, tag = "2")]
    pub category_name: String,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    #[prost(string, optional, tag = "1")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub condition_id: Option<String>,
    #[prost(string, optional, tag = "2")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub condition_display_name: Option<String>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct ShippingInfo {
    #[prost(float, optional, tag = "1")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shipping_service_cost: Option<f32>,
    #[prost(string, optional, tag = "2")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shipping_type: Option<String>,
    #[prost(string, optional, tag = "3")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ship_to_locations: Option<String>,
    #[prost(bool, optional, tag = "4")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expedited_shipping: Option<bool>,
    #[prost(bool, optional, tag = "5")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub one_day_shipping_available: Option<bool>,
    #[prost(string, optional, tag = "6")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub handling_time: Option<String>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct SellingStatus {
    #[prost(float, required, tag = "1")]
    pub current_price: f32,
    #[prost(float, required, tag = "2")]
    pub converted_current_price: f32,
    #[prost(int32, optional, tag = "3")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bid_count: Option<i32>,
    #[prost(string, required, tag = "4")]
    pub selling_state: String,
    #[prost(string, required, tag = "5")]
    pub time_left: String,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct ListingInfo {
    #[prost(bool, optional, tag = "1")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub best_offer_enabled: Option<bool>,
    #[prost(bool, optional, tag = "2")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub buy_it_now_available: Option<bool>,
    #[prost(float, optional, tag = "3")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub buy_it_now_price: Option<f32>,
    #[prost(float, optional, tag = "4")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub converted_buy_it_now_price: Option<f32>,
    #[prost(string, optional, tag = "5")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub start_time: Option<String>,
    #[prost(string, optional, tag = "6")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_time: Option<String>,
    #[prost(string, optional, tag = "7")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub listing_type: Option<String>,
    #[prost(bool, optional, tag = "8")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gift: Option<bool>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, prost::Message)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    #[prost(string, required, tag = "1")]
    pub item_id: String,
    #[prost(string, required, tag = "2")]
    pub title: String,
    #[prost(string, required, tag = "3")]
    pub global_id: String,
    #[prost(string, optional, tag = "4")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subtitle: Option<String>,
    #[prost(message, required, tag = "5")]
    pub primary_category: Category,
    #[prost(string, optional, tag = "6")]
    #[serde(rename = "galleryURL", skip_serializing_if = "Option::is_none", default)]
    pub gallery_url: Option<String>,
    #[prost(string, optional, tag = "7")]
    #[serde(rename = "viewItemURL", skip_serializing_if = "Option::is_none", default)]
    pub view_item_url: Option<String>,
    #[prost(string, optional, tag = "8")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub product_id: Option<String>,
    #[prost(string, required, tag = "9")]
    pub payment_method: String,
    #[prost(bool, optional, tag = "10")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub auto_pay: Option<bool>,
    #[prost(string, optional, tag = "11")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub postal_code: Option<String>,
    #[prost(string, required, tag = "12")]
    pub location: String,
    #[prost(string, required, tag = "13")]
    pub country: String,
    #[prost(message, required, tag = "14")]
    pub shipping_info: ShippingInfo,
    #[prost(message, required, tag = "15")]
    pub selling_status: SellingStatus,
    #[prost(message, required, tag = "16")]
    pub listing_info: ListingInfo,
    #[prost(bool, required, tag = "17")]
    pub returns_accepted: bool,
    #[prost(message, required, tag = "18")]
    pub condition: Condition,
    #[prost(bool, optional, tag = "19")]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub is_multi_variation_listing: Option<bool>,
}
