//! The client: a runtime of its own, on the thread that calls.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use callbench_contract::endpoint::{Connect, LIMIT};
use callbench_contract::{Failure, Kind};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::header::{ACCEPT_ENCODING, CONNECTION, CONTENT_TYPE, HOST, HeaderName, HeaderValue, TE};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;

use super::super::line::{closed, refused, timed_out, too_large};
use super::super::{Connection, rendezvous, tls};
use super::coding::{self, Unreadable};
use super::dial::Dial;
use super::place::{Endpoint, To, protocol};
use super::{Carries, Keep, Version, Web, grpc};

pub fn connect(web: Web, route: &'static str, content_type: &'static str, to: &Connect) -> Result<Box<dyn Connection>, Failure> {
    let found = Endpoint::read(web, &to.endpoint, route);
    let Endpoint { to: target, path } =
        found.ok_or_else(|| refused(&to.endpoint, &format_args!("it is no URL of the channel {} with an address and port", web.name)))?;
    let uri = uri(web.version, &target, &path).ok_or_else(|| refused(&to.endpoint, &"its path is none"))?;
    let dial = Dial::read(&to.options)?;
    let headers = headers(web, dial, &target, &path, content_type)?;
    let secure = match &target {
        To::Tls(_, fingerprint) => Some(tls::client(fingerprint, &[protocol(web.version)], &to.options)?),
        To::Tcp(_) | To::Unix(_) => None,
    };
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let way = Way { web, dial, target, secure, to: to.clone() };
    let mut client = Client { runtime, way, route, uri, headers, sender: None, answer: Bytes::new() };
    if web.keep == Keep::Alive {
        client.sender = Some(client.runtime.block_on(client.way.open())?.0);
    }
    Ok(Box::new(client))
}

/// HTTP/2 says scheme and authority in each request, HTTP/1.1 the path alone.
fn uri(version: Version, target: &To, path: &str) -> Option<Uri> {
    match version {
        Version::One => path.parse().ok(),
        Version::Two => format!("{}://{}{path}", target.scheme(), target.authority()).parse().ok(),
    }
}

fn headers(web: Web, dial: Dial, target: &To, path: &str, content_type: &'static str) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    if web.version == Version::One {
        headers.insert(HOST, HeaderValue::from_str(&target.authority()).map_err(Failure::protocol)?);
    }
    if web.carries == Carries::Grpc {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(grpc::MEDIA));
        headers.insert(TE, HeaderValue::from_static("trailers"));
        return Ok(headers);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(coding) = web.coding {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding.name()));
    }
    if path == "/soap" {
        // SOAP 1.1 asks for the header; the empty string says that the URL tells what is meant.
        headers.insert(HeaderName::from_static("soapaction"), HeaderValue::from_static("\"\""));
    }
    if web.keep == Keep::Call {
        headers.insert(CONNECTION, HeaderValue::from_static(if dial.closes { "keep-alive" } else { "close" }));
    }
    Ok(headers)
}

type Body = Full<Bytes>;
type Driver = JoinHandle<Result<(), hyper::Error>>;

/// The requests' side of a connection.
enum Sender {
    One(http1::SendRequest<Body>),
    Two(http2::SendRequest<Body>),
}

impl Sender {
    fn is_closed(&self) -> bool {
        match self {
            Sender::One(sender) => sender.is_closed(),
            Sender::Two(sender) => sender.is_closed(),
        }
    }

    async fn ready(&mut self) -> Result<(), hyper::Error> {
        match self {
            Sender::One(sender) => sender.ready().await,
            Sender::Two(sender) => sender.ready().await,
        }
    }

    async fn send(&mut self, request: Request<Body>) -> Result<Response<Incoming>, hyper::Error> {
        match self {
            Sender::One(sender) => sender.send_request(request).await,
            Sender::Two(sender) => sender.send_request(request).await,
        }
    }
}

/// How a client comes to its connections.
struct Way {
    web: Web,
    dial: Dial,
    target: To,
    secure: Option<Arc<ClientConfig>>,
    to: Connect,
}

impl Way {
    /// A connection, with its driver on the current runtime.
    async fn open(&self) -> Result<(Sender, Driver), Failure> {
        tokio::time::timeout(self.to.timeout, self.reach()).await.map_err(|_| timed_out())?
    }

    async fn reach(&self) -> Result<(Sender, Driver), Failure> {
        match (&self.target, &self.secure) {
            (To::Unix(name), _) => {
                let stream = rendezvous::reach(name, self.to.timeout)?;
                stream.set_nonblocking(true)?;
                self.greet(tokio::net::UnixStream::from_std(stream)?).await
            }
            (To::Tcp(address), _) | (To::Tls(address, _), None) => self.greet(self.dial(*address).await?).await,
            (To::Tls(address, _), Some(config)) => {
                let stream = self.dial(*address).await?;
                let name = ServerName::IpAddress(address.ip().into());
                let stream = TlsConnector::from(Arc::clone(config)).connect(name, stream).await.map_err(|error| tls::failure(&error))?;
                self.greet(stream).await
            }
        }
    }

    async fn dial(&self, address: SocketAddr) -> Result<TcpStream, Failure> {
        self.dial.connect(address).await.map_err(|error| match Failure::from(error) {
            failure if failure.kind == Kind::Refused => refused(&self.to.endpoint, &failure.message),
            failure => failure,
        })
    }

    /// Begins HTTP on a connection. How it ended is told by the call that finds it ended.
    async fn greet<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(&self, stream: S) -> Result<(Sender, Driver), Failure> {
        let stream = TokioIo::new(stream);
        Ok(match self.web.version {
            Version::One => {
                let (sender, connection) = http1::handshake(stream).await.map_err(|error| failure(&error))?;
                (Sender::One(sender), tokio::spawn(connection))
            }
            Version::Two => {
                let (sender, connection) = http2::handshake(TokioExecutor::new(), stream).await.map_err(|error| failure(&error))?;
                (Sender::Two(sender), tokio::spawn(connection))
            }
        })
    }
}

struct Client {
    runtime: Runtime,
    way: Way,
    route: &'static str,
    uri: Uri,
    headers: HeaderMap,
    sender: Option<Sender>,
    answer: Bytes,
}

/// What came back.
struct Came {
    status: StatusCode,
    headers: HeaderMap,
    trailers: Option<HeaderMap>,
    body: Bytes,
}

/// One call, from the request to the last byte of its answer.
async fn exchange(sender: &mut Sender, request: Request<Body>) -> Result<Came, Failure> {
    let (head, body) = sender.send(request).await.map_err(|error| failure(&error))?.into_parts();
    let body = Limited::new(body, LIMIT)
        .collect()
        .await
        .map_err(|error| if error.is::<LengthLimitError>() { too_large(LIMIT + 1, LIMIT) } else { closed() })?;
    Ok(Came { status: head.status, headers: head.headers, trailers: body.trailers().cloned(), body: body.to_bytes() })
}

fn failure(error: &hyper::Error) -> Failure {
    if error.is_parse() { Failure::protocol(format!("the answer is no HTTP: {error}")) } else { closed() }
}

impl Came {
    /// The same with its body as it was before the server compressed it.
    fn decoded(self, web: Web) -> Result<Self, Failure> {
        let Some(coding) = web.coding else { return Ok(self) };
        let body = coding::incoming(coding, self.body, &self.headers).map_err(|why| match why {
            Unreadable::TooLarge => too_large(LIMIT + 1, LIMIT),
            Unreadable::Broken(sentence) => Failure::protocol(sentence),
            Unreadable::Unknown(name) => Failure::protocol(format!("the answer is in the coding {name}: {} was asked for", coding.name())),
        })?;
        Ok(Came { body, ..self })
    }

    /// The message that came. A server's fault comes with 500 in some messages; what it says is in the body.
    fn message(self) -> Result<Bytes, Failure> {
        if self.status == StatusCode::OK || (self.status == StatusCode::INTERNAL_SERVER_ERROR && !self.body.is_empty()) {
            return Ok(self.body);
        }
        let kind = if self.status == StatusCode::PAYLOAD_TOO_LARGE { Kind::TooLarge } else { Kind::Protocol };
        let sentence: String = String::from_utf8_lossy(&self.body).chars().take(300).collect();
        Err(Failure::new(kind, format!("the server answers {}: {}", self.status, sentence.trim_end())))
    }

    /// The same of gRPC, with the envelope whose answer has this field.
    fn unwrapped(self, field: Option<usize>) -> Result<Bytes, Failure> {
        if self.status != StatusCode::OK {
            return self.message();
        }
        match grpc::refusal(self.trailers.as_ref().unwrap_or(&self.headers)) {
            Some(Ok(fault)) => Ok(grpc::fault(&fault)),
            Some(Err(failure)) => Err(failure),
            None => Ok(grpc::incoming(field, grpc::unframed(self.body).map_err(|(_, sentence)| Failure::protocol(sentence))?)),
        }
    }
}

impl Client {
    /// The request, and of gRPC the field of its answer.
    fn request(&self, body: &[u8]) -> Result<(Request<Body>, Option<usize>), Failure> {
        let (uri, body, field) = match self.way.web.carries {
            Carries::Messages => (self.uri.clone(), Bytes::copy_from_slice(body), None),
            Carries::Grpc => {
                let outgoing = grpc::outgoing(self.route, body)?;
                let uri =
                    uri(Version::Two, &self.way.target, &outgoing.path).ok_or_else(|| Failure::protocol("the call's name is no path"))?;
                (uri, outgoing.body, outgoing.field)
            }
        };
        let mut headers = self.headers.clone();
        let body = coding::outgoing(self.way.web.coding, body, &mut headers).map_err(|why| Failure::new(Kind::CannotCarry, why))?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        Ok((request, field))
    }
}

impl Connection for Client {
    fn call(&mut self, request: &[u8]) -> Result<&[u8], Failure> {
        if request.len() > LIMIT {
            return Err(too_large(request.len(), LIMIT));
        }
        let (request, field) = self.request(request)?;
        let kept = self.sender.take().filter(|sender| !sender.is_closed());
        let way = &self.way;
        let call = async {
            let (mut sender, driver) = match kept {
                Some(sender) => (sender, None),
                None => way.open().await.map(|(sender, driver)| (sender, Some(driver)))?,
            };
            let came = exchange(&mut sender, request).await?;
            if way.web.keep == Keep::Call {
                drop(sender);
                if let Some(driver) = driver.filter(|_| way.dial.closes) {
                    // Closed within the call, before the server could.
                    let _ = driver.await;
                }
                return Ok((came, None));
            }
            // The driver may have to see the end of the answer first; a connection that the server closes is noticed here.
            let ready = sender.ready().await.is_ok();
            Ok((came, ready.then_some(sender)))
        };
        // In a block of its own, since the timer needs the runtime that it is made in.
        let made = self.runtime.block_on(async { tokio::time::timeout(way.to.timeout, call).await });
        let (came, sender) = made.unwrap_or_else(|_| Err(timed_out()))?;
        self.sender = sender;
        self.answer = match way.web.carries {
            Carries::Messages => came.decoded(way.web)?.message()?,
            Carries::Grpc => came.unwrapped(field)?,
        };
        Ok(&self.answer)
    }

    fn connections(&self) -> usize {
        usize::from(self.sender.is_some())
    }
}
