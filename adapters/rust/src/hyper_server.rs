//! `rust/hyper`: hyper 1 on tokio's runtime of many threads, a task a connection, as hyper's own examples have it.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as Listener};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use callbench_kit::stack::{Client, Connect, Listen, Options, Server, Stack};
use callbench_kit::{Failure, Kind};
use callbench_service::{Call, Service};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

const PATH: &str = "/service/helloworld";
const BODY: &str = r#"{"result":["Hello World!"]}"#;
/// How long accepting pauses if the process has no descriptors or memory. Connections that end release some.
const REST: Duration = Duration::from_millis(10);
/// How long the end waits for a call under way.
const END: Duration = Duration::from_secs(2);

pub struct Hyper;

impl Stack for Hyper {
    fn name(&self) -> String {
        "hyper".to_owned()
    }

    fn serve(&self, service: Arc<Service>, at: Listen, options: &Options) -> Result<Box<dyn Server>, Failure> {
        let listener = Listener::bind((at.host, at.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Runtime::new()?;
        let listener = {
            let _inside = runtime.enter();
            TcpListener::from_std(listener)?
        };
        // A delayed call blocks its thread, which must not delay other connections.
        let waits = !options.is_empty();
        runtime.spawn(accept(listener, Hello { service, waits }));
        Ok(Box::new(Serving { address, runtime: Some(runtime) }))
    }

    fn connect(&self, _to: &Connect) -> Result<Box<dyn Client>, Failure> {
        Err(Failure::new(Kind::Unsupported, "this adapter has servers only: the load driver calls them"))
    }
}

/// A server that runs; its runtime goes with it, and every connection with that.
struct Serving {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Server for Serving {
    fn endpoint(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(END);
        }
    }
}

/// What all connections share.
#[derive(Clone)]
struct Hello {
    service: Arc<Service>,
    waits: bool,
}

async fn accept(listener: TcpListener, hello: Hello) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => drop(tokio::spawn(host(stream, hello.clone()))),
            Err(_) => tokio::time::sleep(REST).await,
        }
    }
}

async fn host(stream: TcpStream, hello: Hello) {
    let service = service_fn(|request| {
        let hello = hello.clone();
        async move { Ok::<_, Infallible>(hello.respond(&request)) }
    });
    // How a connection ended is its client's to know.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

impl Hello {
    fn respond(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        if request.uri().path() != PATH {
            let sentence = format!("there is nothing at {}: ask for {PATH}\n", request.uri().path());
            return text_response(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", sentence);
        }
        if request.method() != Method::GET {
            let mut refused =
                text_response(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", format!("{PATH} is asked with GET\n"));
            refused.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
            return refused;
        }
        let answered =
            if self.waits { tokio::task::block_in_place(|| self.service.answer(&Call::Hello)) } else { self.service.answer(&Call::Hello) };
        match answered {
            Ok(_) => text_response(StatusCode::OK, "application/json", BODY),
            Err(fault) => text_response(StatusCode::INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8", fault.message),
        }
    }
}

fn text_response(status: StatusCode, media: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
    response
}
