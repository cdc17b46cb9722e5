//! How does one thread tell another, which sleeps in `poll(2)`, to end its child?

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that is turned once and stays so. Clones are the same switch, and any number of runs may listen.
#[derive(Debug, Clone)]
pub struct Cancel {
    switch: Arc<Switch>,
}

#[derive(Debug)]
struct Switch {
    turned: AtomicBool,
    /// Never read: it stays readable from the one byte on, for every listener.
    reader: PipeReader,
    writer: PipeWriter,
}

impl Cancel {
    /// A switch that is not yet turned. It holds two file descriptors.
    ///
    /// # Errors
    /// The system has no file descriptors left.
    pub fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        Ok(Self {
            switch: Arc::new(Switch {
                turned: AtomicBool::new(false),
                reader,
                writer,
            }),
        })
    }

    /// Ends every run that listens, and those that start later.
    pub fn cancel(&self) {
        if !self.switch.turned.swap(true, Ordering::SeqCst) {
            // Both ends are open and the pipe is empty, so this neither fails nor blocks.
            let _ = (&self.switch.writer).write_all(&[1]);
        }
    }

    /// Whether [`Cancel::cancel`] was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.switch.turned.load(Ordering::SeqCst)
    }
}

impl AsFd for Cancel {
    /// Readable from the cancellation on, for an event loop of the caller; whoever reads from it breaks it.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.switch.reader.as_fd()
    }
}
