//! The server: as many threads as the process has processors, each running many connections.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use callbench_contract::endpoint::{LIMIT, Listen, Options, Server};
use callbench_contract::{Failure, Kind};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::{ACCEPT_ENCODING, ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

use super::super::rendezvous::same_user;
use super::super::{AnswerKind, Channel as _, Route};
use super::body::Whole;
use super::coding::{self, Unreadable, accepts};
use super::grpc::{self, Target, code};
use super::place::{self, Listener, within};
use super::{Carries, Keep, Version, Web};

/// How long accepting rests where the process is out of descriptors or memory: a connection that ends gives some back.
const REST: Duration = Duration::from_millis(10);
/// How long a client may take for a request's head, or for the handshake of TLS.
const HEAD: Duration = Duration::from_secs(60);
/// How long the end waits for a call under way.
const END: Duration = Duration::from_secs(2);

/// What all connections share.
struct Shared {
    web: Web,
    routes: Vec<Route>,
    base: String,
    limit: usize,
    /// Whether the service was told to wait in its calls: then a thread that waits must not keep other connections waiting.
    waits: bool,
}

struct Running {
    endpoint: String,
    runtime: Option<Runtime>,
}

impl Server for Running {
    fn endpoint(&self) -> String {
        self.endpoint.clone()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END);
        }
    }
}

pub fn serve(web: Web, routes: Vec<Route>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
    let limit = match options.get("limit") {
        None => LIMIT,
        Some(value) => value
            .as_u64()
            .filter(|limit| *limit > 0)
            .map(|limit| limit as usize)
            .ok_or_else(|| Failure::new(Kind::BadRequest, format!("option limit is {value}: it must be a whole number from 1")))?,
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = Builder::new_multi_thread().worker_threads(workers).thread_name("http").enable_all().build()?;
    let (listener, base) = {
        let _inside = runtime.enter();
        place::listen(web, at)?
    };
    let endpoint = match &routes[..] {
        [route] => web.within(&base, route.path),
        _ => base.clone(),
    };
    let waits = options.keys().any(|name| name.ends_with("_us"));
    runtime.spawn(accept(listener, Arc::new(Shared { web, routes, base, limit, waits })));
    Ok(Box::new(Running { endpoint, runtime: Some(runtime) }))
}

async fn accept(listener: Listener, shared: Arc<Shared>) {
    loop {
        let shared = Arc::clone(&shared);
        let taken = match &listener {
            Listener::Tcp(listener) => listener.accept().await.map(|(stream, _)| drop(tokio::spawn(plain(stream, shared)))),
            Listener::Tls(listener, config) => {
                let config = Arc::clone(config);
                listener.accept().await.map(|(stream, _)| drop(tokio::spawn(secure(stream, config, shared))))
            }
            Listener::Unix(listener) => listener.accept().await.map(|(stream, _)| {
                if same_user(&stream).is_ok() {
                    drop(tokio::spawn(host(stream, shared)));
                }
            }),
        };
        if taken.is_err() {
            tokio::time::sleep(REST).await;
        }
    }
}

async fn plain(stream: TcpStream, shared: Arc<Shared>) {
    if stream.set_nodelay(true).is_ok() {
        host(stream, shared).await;
    }
}

async fn secure(stream: TcpStream, config: Arc<ServerConfig>, shared: Arc<Shared>) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    // Who fails in the handshake has been told so by TLS itself.
    if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, TlsAcceptor::from(config).accept(stream)).await {
        host(stream, shared).await;
    }
}

async fn host<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S, shared: Arc<Shared>) {
    let web = shared.web;
    let service = service_fn(move |request| {
        let shared = Arc::clone(&shared);
        async move {
            // The server closes behind its answer, and so does the client, unless the client says that it will close first.
            let closes = web.keep == Keep::Call && request.headers().get(CONNECTION).is_none_or(|said| said != "keep-alive");
            let mut response = match web.carries {
                Carries::Messages => shared.respond(request).await,
                Carries::Grpc => shared.respond_to_grpc(request).await,
            };
            if closes {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let stream = TokioIo::new(stream);
    // How a connection ended is its client's to know.
    let _ = match web.version {
        Version::One => {
            let mut builder = hyper::server::conn::http1::Builder::new();
            builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
            builder.serve_connection(stream, service).await
        }
        Version::Two => {
            let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            builder.timer(TokioTimer::new()).serve_connection(stream, service).await
        }
    };
}

/// Why a request's body was not taken.
enum NotTaken {
    TooLarge,
    Cut(String),
    /// Compressed in a way that is not spoken here.
    Coded(String),
}

impl Shared {
    async fn respond(&self, request: Request<Incoming>) -> Response<Whole> {
        let path = request.uri().path();
        let Some(route) = self.routes.iter().find(|route| path.strip_prefix('/') == Some(route.path)) else {
            let paths: Vec<String> = self.routes.iter().map(|route| format!("/{}", route.path)).collect();
            return text_response(StatusCode::NOT_FOUND, format!("nothing is served at {path}: there is {}\n", paths.join(", ")));
        };
        match *request.method() {
            Method::POST => self.answer(route, request).await,
            Method::GET if request.uri().query().is_some_and(|query| query.eq_ignore_ascii_case("wsdl")) => self.describe(route),
            _ => {
                let mut response = text_response(StatusCode::METHOD_NOT_ALLOWED, format!("{path} answers calls by POST\n"));
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
                response
            }
        }
    }

    fn describe(&self, route: &Route) -> Response<Whole> {
        match (route.description)(&within(&self.base, route.path)) {
            Some((media, text)) => response(StatusCode::OK, media, text.into()),
            None => text_response(StatusCode::NOT_FOUND, format!("/{} has no description\n", route.path)),
        }
    }

    async fn answer(&self, route: &Route, request: Request<Incoming>) -> Response<Whole> {
        let headers = if self.web.coding.is_some() { request.headers().clone() } else { HeaderMap::new() };
        let decoded = self.body(request).await.and_then(|body| self.decoded(body, &headers));
        let request = match decoded {
            Ok(request) => request,
            Err(NotTaken::Coded(name)) => return self.unknown_coding(&name),
            Err(NotTaken::TooLarge) => {
                return text_response(StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {} bytes\n", self.limit));
            }
            Err(NotTaken::Cut(why)) => return text_response(StatusCode::BAD_REQUEST, format!("the request did not come whole: {why}\n")),
        };
        let mut answer = Vec::new();
        let status = match self.call(route, &request, &mut answer) {
            AnswerKind::Answer => StatusCode::OK,
            AnswerKind::Fault => StatusCode::from_u16(route.fault_status).unwrap_or(StatusCode::OK),
        };
        let mut response = response(status, route.content_type, Bytes::new());
        let accepted = self.web.coding.filter(|coding| accepts(&headers, *coding));
        match coding::outgoing(accepted, answer.into(), response.headers_mut()) {
            Ok(body) => *response.body_mut() = Whole::new(body),
            Err(why) => return text_response(StatusCode::INTERNAL_SERVER_ERROR, format!("{why}\n")),
        }
        response
    }

    /// A request's body as it was before the client compressed it. Channels without a coding do not look at what the client says.
    fn decoded(&self, body: Bytes, headers: &HeaderMap) -> Result<Bytes, NotTaken> {
        let Some(coding) = self.web.coding else { return Ok(body) };
        match coding::incoming(coding, body, headers) {
            Ok(body) if body.len() > self.limit => Err(NotTaken::TooLarge),
            Ok(body) => Ok(body),
            Err(Unreadable::TooLarge) => Err(NotTaken::TooLarge),
            Err(Unreadable::Broken(why)) => Err(NotTaken::Cut(why)),
            Err(Unreadable::Unknown(name)) => Err(NotTaken::Coded(name)),
        }
    }

    fn unknown_coding(&self, name: &str) -> Response<Whole> {
        let known = self.web.coding.map_or("identity", coding::Coding::name);
        let sentence = format!("a request can be plain or in the coding {known}, not in {name}\n");
        let mut response = text_response(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence);
        response.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static(known));
        response
    }

    /// As gRPC has it: HTTP's status is always 200, and the call's own is in the trailers, or in the headers where nothing else is.
    async fn respond_to_grpc(&self, request: Request<Incoming>) -> Response<Whole> {
        let path = request.uri().path().to_owned();
        let asked = Target::by(&path).filter(|_| request.method() == Method::POST);
        let found = asked.and_then(|asked| Some((asked, self.routes.iter().find(|route| route.path == asked.route())?)));
        let Some((asked, route)) = found else {
            return refused(code::UNIMPLEMENTED, &format!("there is no method {path} here"));
        };
        let message = match self.body(request).await {
            Ok(body) => grpc::unframed(body),
            Err(NotTaken::TooLarge) => Err((code::RESOURCE_EXHAUSTED, "the request is larger than the server takes")),
            Err(NotTaken::Cut(_) | NotTaken::Coded(_)) => Err((code::INTERNAL, "the request did not come whole")),
        };
        let message = match message {
            Ok(message) => message,
            Err((code, sentence)) => return refused(code, sentence),
        };
        let mut written = Vec::new();
        self.call(route, &asked.request(&message), &mut written);
        match asked.answer(&written) {
            Ok(framed) => {
                let mut response = Response::new(Whole::with_trailers(framed, grpc::status(code::OK, "")));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(grpc::MEDIA));
                response
            }
            Err(fault) => refused(code::INVALID_ARGUMENT, &fault),
        }
    }

    fn call(&self, route: &Route, request: &[u8], answer: &mut Vec<u8>) -> AnswerKind {
        let mut call = || route.handler.answer(request, answer);
        if self.waits { tokio::task::block_in_place(call) } else { call() }
    }

    /// The body, collected as it comes: a length that is merely claimed takes no memory.
    async fn body(&self, request: Request<Incoming>) -> Result<Bytes, NotTaken> {
        let body = request.into_body();
        if body.size_hint().lower() > self.limit as u64 {
            return Err(NotTaken::TooLarge);
        }
        match Limited::new(body, self.limit).collect().await {
            Ok(body) => Ok(body.to_bytes()),
            Err(error) if error.is::<LengthLimitError>() => Err(NotTaken::TooLarge),
            Err(error) => Err(NotTaken::Cut(error.to_string())),
        }
    }
}

fn response(status: StatusCode, media: &'static str, body: Bytes) -> Response<Whole> {
    let mut response = Response::new(Whole::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

fn text_response(status: StatusCode, sentence: String) -> Response<Whole> {
    response(status, "text/plain; charset=utf-8", sentence.into())
}

/// An answer of gRPC that has nothing but its status.
fn refused(code: &'static str, sentence: &str) -> Response<Whole> {
    let mut response = response(StatusCode::OK, grpc::MEDIA, Bytes::new());
    response.headers_mut().extend(grpc::status(code, sentence));
    response
}
