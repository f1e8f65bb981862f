//! The body of an answer: whole in memory, and what is said behind it.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::HeaderMap;
use hyper::body::{Body, Frame, SizeHint};

/// Bytes, and trailers behind them.
#[derive(Default)]
pub struct Whole {
    bytes: Bytes,
    trailers: Option<HeaderMap>,
}

impl Whole {
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Whole { bytes: bytes.into(), trailers: None }
    }

    pub fn with_trailers(bytes: impl Into<Bytes>, trailers: HeaderMap) -> Self {
        Whole { bytes: bytes.into(), trailers: Some(trailers) }
    }
}

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.bytes.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.bytes)))));
        }
        Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty() && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
