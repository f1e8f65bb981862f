//! A thread a connection: accepts until dropped, and then ends every connection and waits for its thread.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use callbench_contract::Failure;
use callbench_contract::endpoint::Server;
use nix::sys::socket::{Shutdown, SockFlag, accept4, shutdown};

/// How long accepting pauses if the process has no descriptors or memory. Connections that end release some.
const REST: Duration = Duration::from_millis(10);

pub use super::line::Ending;

struct Accepted {
    socket: Weak<OwnedFd>,
    thread: JoinHandle<()>,
}

/// A server on a listening socket.
pub struct Acceptor {
    endpoint: String,
    listener: Arc<OwnedFd>,
    ending: Ending,
    connections: Arc<Mutex<Vec<Accepted>>>,
    thread: Option<JoinHandle<()>>,
}

impl Acceptor {
    /// Starts to accept; `host` serves a connection from its first byte to its last, on its own thread.
    pub fn start<H>(endpoint: String, listener: impl Into<OwnedFd>, host: H) -> Result<Box<dyn Server>, Failure>
    where
        H: Fn(Arc<OwnedFd>, &Ending) + Send + Sync + 'static,
    {
        let listener: Arc<OwnedFd> = Arc::new(listener.into());
        let ending = Ending::default();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let (socket, end, list, host) = (Arc::clone(&listener), Arc::clone(&ending), Arc::clone(&connections), Arc::new(host));
        let thread = thread::Builder::new().name("accept".to_owned()).spawn(move || accept(&socket, &end, &list, &host))?;
        Ok(Box::new(Acceptor { endpoint, listener, ending, connections, thread: Some(thread) }))
    }
}

impl Server for Acceptor {
    fn endpoint(&self) -> String {
        self.endpoint.clone()
    }
}

impl Drop for Acceptor {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        // Shutting down a listening socket wakes the thread that accepts.
        let _ = shutdown(self.listener.as_raw_fd(), Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let connections = std::mem::take(&mut *self.connections.lock().unwrap_or_else(PoisonError::into_inner));
        for connection in &connections {
            if let Some(socket) = connection.socket.upgrade() {
                let _ = shutdown(socket.as_raw_fd(), Shutdown::Both);
            }
        }
        for connection in connections {
            let _ = connection.thread.join();
        }
    }
}

fn accept<H>(listener: &OwnedFd, ending: &Ending, connections: &Mutex<Vec<Accepted>>, host: &Arc<H>)
where
    H: Fn(Arc<OwnedFd>, &Ending) + Send + Sync + 'static,
{
    while !ending.load(Ordering::Acquire) {
        match accept4(listener.as_raw_fd(), SockFlag::SOCK_CLOEXEC) {
            // SAFETY: accept4 has just made this descriptor, and nobody else knows it.
            Ok(socket) => serve_connection(Arc::new(unsafe { OwnedFd::from_raw_fd(socket) }), ending, connections, host),
            Err(nix::Error::EINTR | nix::Error::ECONNABORTED) => {}
            Err(_) => thread::sleep(REST),
        }
    }
}

fn serve_connection<H>(socket: Arc<OwnedFd>, ending: &Ending, connections: &Mutex<Vec<Accepted>>, host: &Arc<H>)
where
    H: Fn(Arc<OwnedFd>, &Ending) + Send + Sync + 'static,
{
    let (weak, host, ending) = (Arc::downgrade(&socket), Arc::clone(host), Arc::clone(ending));
    let started: io::Result<JoinHandle<()>> = thread::Builder::new().name("connection".to_owned()).spawn(move || host(socket, &ending));
    let mut connections = connections.lock().unwrap_or_else(PoisonError::into_inner);
    connections.retain(|connection| !connection.thread.is_finished());
    // If no thread could be started, the socket was dropped with the closure: the client sees a closed connection.
    if let Ok(thread) = started {
        connections.push(Accepted { socket: weak, thread });
    }
}
