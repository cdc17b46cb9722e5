//! A web server that answers as a test wants, and misbehaves as it wants.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What a client asked for.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    /// Request line and headers.
    pub(crate) head: String,
}

/// A server on a port of its own. Its threads end with the test program.
pub(crate) struct Web {
    pub(crate) port: u16,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Web {
    /// Starts a server that lets `answer` deal with each connection, whose request has been looked at and not been
    /// read.
    pub(crate) fn raw(answer: impl Fn(&Request, TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (answer, requests) = (Arc::new(answer), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                std::thread::spawn(move || {
                    if let Some(request) = look(&stream) {
                        requests.lock().unwrap().push(request.clone());
                        answer(&request, stream);
                    }
                });
            }
        });
        Self { port, log }
    }

    /// Starts a server that sends the bytes that `answer` makes of a request.
    pub(crate) fn start(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::raw(move |request, mut stream| {
            take(&mut stream);
            // A client that has seen enough is gone.
            let _ = stream.write_all(&answer(request));
        })
    }

    /// A server that answers everything with one text.
    pub(crate) fn text(body: &'static str) -> Self {
        Self::start(move |_| ok("text/plain", body))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.log.lock().unwrap().clone()
    }
}

/// The request of a connection, left in its buffer; `None` where the client goes away.
fn look(stream: &TcpStream) -> Option<Request> {
    let mut buffer = [0; 8192];
    loop {
        let count = stream.peek(&mut buffer).ok().filter(|count| *count > 0)?;
        let head = String::from_utf8_lossy(&buffer[..count]).into_owned();
        if let Some((head, _)) = head.split_once("\r\n\r\n") {
            let path = head.split(' ').nth(1)?.to_owned();
            return Some(Request {
                path,
                head: head.to_owned(),
            });
        }
    }
}

/// Reads the request, so that closing the connection does not reset it.
pub(crate) fn take(stream: &mut TcpStream) {
    let mut last = [0; 4];
    let mut byte = [0; 1];
    while &last != b"\r\n\r\n" && stream.read_exact(&mut byte).is_ok() {
        last.rotate_left(1);
        last[3] = byte[0];
    }
}

/// Waits until the client goes away.
pub(crate) fn wait(mut stream: TcpStream) {
    let _ = stream.read(&mut [0; 1]);
}

/// A response with these headers, each with its line end.
pub(crate) fn response(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub(crate) fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    response("200 OK", &format!("Content-Type: {content_type}\r\n"), body)
}

pub(crate) fn moved(location: &str) -> Vec<u8> {
    response("302 Found", &format!("Location: {location}\r\n"), "")
}
