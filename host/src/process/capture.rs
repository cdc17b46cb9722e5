//! What did a stream say, when only its beginning and its end fit?

use std::collections::VecDeque;

/// How much of a stream is kept, in bytes. The beginning tells what went on, the end why it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// Bytes from the beginning.
    pub head_bytes: usize,
    /// Bytes from the end.
    pub tail_bytes: usize,
}

/// What was kept of a stream: bytes, not text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The beginning.
    pub head: Vec<u8>,
    /// The end, as far as it is not already part of the beginning.
    pub tail: Vec<u8>,
    /// Bytes between `head` and `tail` that were read and dropped.
    pub left_out_bytes: u64,
    /// Whether the stream was read to its end. False where a process was still holding it when the run was
    /// over, and where the stream was not captured.
    pub ended: bool,
}

impl Captured {
    /// The whole stream, or nothing if bytes were left out.
    #[must_use]
    pub fn whole(self) -> Option<Vec<u8>> {
        if self.left_out_bytes > 0 {
            return None;
        }
        let mut bytes = self.head;
        bytes.extend(self.tail);
        Some(bytes)
    }
}

/// Takes a stream piece by piece.
pub(super) struct Recorder {
    bound: Bound,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
}

impl Recorder {
    pub(super) fn new(bound: Bound) -> Self {
        Self {
            bound,
            head: Vec::new(),
            tail: VecDeque::new(),
            total_bytes: 0,
        }
    }

    pub(super) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        self.total_bytes = self.total_bytes.saturating_add(piece.len() as u64);
        let room = self.bound.head_bytes - self.head.len();
        let (head, rest) = piece.split_at(room.min(piece.len()));
        self.head.extend_from_slice(head);
        let last = &rest[rest.len().saturating_sub(self.bound.tail_bytes)..];
        let excess = (self.tail.len() + last.len()).saturating_sub(self.bound.tail_bytes);
        self.tail.drain(..excess);
        self.tail.extend(last);
    }

    pub(super) fn finish(self, ended: bool) -> Captured {
        let kept = (self.head.len() + self.tail.len()) as u64;
        Captured {
            head: self.head,
            tail: self.tail.into(),
            left_out_bytes: self.total_bytes.saturating_sub(kept),
            ended,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn head_and_tail_are_those_of_the_whole_stream(
            pieces in vec(vec(any::<u8>(), 0..12), 0..12),
            head_bytes in 0usize..20,
            tail_bytes in 0usize..20,
        ) {
            let mut recorder = Recorder::new(Bound { head_bytes, tail_bytes });
            for piece in &pieces {
                recorder.take(piece);
            }
            let all = pieces.concat();
            prop_assert_eq!(recorder.total_bytes(), all.len() as u64);
            let captured = recorder.finish(true);
            let (head, rest) = all.split_at(head_bytes.min(all.len()));
            let tail = &rest[rest.len().saturating_sub(tail_bytes)..];
            prop_assert_eq!(&captured.head[..], head);
            prop_assert_eq!(&captured.tail[..], tail);
            prop_assert_eq!(captured.left_out_bytes, (rest.len() - tail.len()) as u64);
            let fits = all.len() <= head_bytes + tail_bytes;
            prop_assert_eq!(captured.whole(), fits.then_some(all));
        }
    }
}
