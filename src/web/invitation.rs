//! A way in for one, once: the address that a browser is started with stands in the list of processes, where every user of the
//! machine reads it. The token must not.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::access::is_same;
use crate::time::Instant;

/// How long an invitation is good for: a browser may take its time to start.
const VALID: Duration = Duration::from_secs(300);

/// The invitation that is open, if one is, and until when: a later one takes its place.
#[derive(Default)]
pub(crate) struct Invitation(Mutex<Option<(String, Instant)>>);

impl Invitation {
    fn lock(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        // every change is one assignment, which a panic elsewhere cannot leave half done
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new code, which nobody can guess.
    pub fn write(&self) -> String {
        let code = format!("{:032x}", rand::random::<u128>());
        *self.lock() = Some((code.clone(), Instant::now() + VALID));
        code
    }

    /// The code is that of the open invitation, which is used up now. Other codes leave it as it is, or strangers could close
    /// it.
    pub fn redeem(&self, shown: &str) -> bool {
        let is_it = |(code, until): &mut (String, Instant)| is_same(code, shown) && Instant::now() < *until;
        self.lock().take_if(is_it).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_for_one() {
        let invitation = Invitation::default();
        assert!(!invitation.redeem(""));
        let first = invitation.write();
        let code = invitation.write();
        for wrong in ["", &first, &code[1..], &format!("{code}0")] {
            assert!(!invitation.redeem(wrong), "{wrong}");
        }
        assert!(invitation.redeem(&code));
        assert!(!invitation.redeem(&code));
    }

    #[test]
    fn an_invitation_expires() {
        let invitation = Invitation::default();
        let code = invitation.write();
        *invitation.lock() = Some((code.clone(), Instant::now()));
        assert!(!invitation.redeem(&code));
    }
}
