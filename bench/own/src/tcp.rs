//! Messages over a TCP connection, each after its length in four bytes, with a thread for each connection.

use std::io::{self, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::{Client, Handler};

const HEADER: usize = 4;
const TIMEOUT: Duration = Duration::from_secs(10);

/// Serves until the program ends. Returns its address.
pub fn serve(handler: Arc<dyn Handler>) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let handler = Arc::clone(&handler);
            thread::spawn(move || answer_all(stream, &*handler));
        }
    });
    Ok(address)
}

fn answer_all(stream: TcpStream, handler: &dyn Handler) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut to = stream.try_clone()?;
    let mut from = BufReader::with_capacity(1 << 16, stream);
    let (mut request, mut answer) = (Vec::new(), Vec::new());
    loop {
        receive(&mut from, &mut request)?;
        answer.clear();
        answer.extend_from_slice(&[0; HEADER]);
        handler.answer(&request, &mut answer);
        send(&mut to, &mut answer)?;
    }
}

fn receive(from: &mut impl Read, message: &mut Vec<u8>) -> io::Result<()> {
    let mut header = [0; HEADER];
    from.read_exact(&mut header)?;
    message.resize(u32::from_be_bytes(header) as usize, 0);
    from.read_exact(message)
}

/// Sends a message that has room for its length before it.
fn send(to: &mut impl Write, message: &mut [u8]) -> io::Result<()> {
    let length = (message.len() - HEADER) as u32;
    message[..HEADER].copy_from_slice(&length.to_be_bytes());
    to.write_all(message)
}

pub struct Connection {
    to: TcpStream,
    from: BufReader<TcpStream>,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Connection {
    pub fn open(address: &str) -> io::Result<Self> {
        let to = TcpStream::connect(address)?;
        to.set_nodelay(true)?;
        to.set_read_timeout(Some(TIMEOUT))?;
        let from = BufReader::with_capacity(1 << 16, to.try_clone()?);
        Ok(Connection { to, from, request: Vec::new(), answer: Vec::new() })
    }
}

impl Client for Connection {
    fn call(&mut self, write: &dyn Fn(&mut Vec<u8>)) -> Result<&[u8], String> {
        self.request.clear();
        self.request.extend_from_slice(&[0; HEADER]);
        write(&mut self.request);
        send(&mut self.to, &mut self.request).map_err(|error| error.to_string())?;
        receive(&mut self.from, &mut self.answer).map_err(|error| error.to_string())?;
        Ok(&self.answer)
    }
}
