//! How do bytes move to and from a program without anyone waiting?

use std::io::{self, PipeReader, PipeWriter, Read, Write};

use super::capture::Recorder;
use super::{Captured, Input, Output};

/// As much as a pipe usually holds.
const PIECE_BYTES: usize = 64 * 1024;

/// Input on its way to the program.
pub(super) struct Feed<'a> {
    pipe: PipeWriter,
    rest: &'a [u8],
}

impl<'a> Feed<'a> {
    pub(super) fn new(pipe: Option<PipeWriter>, input: &'a Input) -> Option<Self> {
        match input {
            Input::Bytes(rest) => pipe.map(|pipe| Self { pipe, rest }),
            Input::Null => None,
        }
    }

    pub(super) fn pipe(&self) -> &PipeWriter {
        &self.pipe
    }

    /// Writes what fits now. False when all is written or nobody reads it.
    pub(super) fn write(&mut self) -> bool {
        match (&self.pipe).write(self.rest) {
            Ok(written) => self.rest = &self.rest[written..],
            Err(fault) if is_for_later(&fault) => {}
            Err(_) => return false,
        }
        !self.rest.is_empty()
    }
}

/// Output on its way from the program.
pub(super) struct Stream {
    /// Absent after the end.
    pipe: Option<PipeReader>,
    recorder: Recorder,
}

impl Stream {
    pub(super) fn new(pipe: Option<PipeReader>, output: Output) -> Option<Self> {
        match output {
            Output::Capture(bound) => Some(Self {
                pipe,
                recorder: Recorder::new(bound),
            }),
            Output::Inherit | Output::Null => None,
        }
    }

    /// The pipe, until its end.
    pub(super) fn pipe(&self) -> Option<&PipeReader> {
        self.pipe.as_ref()
    }

    pub(super) fn total_bytes(&self) -> u64 {
        self.recorder.total_bytes()
    }

    /// Reads one piece, so that no stream keeps another waiting.
    pub(super) fn read(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        let mut piece = [0; PIECE_BYTES];
        match pipe.read(&mut piece) {
            Ok(0) => self.pipe = None,
            Ok(length) => self.recorder.take(&piece[..length]),
            Err(fault) if is_for_later(&fault) => {}
            Err(_) => self.pipe = None,
        }
    }

    pub(super) fn finish(self) -> Captured {
        self.recorder.finish(self.pipe.is_none())
    }
}

fn is_for_later(fault: &io::Error) -> bool {
    matches!(
        fault.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}
