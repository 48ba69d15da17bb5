//! A place for something costly that is made when it is first needed and may have several owners.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clones are the same place.
pub(crate) struct Slot<T>(Arc<Mutex<Option<Arc<T>>>>);

impl<T> Slot<T> {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        // what a panicking maker left behind is nothing, which is valid
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is there, if anything.
    pub fn get(&self) -> Option<Arc<T>> {
        self.lock().clone()
    }

    /// What is there; made now if there is nothing. Others who ask meanwhile wait.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get_or_make<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let mut slot = self.lock();
        if let Some(value) = &*slot {
            return Ok(value.clone());
        }
        let value = Arc::new(make()?);
        *slot = Some(value.clone());
        Ok(value)
    }

    /// Empties the place; who still uses what was there keeps it.
    pub fn empty(&self) {
        *self.lock() = None;
    }
}

impl<T> Default for Slot<T> {
    fn default() -> Slot<T> {
        Slot(Arc::default())
    }
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Slot<T> {
        Slot(self.0.clone())
    }
}

impl<T> fmt::Debug for Slot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({})", if self.lock().is_some() { "made" } else { "empty" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_clones_are_one_place() {
        let slot: Slot<u32> = Slot::default();
        let other = slot.clone();
        assert_eq!(slot.get_or_make(|| Err("no memory")), Err("no memory"));
        assert_eq!(other.get(), None);
        let made = other.get_or_make(|| Ok::<_, ()>(1)).unwrap();
        assert!(Arc::ptr_eq(&made, &slot.get_or_make(|| Ok::<_, ()>(2)).unwrap()));
        assert!(slot.get().is_some_and(|there| Arc::ptr_eq(&there, &made)));
        slot.empty();
        assert_eq!((other.get(), *made), (None, 1));
    }
}
