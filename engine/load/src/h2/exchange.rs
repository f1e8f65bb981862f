//! One call of one client: what of its request is still to be sent, and its answer as it comes.

use callbench_kit::{Failure, Kind};

use super::asked::Asked;
use super::fields::Fields;
use super::grpc;
use crate::body::Body;
use crate::request::Values;

/// Where a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stage {
    /// There is none.
    #[default]
    Idle,
    /// It waits for the connection, or for a stream of it.
    Waiting(Values),
    /// It has a stream.
    Open(Values),
}

#[derive(Debug, Default)]
pub struct Exchange {
    pub stage: Stage,
    /// 0 where it has none.
    pub stream: u32,
    /// What of the body the windows have held back, from `sent` on.
    pub body: Vec<u8>,
    pub sent: usize,
    /// So much of a body the server takes now.
    pub window: i64,
    /// So many octets have come without their room being given back.
    pub taken: i64,
    /// How often its connection had heard of the server when it began.
    pub heard: u64,
    answer: Answer,
}

#[derive(Debug, Default)]
struct Answer {
    status: Option<u16>,
    length: Option<u64>,
    octets: u64,
    body: Body,
    message: grpc::Unwrapping,
    /// Whether its gRPC status has come.
    concluded: bool,
}

impl Exchange {
    /// A call begins, and waits for its stream. What memory it has stays.
    pub fn begin(&mut self, values: Values, heard: u64) {
        self.stage = Stage::Waiting(values);
        self.stream = 0;
        self.body.clear();
        (self.sent, self.taken, self.heard) = (0, 0, heard);
        self.answer.reset();
    }

    pub fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open(_))
    }

    /// How much of the body of its answer has come, where that has begun.
    pub fn answered(&self) -> Option<u64> {
        self.answer.status.map(|_| self.answer.octets)
    }

    /// The body of the answer, where it was to be kept.
    pub fn kept(&mut self) -> Vec<u8> {
        self.answer.body.kept()
    }

    /// Takes a header block; `ends`: nothing follows.
    pub fn headers(&mut self, fields: &Fields, ends: bool, asked: &Asked) -> Result<(), Failure> {
        let answer = &mut self.answer;
        if answer.status.is_some() {
            if !ends {
                return Err(Failure::protocol("the answer has a second head, and goes on after it"));
            }
        } else {
            let status = fields.status.ok_or_else(|| Failure::protocol("the answer has no status"))?;
            if (100..200).contains(&status) {
                let odd = ends || status == 101;
                return if odd { Err(Failure::protocol(format!("the status {status} ends no answer of HTTP/2"))) } else { Ok(()) };
            }
            answer.begin(status, fields, asked)?;
        }
        if ends && asked.grpc {
            answer.concluded = true;
            let wrong = || grpc::wrong_status(fields.grpc_status.as_deref(), &fields.grpc_message);
            if !answer.body.is_of_wrong() {
                answer.body.of_wrong(wrong());
            }
        }
        Ok(())
    }

    /// Takes octets of the body.
    pub fn data(&mut self, piece: &[u8], asked: &Asked) -> Result<(), Failure> {
        let answer = &mut self.answer;
        if answer.status.is_none() {
            return Err(Failure::protocol("the body of the answer comes before its head"));
        }
        answer.octets += piece.len() as u64;
        if answer.octets > asked.settings.most {
            return Err(Failure::new(Kind::TooLarge, format!("the body goes on beyond {} octets", asked.settings.most)));
        }
        let piece = if asked.grpc && !answer.body.is_of_wrong() { answer.message.take(piece)? } else { piece };
        answer.body.take(piece, &asked.settings.expected);
        Ok(())
    }

    /// The whole, judged. `known` is the last body that was right.
    pub fn judged(&mut self, asked: &Asked, known: &mut Vec<u8>) -> Result<(), Failure> {
        self.answer.wrong(asked, known).map_or(Ok(()), Err)
    }
}

impl Answer {
    /// Ready for the next one; what memory it has stays.
    fn reset(&mut self) {
        let mut body = std::mem::take(&mut self.body);
        body.begin();
        *self = Answer { body, ..Answer::default() };
    }

    fn begin(&mut self, status: u16, fields: &Fields, asked: &Asked) -> Result<(), Failure> {
        let (expected, most) = (&asked.settings.expected, asked.settings.most);
        self.status = Some(status);
        self.length = fields.length.filter(|_| !asked.bodiless && status != 204 && status != 304);
        if let Some(length) = self.length.filter(|length| *length > most) {
            return Err(Failure::new(Kind::TooLarge, format!("the body has {length} octets; at most {most} are taken")));
        }
        self.body.of_wrong(expected.wrong_status(status, fields.location.as_deref()));
        if asked.grpc && !self.body.is_of_wrong() && !fields.content_type.starts_with(b"application/grpc") {
            let said = String::from_utf8_lossy(&fields.content_type);
            self.body.of_wrong(Some(Failure::protocol(format!("the answer is no gRPC: its content-type is {said:?}"))));
        }
        Ok(())
    }

    fn wrong(&mut self, asked: &Asked, known: &mut Vec<u8>) -> Option<Failure> {
        if self.status.is_none() {
            return Some(Failure::protocol("the answer ended without a head"));
        }
        let expected = &asked.settings.expected;
        if self.body.is_of_wrong() {
            return self.body.wrong(expected, known);
        }
        if let Some(length) = self.length.filter(|length| *length != self.octets) {
            return Some(Failure::protocol(format!("the body has {} octets, and the head of the answer says {length}", self.octets)));
        }
        if asked.grpc {
            let unconcluded = if self.concluded { None } else { grpc::wrong_status(None, b"") };
            if let Some(wrong) = unconcluded.or_else(|| self.message.wrong()) {
                return Some(wrong);
            }
        }
        self.body.wrong(expected, known)
    }
}
