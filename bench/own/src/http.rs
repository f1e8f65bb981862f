//! Messages over HTTP/1.1 with hyper, on a connection that is kept.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{self, Runtime};
use tokio::time::timeout;

use crate::{Client, Handler};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TIMEOUT: Duration = Duration::from_secs(10);

/// Serves until the program ends. Returns its URL.
pub fn serve(handler: Arc<dyn Handler>) -> std::io::Result<String> {
    let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    let address = format!("http://{}/json", listener.local_addr()?);
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let handler = Arc::clone(&handler);
            tokio::spawn(async move {
                stream.set_nodelay(true)?;
                let service = service_fn(move |request| respond(request, Arc::clone(&handler)));
                let served = Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await;
                served.map_err(std::io::Error::other)
            });
        }
    });
    std::mem::forget(runtime);
    Ok(address)
}

async fn respond(request: Request<Incoming>, handler: Arc<dyn Handler>) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut response = Response::new(Full::default());
    if request.method() != Method::POST {
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        return Ok(response);
    }
    match request.into_body().collect().await {
        Ok(body) => {
            let mut answer = Vec::new();
            handler.answer(&body.to_bytes(), &mut answer);
            response.headers_mut().insert(CONTENT_TYPE, JSON);
            *response.body_mut() = Full::new(answer.into());
        }
        Err(_) => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    Ok(response)
}

pub struct Connection {
    runtime: Runtime,
    sender: SendRequest<Full<Bytes>>,
    uri: Uri,
    host: HeaderValue,
    answer: Bytes,
}

impl Connection {
    pub fn open(url: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let uri: Uri = url.parse()?;
        let host = uri.authority().ok_or("the URL has no host")?.as_str();
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let sender = runtime.block_on(async {
            let stream = TcpStream::connect(host).await?;
            stream.set_nodelay(true)?;
            let (sender, connection) = handshake(TokioIo::new(stream)).await?;
            tokio::spawn(connection);
            Ok::<_, Box<dyn std::error::Error>>(sender)
        })?;
        let host = HeaderValue::from_str(host)?;
        Ok(Connection { runtime, sender, uri: uri.path().parse()?, host, answer: Bytes::new() })
    }
}

impl Client for Connection {
    fn call(&mut self, write: &dyn Fn(&mut Vec<u8>)) -> Result<&[u8], String> {
        let mut body = Vec::new();
        write(&mut body);
        let request = Request::post(self.uri.clone()).header(HOST, &self.host).header(CONTENT_TYPE, JSON);
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?;
        let sender = &mut self.sender;
        let exchange = async {
            sender.ready().await?;
            let response = sender.send_request(request).await?;
            let status = response.status();
            Ok::<_, hyper::Error>((status, response.into_body().collect().await?.to_bytes()))
        };
        let answered = self.runtime.block_on(async { timeout(TIMEOUT, exchange).await });
        let (status, body) = answered.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        self.answer = body;
        if status == StatusCode::OK { Ok(&self.answer) } else { Err(format!("the server answers {status}")) }
    }
}
