//! What does the system's table of processes say of one of them? Only Linux has one that can be read.

use std::path::Path;

/// One process, as `/proc/PID/stat` shows it.
///
/// No system call asks for these: the one for a group of a kernel thread is 0, which the wrapper takes for impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) pid: i32,
    /// False for one that is dead and not yet reaped.
    pub(super) running: bool,
    pub(super) parent: i32,
    pub(super) group: i32,
}

/// Every process, or nothing where the system does not tell.
///
/// The table changes while it is read: a row is true for the moment of its reading.
pub(super) fn rows() -> Option<Vec<Row>> {
    let entries = crate::read::list_dir(Path::new("/proc")).ok()?;
    let pids = entries
        .iter()
        .filter_map(|entry| entry.name.to_str()?.parse().ok());
    Some(pids.filter_map(row).collect())
}

/// One process; nothing where it is gone.
fn row(pid: i32) -> Option<Row> {
    /// One line of numbers; the kernel writes about 350 bytes.
    const STAT_BYTES: u64 = 4096;

    let path = format!("/proc/{pid}/stat");
    let stat = crate::read::read_regular(path.as_ref(), STAT_BYTES).ok()?;
    parse(pid, &stat)
}

/// State, parent and group follow the name, which is in parentheses and may contain some.
fn parse(pid: i32, stat: &[u8]) -> Option<Row> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    Some(Row {
        pid,
        running: !matches!(fields.next()?, "Z" | "X"),
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_parentheses_does_not_shift_the_fields() {
        let row = parse(7, b"7 (a) S 9) (x) Z 1 2 3 0 -1\n");
        let expected = Row {
            pid: 7,
            running: false,
            parent: 1,
            group: 2,
        };
        assert_eq!(row, Some(expected));
        assert!(parse(7, b"7 (a) S 1 2").is_some_and(|row| row.running));
        for torn in [&b""[..], b"7 (a", b"7 (a)", b"7 (a) S", b"7 (a) S 1 x"] {
            assert_eq!(parse(7, torn), None);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_is_in_the_table() {
        let me = i32::try_from(std::process::id()).expect("numbers of processes are positive");
        let rows = rows().expect("Linux has a table");
        assert!(rows.iter().any(|row| row.pid == me && row.running));
    }
}
