//! One call of one client: what of its request is still to be sent, and its answer as it comes.

use callbench_kit::{Failure, Kind};

use super::asked::Asked;
use super::fields::Fields;
use super::grpc;
use crate::expected::Comparison;
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
    comparison: Comparison,
    message: grpc::Unwrapping,
    /// Whether its gRPC status has come.
    concluded: bool,
    wrong: Option<Failure>,
    /// The body, where it is to be kept.
    kept: Vec<u8>,
}

impl Exchange {
    /// A call begins, and waits for its stream. What memory it has stays.
    pub fn begin(&mut self, values: Values, heard: u64) {
        self.stage = Stage::Waiting(values);
        self.stream = 0;
        self.body.clear();
        (self.sent, self.taken, self.heard) = (0, 0, heard);
        self.answer = Answer::default();
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
        std::mem::take(&mut self.answer.kept)
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
            answer.wrong = answer.wrong.take().or_else(wrong);
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
        let piece = if asked.grpc && answer.wrong.is_none() { answer.message.take(piece)? } else { piece };
        answer.comparison.take(piece, &asked.settings.expected);
        if asked.settings.expected.keeps {
            answer.kept.extend_from_slice(piece);
        }
        Ok(())
    }

    /// The whole, judged.
    pub fn judged(&mut self, asked: &Asked) -> Result<(), Failure> {
        self.answer.wrong(asked).map_or(Ok(()), Err)
    }
}

impl Answer {
    fn begin(&mut self, status: u16, fields: &Fields, asked: &Asked) -> Result<(), Failure> {
        let (expected, most) = (&asked.settings.expected, asked.settings.most);
        self.status = Some(status);
        self.length = fields.length.filter(|_| !asked.bodiless && status != 204 && status != 304);
        if let Some(length) = self.length.filter(|length| *length > most) {
            return Err(Failure::new(Kind::TooLarge, format!("the body has {length} octets; at most {most} are taken")));
        }
        self.wrong = expected.wrong_status(status);
        if asked.grpc && self.wrong.is_none() && !fields.content_type.starts_with(b"application/grpc") {
            let said = String::from_utf8_lossy(&fields.content_type);
            self.wrong = Some(Failure::protocol(format!("the answer is no gRPC: its content-type is {said:?}")));
        }
        Ok(())
    }

    fn wrong(&mut self, asked: &Asked) -> Option<Failure> {
        if self.status.is_none() {
            return Some(Failure::protocol("the answer ended without a head"));
        }
        if let Some(wrong) = self.wrong.take() {
            return Some(wrong);
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
        self.comparison.wrong(&asked.settings.expected)
    }
}
