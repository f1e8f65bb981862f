//! A service, and its messages as JSON-RPC 2.0 and in the envelope of `contract/service.proto`.

use std::fmt::Display;

use prost::Message;
use prost::encoding;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const ID: u32 = 1;

/// One call.
pub trait Service: Send + Sync + 'static {
    const CALL: &'static str;
    /// Its field in the envelope of Protocol Buffers.
    const TAG: u32;
    type Request: Message + Serialize + DeserializeOwned + Default + PartialEq;
    type Answer: Message + Serialize + DeserializeOwned + Default + PartialEq;
    type Asked: Message + Default;
    type Answered: Message + Default;

    /// By which its answer is found.
    fn id(request: &Self::Request) -> &str;
    fn asked(envelope: Self::Asked) -> Option<(u32, Self::Request)>;
    fn answered(envelope: Self::Answered) -> Option<Self::Answer>;
    /// Whether an answer is the right one, as far as a look at its ends tells.
    fn is_right(found: &Self::Answer, right: &Self::Answer) -> bool;
}

/// How messages are written.
pub trait Format<S: Service>: Send + Sync + 'static {
    fn write_request(request: &S::Request, out: &mut Vec<u8>);
    fn read_request(bytes: &[u8]) -> Result<(u32, S::Request), String>;
    fn write_answer(id: u32, answer: &S::Answer, out: &mut Vec<u8>);
    fn read_answer(bytes: &[u8]) -> Result<S::Answer, String>;
}

pub struct Json;

#[derive(Serialize)]
struct Call<'a, T> {
    jsonrpc: &'static str,
    method: &'static str,
    params: Params<&'a T>,
    id: u32,
}

#[derive(Serialize, Deserialize)]
struct Params<T> {
    request: T,
}

#[derive(Deserialize)]
struct Asked<'a, T> {
    jsonrpc: &'a str,
    method: &'a str,
    params: Params<T>,
    id: u32,
}

#[derive(Serialize)]
struct Reply<'a, T> {
    jsonrpc: &'static str,
    result: &'a T,
    id: u32,
}

#[derive(Deserialize)]
struct Answered<'a, T> {
    jsonrpc: &'a str,
    result: T,
}

impl<S: Service> Format<S> for Json {
    fn write_request(request: &S::Request, out: &mut Vec<u8>) {
        let call = Call { jsonrpc: "2.0", method: S::CALL, params: Params { request }, id: ID };
        serde_json::to_writer(out, &call).expect("it can be written");
    }

    fn read_request(bytes: &[u8]) -> Result<(u32, S::Request), String> {
        let asked: Asked<S::Request> = serde_json::from_slice(bytes).map_err(text)?;
        if asked.jsonrpc != "2.0" || asked.method != S::CALL {
            return Err(format!("{} is no call of this service", asked.method));
        }
        Ok((asked.id, asked.params.request))
    }

    fn write_answer(id: u32, answer: &S::Answer, out: &mut Vec<u8>) {
        serde_json::to_writer(out, &Reply { jsonrpc: "2.0", result: answer, id }).expect("it can be written");
    }

    fn read_answer(bytes: &[u8]) -> Result<S::Answer, String> {
        let answered: Answered<S::Answer> = serde_json::from_slice(bytes).map_err(text)?;
        if answered.jsonrpc == "2.0" { Ok(answered.result) } else { Err("it is no JSON-RPC 2.0".to_owned()) }
    }
}

pub struct Protobuf;

impl<S: Service> Format<S> for Protobuf {
    fn write_request(request: &S::Request, out: &mut Vec<u8>) {
        enveloped::<S>(ID, request, out);
    }

    fn read_request(bytes: &[u8]) -> Result<(u32, S::Request), String> {
        S::asked(S::Asked::decode(bytes).map_err(text)?).ok_or_else(|| "there is no call in it".to_owned())
    }

    fn write_answer(id: u32, answer: &S::Answer, out: &mut Vec<u8>) {
        enveloped::<S>(id, answer, out);
    }

    fn read_answer(bytes: &[u8]) -> Result<S::Answer, String> {
        S::answered(S::Answered::decode(bytes).map_err(text)?).ok_or_else(|| "there is no answer in it".to_owned())
    }
}

/// Written field by field, since an envelope would have to own a copy of the message.
fn enveloped<S: Service>(id: u32, message: &impl Message, out: &mut Vec<u8>) {
    encoding::uint32::encode(1, &id, out);
    encoding::message::encode(S::TAG, message, out);
}

fn text(error: impl Display) -> String {
    error.to_string()
}
