// Written by Callbench for the service "Everything": changes are lost.

use crate::service;

#[allow(dead_code, non_camel_case_types, non_snake_case, clippy::all, clippy::pedantic)]
mod types {
    crate::generated::enumeration! { Color "Color" { "none" = 0, "deep red" = 5, "GREEN" = -1 } }

    #[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]
    #[serde(rename = "Everything", default)]
    #[prost(prost_path = "crate::generated::wire")]
    pub struct Everything {
        #[prost(bool, tag = "1")]
        #[serde(rename = "truth")]
        pub truth: bool,
        #[prost(int32, tag = "2")]
        #[serde(rename = "small")]
        pub small: i32,
        #[prost(int64, tag = "3")]
        #[serde(rename = "large")]
        pub large: i64,
        #[prost(uint32, tag = "4")]
        #[serde(rename = "natural")]
        pub natural: u32,
        #[prost(uint64, tag = "5")]
        #[serde(rename = "huge")]
        pub huge: u64,
        #[prost(group, required, tag = "6")]
        #[serde(rename = "single")]
        pub single: f32,
        #[prost(group, required, tag = "7")]
        #[serde(rename = "realNumber")]
        pub real: f64,
        #[prost(string, tag = "8")]
        #[serde(rename = "text")]
        pub text: ::std::string::String,
        #[prost(bytes = "vec", tag = "9")]
        #[serde(rename = "raw", with = "crate::generated::As::<crate::generated::Octets>")]
        pub raw: ::std::vec::Vec<u8>,
        #[prost(int32, tag = "10")]
        #[serde(rename = "color", with = "crate::generated::As::<crate::generated::Named<Color>>")]
        pub color: i32,
        #[prost(message, required, tag = "11")]
        #[serde(rename = "anything", default = "crate::any::empty", with = "crate::generated::As::<crate::generated::Any>")]
        pub anything: crate::generated::Value,
        #[prost(message, required, tag = "12")]
        #[serde(rename = "flat")]
        pub flat: Flat,
        #[prost(string, optional, tag = "13")]
        #[serde(rename = "maybe", skip_serializing_if = "::std::option::Option::is_none")]
        pub maybe: ::std::option::Option<::std::string::String>,
        #[prost(string, optional, tag = "14")]
        #[serde(rename = "nullText", with = "crate::generated::As::<crate::forms::Nullable<crate::generated::Plain>>")]
        pub null_text: ::std::option::Option<::std::string::String>,
        #[prost(int32, optional, tag = "15")]
        #[serde(rename = "maybeColor", skip_serializing_if = "::std::option::Option::is_none", with = "crate::generated::As::<::std::option::Option<crate::generated::Named<Color>>>")]
        pub maybe_color: ::std::option::Option<i32>,
        #[prost(bytes = "vec", optional, tag = "16")]
        #[serde(rename = "maybeRaw", skip_serializing_if = "::std::option::Option::is_none", with = "crate::generated::As::<::std::option::Option<crate::generated::Octets>>")]
        pub maybe_raw: ::std::option::Option<::std::vec::Vec<u8>>,
        #[prost(message, optional, tag = "17")]
        #[serde(rename = "nullFlat", with = "crate::generated::As::<crate::forms::Nullable<crate::generated::Plain>>")]
        pub null_flat: ::std::option::Option<Flat>,
        #[prost(string, repeated, tag = "18")]
        #[serde(rename = "texts")]
        pub texts: ::std::vec::Vec<::std::string::String>,
        #[prost(int32, repeated, tag = "19")]
        #[serde(rename = "colors", with = "crate::generated::As::<::std::vec::Vec<crate::generated::Named<Color>>>")]
        pub colors: ::std::vec::Vec<i32>,
        #[prost(bytes = "vec", repeated, tag = "20")]
        #[serde(rename = "raws", with = "crate::generated::As::<::std::vec::Vec<crate::generated::Octets>>")]
        pub raws: ::std::vec::Vec<::std::vec::Vec<u8>>,
        #[prost(sint32, repeated, tag = "21")]
        #[serde(rename = "numbers")]
        pub numbers: ::std::vec::Vec<i32>,
        #[prost(message, repeated, tag = "22")]
        #[serde(rename = "flats")]
        pub flats: ::std::vec::Vec<Flat>,
        #[prost(message, repeated, tag = "23")]
        #[serde(rename = "things", with = "crate::generated::As::<::std::vec::Vec<crate::generated::Any>>")]
        pub things: ::std::vec::Vec<crate::generated::Value>,
        #[prost(btree_map = "string, int64", tag = "24")]
        #[serde(rename = "counts")]
        pub counts: ::std::collections::BTreeMap<::std::string::String, i64>,
        #[prost(btree_map = "int32, message", tag = "25")]
        #[serde(rename = "byNumber", with = "crate::generated::As::<::std::collections::BTreeMap<crate::generated::DisplayFromStr, crate::generated::Plain>>")]
        pub by_number: ::std::collections::BTreeMap<i32, Flat>,
        #[prost(fixed64, tag = "26")]
        #[serde(rename = "fixed")]
        pub fixed: u64,
        #[prost(string, optional, tag = "27")]
        #[serde(rename = "byText", skip_serializing_if = "::std::option::Option::is_none")]
        pub by_text: ::std::option::Option<::std::string::String>,
        #[prost(int32, optional, tag = "28")]
        #[serde(rename = "byCount", skip_serializing_if = "::std::option::Option::is_none")]
        pub by_count: ::std::option::Option<i32>,
        #[prost(message, optional, tag = "29")]
        #[serde(rename = "byFlat", skip_serializing_if = "::std::option::Option::is_none")]
        pub by_flat: ::std::option::Option<Flat>,
        #[prost(btree_map = "string, int32", tag = "30")]
        #[serde(rename = "colorOf", with = "crate::generated::As::<::std::collections::BTreeMap<crate::generated::Plain, crate::generated::Named<Color>>>")]
        pub color_of: ::std::collections::BTreeMap<::std::string::String, i32>,
        #[prost(int32, repeated, packed = "false", tag = "31")]
        #[serde(rename = "spread")]
        pub spread: ::std::vec::Vec<i32>,
        #[prost(int32, repeated, packed = "false", tag = "32")]
        #[serde(rename = "colorsSpread", with = "crate::generated::As::<::std::vec::Vec<crate::generated::Named<Color>>>")]
        pub colors_spread: ::std::vec::Vec<i32>,
        #[prost(int32, required, tag = "33")]
        #[serde(rename = "always")]
        pub always: i32,
        #[prost(string, required, tag = "34")]
        #[serde(rename = "alwaysText")]
        pub always_text: ::std::string::String,
        #[prost(btree_map = "sint32, string", tag = "35")]
        #[serde(rename = "byZigzag", with = "crate::generated::As::<::std::collections::BTreeMap<crate::generated::DisplayFromStr, crate::generated::Plain>>")]
        pub by_zigzag: ::std::collections::BTreeMap<i32, ::std::string::String>,
    }

    crate::generated::record! { Everything { truth, small, large, natural, huge, single, real, text, raw, color, anything, flat, maybe, null_text, maybe_color, maybe_raw, null_flat, texts, colors, raws, numbers, flats, things, counts, by_number, fixed, by_text, by_count, by_flat, color_of, spread, colors_spread, always, always_text, by_zigzag } }

    #[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]
    #[serde(rename = "Flat", default)]
    #[prost(prost_path = "crate::generated::wire")]
    pub struct Flat {
        #[prost(string, tag = "1")]
        #[serde(rename = "type")]
        pub r#type: ::std::string::String,
        #[prost(int32, tag = "7")]
        #[serde(rename = "self")]
        pub self_: i32,
    }

    crate::generated::record! { Flat { r#type, self_ } }

    #[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]
    #[serde(rename = "Leaf", default)]
    #[prost(prost_path = "crate::generated::wire")]
    pub struct Leaf {
        #[prost(string, tag = "1")]
        #[serde(rename = "name")]
        pub name: ::std::string::String,
        #[prost(message, optional, boxed, tag = "2")]
        #[serde(rename = "child", skip_serializing_if = "::std::option::Option::is_none")]
        pub child: ::std::option::Option<::std::boxed::Box<Leaf>>,
        #[prost(message, repeated, tag = "3")]
        #[serde(rename = "leaves")]
        pub leaves: ::std::vec::Vec<Leaf>,
    }

    crate::generated::record! { Leaf { name, child, leaves } }

    #[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]
    #[serde(transparent)]
    #[prost(prost_path = "crate::generated::wire")]
    pub struct Row {
        #[prost(double, repeated, tag = "1")]
        pub cells: ::std::vec::Vec<f64>,
    }

    crate::generated::record! { Row { cells } }

    #[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]
    #[serde(transparent)]
    #[prost(prost_path = "crate::generated::wire")]
    pub struct Table {
        #[prost(message, repeated, tag = "1")]
        pub rows: ::std::vec::Vec<Row>,
    }

    crate::generated::record! { Table { rows } }

    #[derive(Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize, ::prost::Message)]
    #[serde(rename = "Nothing", default)]
    #[prost(prost_path = "crate::generated::wire")]
    pub struct Nothing {
    }

    crate::generated::record! { Nothing {  } }
}

service! {
    "everything.EverythingService"
    "{\"protocol\": \"Everything\", \"types\": [{\"type\": \"enum\", \"name\": \"everything.Color\", \"symbols\": [\"none\", \"deep red\", \"GREEN\"]}, {\"type\": \"record\", \"name\": \"everything.Everything\", \"fields\": [{\"name\": \"truth\", \"type\": \"boolean\"}, {\"name\": \"small\", \"type\": \"int\"}, {\"name\": \"large\", \"type\": \"long\"}, {\"name\": \"natural\", \"type\": \"long\"}, {\"name\": \"huge\", \"type\": \"long\"}, {\"name\": \"single\", \"type\": \"float\"}, {\"name\": \"realNumber\", \"type\": \"double\"}, {\"name\": \"text\", \"type\": \"string\"}, {\"name\": \"raw\", \"type\": \"bytes\"}, {\"name\": \"color\", \"type\": \"everything.Color\"}, {\"name\": \"anything\", \"type\": \"string\"}, {\"name\": \"flat\", \"type\": \"everything.Flat\"}, {\"name\": \"maybe\", \"type\": [\"null\", \"string\"]}, {\"name\": \"nullText\", \"type\": [\"null\", \"string\"]}, {\"name\": \"maybeColor\", \"type\": [\"null\", \"everything.Color\"]}, {\"name\": \"maybeRaw\", \"type\": [\"null\", \"bytes\"]}, {\"name\": \"nullFlat\", \"type\": [\"null\", \"everything.Flat\"]}, {\"name\": \"texts\", \"type\": {\"type\": \"array\", \"items\": \"string\"}}, {\"name\": \"colors\", \"type\": {\"type\": \"array\", \"items\": \"everything.Color\"}}, {\"name\": \"raws\", \"type\": {\"type\": \"array\", \"items\": \"bytes\"}}, {\"name\": \"numbers\", \"type\": {\"type\": \"array\", \"items\": \"int\"}}, {\"name\": \"flats\", \"type\": {\"type\": \"array\", \"items\": \"everything.Flat\"}}, {\"name\": \"things\", \"type\": {\"type\": \"array\", \"items\": \"string\"}}, {\"name\": \"counts\", \"type\": {\"type\": \"map\", \"values\": \"long\"}}, {\"name\": \"byNumber\", \"type\": {\"type\": \"map\", \"values\": \"everything.Flat\"}}, {\"name\": \"fixed\", \"type\": \"long\"}, {\"name\": \"byText\", \"type\": [\"null\", \"string\"]}, {\"name\": \"byCount\", \"type\": [\"null\", \"int\"]}, {\"name\": \"byFlat\", \"type\": [\"null\", \"everything.Flat\"]}, {\"name\": \"colorOf\", \"type\": {\"type\": \"map\", \"values\": \"everything.Color\"}}, {\"name\": \"spread\", \"type\": {\"type\": \"array\", \"items\": \"int\"}}, {\"name\": \"colorsSpread\", \"type\": {\"type\": \"array\", \"items\": \"everything.Color\"}}, {\"name\": \"always\", \"type\": \"int\"}, {\"name\": \"alwaysText\", \"type\": \"string\"}, {\"name\": \"byZigzag\", \"type\": {\"type\": \"map\", \"values\": \"string\"}}]}, {\"type\": \"record\", \"name\": \"everything.Flat\", \"fields\": [{\"name\": \"type\", \"type\": \"string\"}, {\"name\": \"self\", \"type\": \"int\"}]}, {\"type\": \"record\", \"name\": \"everything.Leaf\", \"fields\": [{\"name\": \"name\", \"type\": \"string\"}, {\"name\": \"child\", \"type\": [\"null\", \"everything.Leaf\"]}, {\"name\": \"leaves\", \"type\": {\"type\": \"array\", \"items\": \"everything.Leaf\"}}]}, {\"type\": \"record\", \"name\": \"everything.Nothing\", \"fields\": []}], \"messages\": {\"SendEverything\": {\"request\": [{\"name\": \"request\", \"type\": \"everything.Everything\"}], \"response\": \"everything.Everything\"}, \"Grow\": {\"request\": [{\"name\": \"request\", \"type\": \"everything.Flat\"}], \"response\": \"everything.Leaf\"}, \"Transpose\": {\"request\": [{\"name\": \"request\", \"type\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": \"double\"}}}], \"response\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": \"double\"}}}, \"Rest\": {\"request\": [{\"name\": \"request\", \"type\": \"everything.Nothing\"}], \"response\": \"everything.Nothing\"}}}"
    "SendEverything" SendEverything "100" (types::Everything) -> types::Everything, echoes;
    "Grow" Grow "101" (types::Flat) -> types::Leaf;
    "Transpose" Transpose "102" (types::Table) -> types::Table, echoes;
    "Rest" Rest "103" (types::Nothing) -> types::Nothing, echoes;
}
