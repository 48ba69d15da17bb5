//! Things that clients come back to: a limited number of them, forgotten when nobody does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::error::Problem;
use crate::time::Instant;

/// A game that has just been used is not forgotten in favour of a new one.
const KEPT: Duration = Duration::from_secs(60);

/// Sessions by their names, which nobody can guess.
pub(crate) struct Sessions<T> {
    entries: Mutex<HashMap<String, Entry<T>>>,
    most: usize,
    idle: Duration,
}

struct Entry<T> {
    session: Arc<T>,
    used: Instant,
}

impl<T> Entry<T> {
    /// Nobody waits for an answer about it that is searched for.
    fn rests(&self) -> bool {
        Arc::strong_count(&self.session) == 1
    }
}

impl<T> Sessions<T> {
    /// At most so many sessions, each forgotten after so long without a request.
    pub fn new(most: usize, idle: Duration) -> Sessions<T> {
        Sessions { entries: Mutex::default(), most, idle }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry<T>>> {
        // every change is one insertion or removal, which a panic elsewhere cannot leave half done
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sessions in memory.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Keeps a session; the result is its name. Those that have expired go; when all places are taken, the one that has
    /// rested longest.
    ///
    /// # Errors
    /// When all of them are in use.
    pub fn insert(&self, session: T) -> Result<(String, Arc<T>), Problem> {
        let now = Instant::now();
        let mut entries = self.lock();
        entries.retain(|_, entry| now.saturating_duration_since(entry.used) < self.idle);
        if entries.len() >= self.most {
            let resting = entries.iter().filter(|(_, entry)| entry.rests());
            let oldest = resting.min_by_key(|(_, entry)| entry.used).map(|(id, entry)| (id.clone(), entry.used));
            match oldest {
                Some((id, used)) if now.saturating_duration_since(used) >= KEPT => drop(entries.remove(&id)),
                _ => return Err(Problem::busy(format!("all {} places for games are taken", self.most))),
            }
        }
        let id = format!("{:032x}", rand::random::<u128>());
        let session = Arc::new(session);
        entries.insert(id.clone(), Entry { session: session.clone(), used: now });
        Ok((id, session))
    }

    /// The session of a name, which is used now.
    ///
    /// # Errors
    /// When there is none, or no longer.
    pub fn get(&self, id: &str) -> Result<Arc<T>, Problem> {
        let now = Instant::now();
        let mut entries = self.lock();
        let entry = entries.get_mut(id).filter(|entry| now.saturating_duration_since(entry.used) < self.idle);
        let entry = entry.ok_or_else(|| Problem::absent("there is no such game, or no longer"))?;
        entry.used = now;
        Ok(entry.session.clone())
    }

    /// Forgets a session.
    ///
    /// # Errors
    /// When there is none.
    pub fn remove(&self, id: &str) -> Result<Arc<T>, Problem> {
        let entry = self.lock().remove(id);
        entry.map(|entry| entry.session).ok_or_else(|| Problem::absent("there is no such game, or no longer"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_until_they_expire() {
        let sessions = Sessions::new(2, Duration::from_secs(100));
        let (a, _) = sessions.insert('a').unwrap();
        let (b, _) = sessions.insert('b').unwrap();
        assert!(a != b && a.len() == 32);
        assert_eq!(*sessions.get(&a).unwrap(), 'a');
        // both are in use
        assert_eq!(sessions.insert('c').unwrap_err().status, 429);
        assert_eq!(*sessions.remove(&a).unwrap(), 'a');
        assert_eq!(sessions.get(&a).unwrap_err().status, 404);
        assert!(sessions.remove(&a).is_err());
        assert!(sessions.insert('c').is_ok());
        assert_eq!(sessions.len(), 2);
        let short = Sessions::new(1, Duration::from_millis(1));
        let (id, _) = short.insert('a').unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert!(short.get(&id).is_err());
        // the expired one makes room
        assert!(short.insert('b').is_ok());
    }

    #[test]
    fn one_that_rests_makes_room() {
        let sessions = Sessions::new(2, Duration::from_secs(1000));
        let (a, _) = sessions.insert('a').unwrap();
        let (b, _) = sessions.insert('b').unwrap();
        let Some(long_ago) = Instant::now().checked_sub(2 * KEPT) else { return };
        sessions.lock().get_mut(&b).unwrap().used = long_ago;
        assert!(sessions.insert('c').is_ok());
        assert!(sessions.get(&a).is_ok() && sessions.get(&b).is_err());
    }

    #[test]
    fn one_that_is_searched_for_does_not_rest() {
        let sessions = Sessions::new(1, Duration::from_secs(1000));
        let (id, held) = sessions.insert('a').unwrap();
        let Some(long_ago) = Instant::now().checked_sub(2 * KEPT) else { return };
        sessions.lock().get_mut(&id).unwrap().used = long_ago;
        assert_eq!(sessions.insert('b').unwrap_err().status, 429);
        drop(held);
        assert!(sessions.insert('b').is_ok());
    }
}
