//! A client of a real port: HTTP/1.1 over the loop-back address, in plain calls.
#![allow(dead_code)] // each test uses its part

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use outflank::search::StopToken;
use outflank::web::{Config, Service, serve};
use serde_json::Value;

/// A server on a free port of this machine, until it is dropped.
pub struct Port {
    pub address: SocketAddr,
    pub service: Service,
    stop: StopToken,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Port {
    pub fn new(config: Config) -> Port {
        Port::at(SocketAddr::from(([127, 0, 0, 1], 0)), config)
    }

    /// A server where another one has been.
    pub fn at(address: SocketAddr, config: Config) -> Port {
        let listener = TcpListener::bind(address).expect("a port");
        let address = listener.local_addr().expect("an address");
        let service = Service::new(config).expect("a service");
        let stop = StopToken::new();
        let thread = {
            let (service, stop) = (service.clone(), stop.clone());
            std::thread::spawn(move || serve(service, listener, &stop))
        };
        Port { address, service, stop, thread: Some(thread) }
    }

    /// The page's address.
    pub fn page(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server does not panic").expect("the server ends well");
        }
    }
}

/// A connection that stays open from request to request.
pub struct Connection {
    reader: BufReader<TcpStream>,
    host: String,
}

/// An answer: status and body.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }
}

impl Connection {
    pub fn open(address: SocketAddr) -> io::Result<Connection> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Connection { reader: BufReader::new(stream), host: address.to_string() })
    }

    /// Sends a request without waiting for its answer.
    pub fn send(&mut self, method: &str, path: &str, body: &str) -> io::Result<()> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.reader.get_mut().write_all((head + body).as_bytes())
    }

    /// Reads a line of what comes.
    pub fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_string())
    }

    /// A request and its whole answer.
    pub fn ask(&mut self, method: &str, path: &str, body: &str) -> io::Result<Reply> {
        self.send(method, path, body)?;
        let bad = || io::Error::from(io::ErrorKind::InvalidData);
        let status = self.line()?.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(bad)?;
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(':').map(|(name, value)| (name, value.trim())) {
                Some(("content-length", value)) => length = value.parse().map_err(|_| bad())?,
                Some(("transfer-encoding", "chunked")) => chunked = true,
                _ if line.is_empty() => break,
                _ => {}
            }
        }
        let mut bytes = Vec::new();
        loop {
            let part = if chunked { usize::from_str_radix(&self.line()?, 16).map_err(|_| bad())? } else { length };
            let from = bytes.len();
            bytes.resize(from + part, 0);
            self.reader.read_exact(&mut bytes[from..])?;
            if !chunked {
                break;
            }
            self.line()?;
            if part == 0 {
                break;
            }
        }
        Ok(Reply { status, body: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// A request that has to work, with a JSON answer.
    pub fn json(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let reply = self.ask(method, path, &text).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
        assert_eq!(reply.status, 200, "{method} {path}: {}", reply.body);
        reply.json()
    }
}
