//! Somebody who swaps a folder for a link, again and again, while the program runs.

use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Runs of the program while a folder is swapped.
pub(crate) const RUNS: usize = 12;

/// Swaps until it is dropped; then the folder is a folder again.
pub(crate) struct Swapper {
    stop: Arc<AtomicBool>,
    swaps: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Swapper {
    /// Swaps `folder` with a link to `target`. Each swap is one step of the system: the name is never missing.
    pub(crate) fn new(folder: &Path, target: &Path) -> Self {
        let spare = folder.with_file_name("spare-of-the-swapper");
        symlink(target, &spare).unwrap();
        let (stop, swaps) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let thread = std::thread::spawn({
            let (folder, stop, swaps) = (folder.to_owned(), stop.clone(), swaps.clone());
            move || swap(&folder, &spare, &stop, &swaps)
        });
        while swaps.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        Self {
            stop,
            swaps,
            thread: Some(thread),
        }
    }

    /// Swaps so far.
    pub(crate) fn swaps(&self) -> u64 {
        self.swaps.load(Ordering::Relaxed)
    }
}

fn swap(folder: &PathBuf, spare: &PathBuf, stop: &AtomicBool, swaps: &AtomicU64) {
    let exchange = || renameat_with(CWD, folder, CWD, spare, RenameFlags::EXCHANGE).unwrap();
    while !stop.load(Ordering::Relaxed) {
        exchange();
        swaps.fetch_add(1, Ordering::Relaxed);
    }
    if folder.is_symlink() {
        exchange();
    }
    std::fs::remove_file(spare).unwrap();
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A test that fails already says why.
            let _ = thread.join();
        }
    }
}
