//! `outflank web`: the board in a browser, and the service for scripts.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::Arc;

use clap::Args;
use outflank::rules::RuleSet;
use outflank::web::{Access, Config, Service, serve};

use super::cores;
use super::error::{Error, Outcome, Status};
use super::interrupt;
use super::options::{EngineOptions, parse_threads, whole};
use super::session::BookOptions;

/// Arguments of `web`.
#[derive(Args)]
#[command(after_help = "\
The page plays all rule sets, studies positions with values on the squares, reviews games and has the solitaire. The same
things are an HTTP service: http://localhost:8094/api describes it, /api/v1/openapi.json for programs.

Only this machine can reach it. To let others in, give an address and a secret that they must know (the second example); they
open http://ADDRESS:8094/?token=a-long-secret. Users of this machine can read --token in the list of processes; what stands in
the environment (the third example) they cannot. --open gives the browser an address without it, which lets one in, once.

Examples:
  outflank web --open
  outflank web --host 0.0.0.0 --token a-long-secret
  OUTFLANK_TOKEN=$(cat secret.txt) outflank web --host 0.0.0.0
  curl -s localhost:8094/api/v1/hint -d '{\"text\": \"f5d6c3\", \"level\": 10}'")]
pub struct WebArguments {
    /// The port; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 8094, value_parser = whole::<u16>(0..=u16::MAX))]
    port: u16,

    /// The address to listen on; other machines reach 0.0.0.0, which needs --token
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_parser = parse_address)]
    host: IpAddr,

    /// A secret that clients must know: 8 to 128 letters, digits and - . _ ~
    #[arg(long, value_name = "SECRET", env = "OUTFLANK_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Searches that run at the same time, for all clients together; more wait [default: cores divided by --threads]
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    searches: Option<usize>,

    /// Games in memory
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<u32>(1..=100_000))]
    games: u32,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    book: BookOptions,
}

fn parse_address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| "not an address such as 127.0.0.1 or ::1".to_string())
}

/// Runs `web` until it is interrupted.
pub fn run(arguments: &WebArguments) -> Outcome {
    let access = Access::new(arguments.host, arguments.token.as_deref());
    let access = access.map_err(|error| Error::input(error.to_string()))?;
    // its thread comes first: the searches take those that they get
    let stop = interrupt::ctrl_c();
    let service = Service::new(Config {
        engine: arguments.engine.options(),
        weights: arguments.engine.eval.load()?,
        // each game has a seed of its own, and rules
        book: arguments.book.opening_book(None, &Arc::new(RuleSet::othello()))?,
        searches: arguments.searches.unwrap_or(cores() / arguments.engine.threads).max(1),
        sessions: arguments.games as usize,
        access,
        ..Config::default()
    });
    let service = service.map_err(|error| Error::input(error.to_string()))?;
    let address = SocketAddr::new(arguments.host, arguments.port);
    let listener = TcpListener::bind(address);
    let listener = listener.map_err(|error| Error::input(format!("cannot listen on {address}: {error}")))?;
    let bound = listener.local_addr()?;
    let query = arguments.token.as_ref().map(|token| format!("token={token}"));
    writeln!(io::stdout(), "Outflank is at {} (Ctrl-C ends it)", page(bound, query.as_deref()))?;
    io::stdout().flush()?;
    if arguments.open {
        open(&page(bound, service.invite().as_deref()));
    }
    serve(service, listener, &stop).map_err(|error| Error::input(format!("cannot serve {address}: {error}")))?;
    Ok(Status::Success)
}

/// The address of the page as a person of this machine types it.
fn page(address: SocketAddr, query: Option<&str>) -> String {
    let host = match address.ip() {
        // the other loop-back addresses have no name
        ip if ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST || ip.is_unspecified() => "localhost".to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        ip => ip.to_string(),
    };
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    format!("http://{host}:{}/{query}", address.port())
}

/// Opens a page in the browser, if there is a way to.
fn open(page: &str) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("rundll32", &["url.dll,FileProtocolHandler"]),
        _ => ("xdg-open", &[]),
    };
    let silent = |command: &mut Command| {
        command.args(before).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    match silent(&mut Command::new(program)) {
        // it lives on by itself; waiting for it keeps no zombie
        Ok(mut child) => drop(std::thread::Builder::new().spawn(move || child.wait())),
        Err(error) => tell!("outflank: cannot run {program} to open the browser: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_addresses_to_type() {
        let page = |address: &str, query| page(address.parse().unwrap(), query);
        assert_eq!(page("127.0.0.1:8094", None), "http://localhost:8094/");
        assert_eq!(page("0.0.0.0:80", Some("token=secret-42")), "http://localhost:80/?token=secret-42");
        assert_eq!(page("[::1]:1", None), "http://localhost:1/");
        assert_eq!(page("127.0.0.2:1", None), "http://127.0.0.2:1/");
        assert_eq!(page("192.168.0.7:8094", None), "http://192.168.0.7:8094/");
        assert_eq!(page("[fe80::1]:8094", None), "http://[fe80::1]:8094/");
    }
}
