//! How much lies below this name, and when was it last changed?

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::{HostError, Result};
use crate::read::{is_absent, list_dir, nanos};

/// What lies below a name, itself included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extent {
    /// Bytes of all regular files. A file with several names counts for each.
    pub bytes: u64,
    /// How many entries there are that are no folders.
    pub files: u64,
    /// When the content of the youngest of them was changed, in nanoseconds since 1970; of a tree without any, the folder.
    pub newest_ns: i128,
}

/// Measures a file or a folder; `None` where nothing is there. Links are counted and never followed; what vanishes
/// meanwhile does not count.
///
/// # Errors
/// [`HostError::Io`].
pub fn extent(path: &Path) -> Result<Option<Extent>> {
    let Some(found) = look_at(path)? else {
        return Ok(None);
    };
    if !found.is_dir() {
        return Ok(Some(Extent {
            bytes: if found.is_file() { found.len() } else { 0 },
            files: 1,
            newest_ns: nanos(found.mtime(), found.mtime_nsec()),
        }));
    }
    let mut sum = Extent::default();
    let mut newest = None;
    // Not by recursion: how deep a stranger's folders are is not ours to bound.
    let mut folders: Vec<PathBuf> = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = match list_dir(&folder) {
            Err(gone) if gone.is_not_found() => continue,
            listed => listed?,
        };
        for entry in entries {
            let place = folder.join(&entry.name);
            let Some(found) = look_at(&place)? else {
                continue;
            };
            if found.is_dir() {
                folders.push(place);
                continue;
            }
            sum.files += 1;
            if found.is_file() {
                sum.bytes = sum.bytes.saturating_add(found.len());
            }
            newest = newest.max(Some(nanos(found.mtime(), found.mtime_nsec())));
        }
    }
    sum.newest_ns = newest.unwrap_or_else(|| nanos(found.mtime(), found.mtime_nsec()));
    Ok(Some(sum))
}

fn look_at(path: &Path) -> Result<Option<std::fs::Metadata>> {
    match path.symlink_metadata() {
        Ok(found) => Ok(Some(found)),
        Err(cause) if is_absent(&cause) => Ok(None),
        Err(cause) => Err(HostError::io("look at", path, cause)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods)]
mod tests {
    use super::*;
    use std::fs::{File, create_dir_all, write};
    use std::os::unix::fs::symlink;
    use std::time::{Duration, SystemTime};

    fn set(path: &Path, seconds: u64) {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        File::open(path).unwrap().set_modified(time).unwrap();
    }

    #[test]
    fn bytes_and_youngest_are_those_of_files_and_links_lead_nowhere() {
        let scratch = tempfile::tempdir().unwrap();
        let tree = scratch.path().join("tree");
        create_dir_all(tree.join("a/b")).unwrap();
        for (name, size, seconds) in [("x", 3, 100), ("a/b/y", 4, 200), ("a/z", 5, 50)] {
            write(tree.join(name), vec![b'.'; size]).unwrap();
            set(&tree.join(name), seconds);
        }
        let found = extent(&tree).unwrap().unwrap();
        assert_eq!((found.bytes, found.files), (12, 3));
        assert_eq!(found.newest_ns, 200_000_000_000);
        write(scratch.path().join("large"), vec![0; 1000]).unwrap();
        symlink(scratch.path(), tree.join("a/up")).unwrap();
        let found = extent(&tree).unwrap().unwrap();
        assert_eq!((found.bytes, found.files), (12, 4));
        let file = extent(&tree.join("x")).unwrap().unwrap();
        assert_eq!(
            (file.bytes, file.files, file.newest_ns),
            (3, 1, 100_000_000_000)
        );
    }

    #[test]
    fn what_is_not_there_has_no_extent_and_an_empty_folder_its_own_time() {
        let scratch = tempfile::tempdir().unwrap();
        assert_eq!(extent(&scratch.path().join("none")).unwrap(), None);
        write(scratch.path().join("f"), "").unwrap();
        assert_eq!(extent(&scratch.path().join("f/below")).unwrap(), None);
        let empty = scratch.path().join("empty");
        create_dir_all(&empty).unwrap();
        set(&empty, 7);
        let found = extent(&empty).unwrap().unwrap();
        assert_eq!((found.files, found.newest_ns), (0, 7_000_000_000));
    }
}
