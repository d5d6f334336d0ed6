//! The flag that ends work early, and the source that wakes whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Source;

/// A flag and something to poll. Clones share both. Once set it stays set.
#[derive(Clone)]
pub(crate) struct Cancel(Arc<Inner>);

struct Inner {
    is_set: AtomicBool,
    source: Option<Source>,
    /// Makes `source` readable; called once.
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Cancel {
    /// A flag over `source`, which `wake` makes readable for good.
    pub(crate) fn new(source: Option<Source>, wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Self(Arc::new(Inner {
            is_set: AtomicBool::new(false),
            source,
            wake,
        }))
    }

    /// Ends the work; may be called from any thread, any number of times.
    pub(crate) fn set(&self) {
        if !self.0.is_set.swap(true, Ordering::SeqCst) {
            (self.0.wake)();
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }

    /// Readable once the flag is set.
    pub(crate) fn source(&self) -> Option<Source> {
        self.0.source
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cancel({})", self.is_set())
    }
}
