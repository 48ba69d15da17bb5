//! Who may ask: the rules, without the requests.

use std::net::IpAddr;

/// Who is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Clients must know this.
    token: Option<String>,
    /// The server can be reached from this machine only, so a request for any other name is somebody's trick.
    local: bool,
}

/// Why a server does not start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// Others could use the machine.
    #[error(
        "{0} can be reached from other machines: give a secret with --token (at least 8 characters), which clients must \
         know, or stay with 127.0.0.1"
    )]
    TokenNeeded(IpAddr),
    /// Easily guessed, or of characters that no header can carry.
    #[error("a token has 8 to 128 letters, digits and any of - . _ ~")]
    Token,
}

impl Access {
    /// Only this machine, without a token.
    pub fn loopback() -> Access {
        Access { token: None, local: true }
    }

    /// What an address and a token given by the user make necessary.
    ///
    /// # Errors
    /// [`AccessError`] when the address is open to others and there is no token, or the token is a bad one.
    pub fn new(address: IpAddr, token: Option<&str>) -> Result<Access, AccessError> {
        let local = address.is_loopback();
        match token {
            None if !local => Err(AccessError::TokenNeeded(address)),
            Some(token) if !is_token(token) => Err(AccessError::Token),
            token => Ok(Access { token: token.map(str::to_string), local }),
        }
    }

    /// What clients must know.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The token that a client shows is the right one, or none is needed.
    pub fn admits(&self, shown: Option<&str>) -> bool {
        let Some(token) = &self.token else { return true };
        shown.is_some_and(|shown| is_same(token, shown))
    }

    /// A request for this `Host` is meant for this server. A page of a stranger whose name has been pointed at this machine
    /// (DNS rebinding) has the stranger's name in it.
    pub fn is_own_name(&self, host: &str) -> bool {
        let name = name_of(host);
        if !self.local {
            // whoever knows the token has been told the name, too
            return !name.is_empty();
        }
        name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// Two secrets are the same. Takes the same time whatever is wrong with the one shown.
pub(crate) fn is_same(secret: &str, shown: &str) -> bool {
    let differs = secret.bytes().zip(shown.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    secret.len() == shown.len() && differs == 0
}

fn is_token(token: &str) -> bool {
    let fits = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'.' | b'_' | b'~');
    (8..=128).contains(&token.len()) && token.bytes().all(fits)
}

/// A `Host` without its port and without the brackets of IPv6; nothing where anything else than a port follows the name.
fn name_of(host: &str) -> &str {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (name, port) = bracketed.unwrap_or_else(|| host.split_at(host.find(':').unwrap_or(host.len())));
    let is_port = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit());
    if port.is_empty() || port.strip_prefix(':').is_some_and(is_port) { name } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str, token: Option<&str>) -> Result<Access, AccessError> {
        Access::new(address.parse().unwrap(), token)
    }

    #[test]
    fn other_machines_need_a_token() {
        assert!(access("127.0.0.1", None).is_ok() && access("::1", None).is_ok());
        for address in ["0.0.0.0", "192.168.0.7", "::"] {
            let refused = access(address, None).unwrap_err();
            assert_eq!(refused, AccessError::TokenNeeded(address.parse().unwrap()));
            assert!(refused.to_string().contains("--token"), "{refused}");
            assert!(access(address, Some("long-enough")).is_ok());
        }
        for bad in ["", "short", "with a blank", "ünïcödé-token", "line\nbreak"] {
            assert_eq!(access("127.0.0.1", Some(bad)), Err(AccessError::Token), "{bad:?}");
        }
    }

    #[test]
    fn tokens_are_compared_whole() {
        let open = Access::loopback();
        assert!(open.admits(None) && open.admits(Some("anything")));
        let closed = access("0.0.0.0", Some("secret-42")).unwrap();
        assert!(closed.admits(Some("secret-42")));
        for wrong in [None, Some(""), Some("secret-4"), Some("secret-421"), Some("Secret-42")] {
            assert!(!closed.admits(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn names_of_this_machine() {
        let local = Access::loopback();
        for own in ["localhost", "LOCALHOST:8094", "127.0.0.1:1", "127.8.8.8", "[::1]:8094", "[::1]"] {
            assert!(local.is_own_name(own), "{own}");
        }
        for other in [
            "",
            "evil.example",
            "localhost.evil.example:8094",
            "10.0.0.1",
            "[::2]:80",
            "::1",
            "[::1].evil.example",
            "localhost:80@evil.example",
        ] {
            assert!(!local.is_own_name(other), "{other}");
        }
        assert!(access("0.0.0.0", Some("secret-42")).unwrap().is_own_name("box.lan:8094"));
    }
}
