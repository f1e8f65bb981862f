//! One call: the rest of its request, and its answer while it is received.

use callbench_kit::Failure;

use super::call_spec::CallSpec;
use super::fields::Fields;
use super::grpc;
use crate::body::Body;
use crate::expected::Expected;
use crate::request::Values;
use crate::script::take;

/// What is called: a request of the script, with the values of its variables and those taken from answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub values: Values,
    pub step: usize,
    pub request: usize,
    /// By slot.
    pub taken: Vec<Vec<u8>>,
}

/// The state of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stage {
    #[default]
    Idle,
    /// Waits for the connection or for a stream.
    Waiting,
    /// Has a stream.
    Open,
}

#[derive(Debug, Default)]
pub struct Exchange {
    pub stage: Stage,
    pub call: Call,
    /// 0 if there is none.
    pub stream: u32,
    /// The part of the body that the windows have not allowed yet, from `sent` on.
    pub body: Vec<u8>,
    pub sent: usize,
    /// The bytes of a body that the server accepts now.
    pub window: i64,
    /// Received bytes for which no window update has been sent.
    pub taken: i64,
    /// How often the connection had received something when the call began.
    pub receptions: u64,
    answer: Answer,
}

#[derive(Debug, Default)]
struct Answer {
    status: Option<u16>,
    length: Option<u64>,
    bytes: u64,
    body: Body,
    /// Fields of the head or the trailer that are kept, in the order in which they are expected.
    fields: Vec<Option<Vec<u8>>>,
    message: grpc::Unwrapping,
    /// Whether the gRPC status has been received.
    concluded: bool,
}

impl Exchange {
    /// Begins a call, which waits for its stream. The memory is reused.
    pub fn begin(&mut self, call: Call, receptions: u64) {
        self.stage = Stage::Waiting;
        self.call = call;
        self.stream = 0;
        self.body.clear();
        (self.sent, self.taken, self.receptions) = (0, 0, receptions);
        self.answer.reset();
    }

    pub fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    /// How many bytes of the answer's body have been received, if the answer has begun.
    pub fn answered(&self) -> Option<u64> {
        self.answer.status.map(|_| self.answer.bytes)
    }

    /// The body of the answer, if it was to be kept.
    pub fn kept_body(&mut self) -> Vec<u8> {
        self.answer.body.kept_body()
    }

    /// Handles a header block; `ends`: nothing follows.
    pub fn headers(&mut self, fields: &Fields, ends: bool, spec: &CallSpec) -> Result<(), Failure> {
        let answer = &mut self.answer;
        if answer.status.is_some() {
            if !ends {
                return Err(Failure::protocol("the answer has a second head in the middle"));
            }
        } else {
            let status = fields.status.ok_or_else(|| Failure::protocol("the answer has no status"))?;
            if (100..200).contains(&status) {
                let odd = ends || status == 101;
                return if odd { Err(Failure::protocol(format!("the answer ends with the interim status {status}"))) } else { Ok(()) };
            }
            answer.begin(status, fields, spec, &self.call)?;
        }
        answer.take_fields(fields, spec, &self.call);
        if ends && spec.grpc {
            answer.concluded = true;
            let wrong = || grpc::wrong_status(&spec.step(&self.call).expected.request, fields.grpc_status.as_deref(), &fields.grpc_message);
            if !answer.body.is_wrong_already() {
                answer.body.set_wrong(wrong());
            }
        }
        Ok(())
    }

    /// Handles bytes of the body.
    pub fn data(&mut self, piece: &[u8], spec: &CallSpec) -> Result<(), Failure> {
        let answer = &mut self.answer;
        if answer.status.is_none() {
            return Err(Failure::protocol("the body of the answer comes before its head"));
        }
        answer.bytes += piece.len() as u64;
        spec.settings.limits.check_body(answer.bytes)?;
        let piece = if spec.grpc && !answer.body.is_wrong_already() { answer.message.take(piece)? } else { piece };
        answer.body.take(piece, &spec.step(&self.call).expected);
        Ok(())
    }

    /// Checks the complete answer, and takes the values that later requests use. `known` is the last correct body.
    pub fn judge(&mut self, spec: &CallSpec, known: &mut Vec<u8>) -> Result<(), Failure> {
        let step = spec.step(&self.call);
        self.answer.wrong(spec, &step.expected, known).map_or(Ok(()), Err)?;
        if step.takes.is_empty() {
            return Ok(());
        }
        take::take(&step.takes, &step.expected.fields, &self.answer.fields, self.answer.body.whole(), &mut self.call.taken)
    }
}

impl Answer {
    /// Prepares for the next call. The memory is reused.
    fn reset(&mut self) {
        let mut body = std::mem::take(&mut self.body);
        body.begin();
        *self = Answer { body, ..Answer::default() };
    }

    /// Keeps the fields that later requests use. gRPC may have them in the trailer.
    fn take_fields(&mut self, fields: &Fields, spec: &CallSpec, call: &Call) {
        let expected = &spec.step(call).expected.fields;
        self.fields.resize(expected.len(), None);
        for (mine, field) in self.fields.iter_mut().zip(expected) {
            let mut found = fields.kept.iter().filter_map(|(name, value)| field.of(name, value));
            if let Some(value) = found.next() {
                mine.get_or_insert_with(|| value.to_vec());
            }
        }
    }

    fn begin(&mut self, status: u16, fields: &Fields, spec: &CallSpec, call: &Call) -> Result<(), Failure> {
        let expected = &spec.step(call).expected;
        self.status = Some(status);
        self.length = fields.length.filter(|_| !spec.request(call).bodiless && status != 204 && status != 304);
        spec.settings.limits.check_body(self.length.unwrap_or_default())?;
        self.body.set_wrong(expected.wrong_status(status, fields.location.as_deref()));
        if spec.grpc && !self.body.is_wrong_already() && !fields.content_type.starts_with(b"application/grpc") {
            let content_type = String::from_utf8_lossy(&fields.content_type);
            self.body.set_wrong(Some(Failure::protocol(format!("the answer is not gRPC: its content-type is {content_type:?}"))));
        }
        Ok(())
    }

    fn wrong(&mut self, spec: &CallSpec, expected: &Expected, known: &mut Vec<u8>) -> Option<Failure> {
        if self.status.is_none() {
            return Some(Failure::protocol("the answer ended without a head"));
        }
        if self.body.is_wrong_already() {
            return self.body.wrong(expected, known);
        }
        if let Some(length) = self.length.filter(|length| *length != self.bytes) {
            return Some(Failure::protocol(format!("the body has {} bytes, and the head of the answer says {length}", self.bytes)));
        }
        if spec.grpc {
            let unconcluded = if self.concluded { None } else { grpc::wrong_status(&expected.request, None, b"") };
            if let Some(wrong) = unconcluded.or_else(|| self.message.wrong()) {
                return Some(wrong);
            }
        }
        self.body.wrong(expected, known)
    }
}
