//! The server: as many threads as the process has processors, each running many connections.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use callbench_kit::stack::{LIMIT, Listen, Options, Server};
use callbench_kit::{Failure, Kind};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

use super::super::{Route, Said, tcp};
use super::Keep;

/// How long accepting rests where the process is out of descriptors or memory: a connection that ends gives some back.
const REST: Duration = Duration::from_millis(10);
/// How long a client may take for a request's head.
const HEAD: Duration = Duration::from_secs(60);
/// How long the end waits for a call under way.
const END: Duration = Duration::from_secs(2);

/// What all connections share.
struct House {
    routes: Vec<Route>,
    base: String,
    limit: usize,
    keep: Keep,
    /// Whether the service was told to wait in its calls: then a thread that waits must not keep other connections waiting.
    waits: bool,
}

struct Web {
    endpoint: String,
    runtime: Option<Runtime>,
}

impl Server for Web {
    fn endpoint(&self) -> String {
        self.endpoint.clone()
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END);
        }
    }
}

pub fn serve(routes: Vec<Route>, at: Listen, options: &Options, keep: Keep) -> Result<Box<dyn Server>, Failure> {
    let limit = match options.get("limit") {
        None => LIMIT,
        Some(value) => value
            .as_u64()
            .filter(|limit| *limit > 0)
            .map(|limit| limit as usize)
            .ok_or_else(|| Failure::new(Kind::BadRequest, format!("option limit is {value}: it must be a whole number from 1")))?,
    };
    let listener = tcp::listen(at)?;
    listener.set_nonblocking(true)?;
    let base = format!("http://{}", listener.local_addr()?);
    let endpoint = match &routes[..] {
        [route] => format!("{base}/{}", route.path),
        _ => base.clone(),
    };
    let waits = options.keys().any(|name| name.ends_with("_us"));
    let house = Arc::new(House { routes, base, limit, keep, waits });
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let runtime = Builder::new_multi_thread().worker_threads(workers).thread_name("http").enable_all().build()?;
    let listener = {
        let _inside = runtime.enter();
        TcpListener::from_std(listener)?
    };
    runtime.spawn(accept(listener, house));
    Ok(Box::new(Web { endpoint, runtime: Some(runtime) }))
}

async fn accept(listener: TcpListener, house: Arc<House>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(host(stream, Arc::clone(&house)))),
            Err(_) => tokio::time::sleep(REST).await,
        }
    }
}

async fn host(stream: TcpStream, house: Arc<House>) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(move |request| {
        let house = Arc::clone(&house);
        async move {
            // The server closes behind its answer, and so does the client, unless the client says that it will close first.
            let closes = house.keep == Keep::Call && request.headers().get(CONNECTION).is_none_or(|said| said != "keep-alive");
            let mut response = house.respond(request).await;
            if closes {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response)
        }
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    // How a connection ended is its client's to know.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

impl House {
    async fn respond(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        let Some(route) = self.routes.iter().find(|route| path.strip_prefix('/') == Some(route.path)) else {
            let paths: Vec<String> = self.routes.iter().map(|route| format!("/{}", route.path)).collect();
            return said(StatusCode::NOT_FOUND, format!("nothing is served at {path}: there is {}\n", paths.join(", ")));
        };
        match *request.method() {
            Method::POST => self.answer(route, request).await,
            Method::GET if request.uri().query().is_some_and(|query| query.eq_ignore_ascii_case("wsdl")) => self.describe(route),
            _ => {
                let mut response = said(StatusCode::METHOD_NOT_ALLOWED, format!("{path} answers calls by POST\n"));
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
                response
            }
        }
    }

    fn describe(&self, route: &Route) -> Response<Full<Bytes>> {
        match (route.description)(&format!("{}/{}", self.base, route.path)) {
            Some((media, text)) => response(StatusCode::OK, media, text.into()),
            None => said(StatusCode::NOT_FOUND, format!("/{} has no description\n", route.path)),
        }
    }

    async fn answer(&self, route: &Route, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let too_large = || said(StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {} bytes\n", self.limit));
        let body = request.into_body();
        if body.size_hint().lower() > self.limit as u64 {
            return too_large();
        }
        // Collected as it comes: a length that is merely claimed takes no memory.
        let request = match Limited::new(body, self.limit).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return too_large(),
            Err(error) => return said(StatusCode::BAD_REQUEST, format!("the request did not come whole: {error}\n")),
        };
        let mut answer = Vec::new();
        let mut call = || route.handler.answer(&request, &mut answer);
        let status = match if self.waits { tokio::task::block_in_place(call) } else { call() } {
            Said::Answer => StatusCode::OK,
            Said::Fault => StatusCode::from_u16(route.fault_status).unwrap_or(StatusCode::OK),
        };
        response(status, route.content_type, answer.into())
    }
}

fn response(status: StatusCode, media: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}

fn said(status: StatusCode, sentence: String) -> Response<Full<Bytes>> {
    response(status, "text/plain; charset=utf-8", sentence.into())
}

/// The host and port of an endpoint, and its path or `otherwise`.
pub fn parted(endpoint: &str, otherwise: &str) -> Option<(SocketAddr, String)> {
    let rest = endpoint.strip_prefix("http://")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let path = if path.is_empty() { otherwise } else { path };
    Some((authority.parse().ok()?, format!("/{path}")))
}
