//! The client: a runtime of its own, on the thread that calls.

use std::net::SocketAddr;

use bytes::Bytes;
use callbench_kit::stack::Connect;
use callbench_kit::{Failure, Kind};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Request, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::super::Connection;
use super::super::line::{closed, refused, timed_out, too_large};
use super::Keep;
use super::dial::Dial;
use super::server::parted;
use callbench_kit::stack::LIMIT;

pub fn connect(path: &str, content_type: &'static str, to: &Connect, keep: Keep) -> Result<Box<dyn Connection>, Failure> {
    let (address, path) = parted(&to.endpoint, path).ok_or_else(|| refused(&to.endpoint, &"it is no http URL with an address and port"))?;
    let uri = path.parse().map_err(|_| refused(&to.endpoint, &"its path is none"))?;
    let mut headers = HeaderMap::new();
    let host = HeaderValue::from_str(&address.to_string()).map_err(Failure::protocol)?;
    headers.insert(HOST, host);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if path == "/soap" {
        // SOAP 1.1 asks for the header; the empty string says that the URL tells what is meant.
        headers.insert(HeaderName::from_static("soapaction"), HeaderValue::from_static("\"\""));
    }
    let dial = Dial::read(&to.options)?;
    if keep == Keep::Call {
        headers.insert(CONNECTION, HeaderValue::from_static(if dial.closes { "keep-alive" } else { "close" }));
    }
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut client = Client { runtime, to: to.clone(), dial, address, uri, headers, keep, sender: None, answer: Bytes::new() };
    if keep == Keep::Alive {
        client.sender = Some(client.runtime.block_on(open(dial, address, to))?.0);
    }
    Ok(Box::new(client))
}

struct Client {
    runtime: Runtime,
    to: Connect,
    dial: Dial,
    address: SocketAddr,
    uri: Uri,
    headers: HeaderMap,
    keep: Keep,
    sender: Option<Sender>,
    answer: Bytes,
}

type Sender = SendRequest<Full<Bytes>>;
type Driver = JoinHandle<Result<(), hyper::Error>>;

/// A connection, with its driver on the current runtime.
async fn open(dial: Dial, address: SocketAddr, to: &Connect) -> Result<(Sender, Driver), Failure> {
    let stream = tokio::time::timeout(to.timeout, dial.connect(address)).await.map_err(|_| timed_out())?;
    let stream = stream.map_err(|error| match Failure::from(error) {
        failure if failure.kind == Kind::Refused => refused(&to.endpoint, &failure.message),
        failure => failure,
    })?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|error| failure(&error))?;
    // How the connection ended is told by the call that finds it ended.
    Ok((sender, tokio::spawn(connection)))
}

/// One call, from the request to the last byte of its answer.
async fn exchange(sender: &mut Sender, request: Request<Full<Bytes>>) -> Result<Bytes, Failure> {
    let response = sender.send_request(request).await.map_err(|error| failure(&error))?;
    let status = response.status();
    let body = Limited::new(response.into_body(), LIMIT)
        .collect()
        .await
        .map_err(|error| if error.is::<LengthLimitError>() { too_large(LIMIT + 1, LIMIT) } else { closed() })?;
    let body = body.to_bytes();
    // A server's fault comes with 500 in some messages; what it says is in the body.
    if status == StatusCode::OK || (status == StatusCode::INTERNAL_SERVER_ERROR && !body.is_empty()) {
        return Ok(body);
    }
    let kind = if status == StatusCode::PAYLOAD_TOO_LARGE { Kind::TooLarge } else { Kind::Protocol };
    let sentence: String = String::from_utf8_lossy(&body).chars().take(300).collect();
    Err(Failure::new(kind, format!("the server answers {status}: {}", sentence.trim_end())))
}

fn failure(error: &hyper::Error) -> Failure {
    if error.is_parse() { Failure::protocol(format!("the answer is no HTTP: {error}")) } else { closed() }
}

impl Client {
    fn request(&self, body: &[u8]) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(Bytes::copy_from_slice(body)));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

impl Connection for Client {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        if request.len() > LIMIT {
            return Err(too_large(request.len(), LIMIT));
        }
        let request = self.request(request);
        let kept = self.sender.take().filter(|sender| !sender.is_closed());
        let (dial, address, to, keep) = (self.dial, self.address, &self.to, self.keep);
        let call = async {
            let (mut sender, driver) = match kept {
                Some(sender) => (sender, None),
                None => open(dial, address, to).await.map(|(sender, driver)| (sender, Some(driver)))?,
            };
            let answer = exchange(&mut sender, request).await?;
            if keep == Keep::Call {
                drop(sender);
                if let Some(driver) = driver.filter(|_| dial.closes) {
                    // Closed within the call, before the server could.
                    let _ = driver.await;
                }
                return Ok((answer, None));
            }
            // The driver may have to see the end of the answer first; a connection that the server closes is noticed here.
            let ready = sender.ready().await.is_ok();
            Ok((answer, ready.then_some(sender)))
        };
        // In a block of its own, since the timer needs the runtime that it is made in.
        let made = self.runtime.block_on(async { tokio::time::timeout(to.timeout, call).await });
        (self.answer, self.sender) = made.unwrap_or_else(|_| Err(timed_out()))?;
        Ok(&self.answer)
    }

    fn connections(&self) -> usize {
        usize::from(self.sender.is_some())
    }
}
