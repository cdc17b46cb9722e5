//! No space left, and no right to write anywhere.

use super::writer::{Stage, WRITERS, in_shell};
use crate::corpus::unprivileged::find;

#[test]
fn a_file_that_can_not_grow_leaves_what_was_there() {
    for writer in WRITERS {
        let stage = Stage::new(writer);
        // Who ignores the signal gets an error, as from a full disk. The first lines show that the fault is there.
        let script = "trap '' XFSZ; ulimit -f 1 || exit 99\n\
                      head -c 3000 /dev/zero >\"$HOME/probe\" 2>/dev/null && exit 98\n\
                      rm \"$HOME/probe\"\nexec \"$@\"";
        let run = in_shell(&stage, &[], script);
        assert_eq!(
            stage.scratch(),
            [""; 0].map(std::path::PathBuf::from),
            "{writer:?}"
        );
        let worked = stage.assert_whole("files of one block", &run);
        assert!(!worked, "{writer:?} wrote more than a block");
    }
}

/// The words that start a shell in which the test may mount something that nobody else sees; only the kernel and the
/// container decide whether there are any.
fn namespace() -> Option<Vec<String>> {
    let unshare = find("unshare")?.to_str()?.to_owned();
    [vec!["-m"], vec!["-r", "-m"]]
        .into_iter()
        .find_map(|flags| {
            let words: Vec<String> = [unshare.as_str()]
                .into_iter()
                .chain(flags)
                .map(str::to_owned)
                .collect();
            let mut probe = std::process::Command::new(&words[0]);
            probe
                .args(&words[1..])
                .args(["mount", "-t", "tmpfs", "probe", "/mnt"]);
            let made = probe.output().is_ok_and(|output| output.status.success());
            made.then_some(words)
        })
}

/// Copies work and home into a file system of its own, lays it over both, runs `fault` and the program, and copies what is
/// there afterwards out again.
fn apart(options: &str, fault: &str) -> String {
    format!(
        "top=$(dirname \"$HOME\"); mkdir \"$top/full\"\n\
         mount -t tmpfs -o {options} full \"$top/full\" || exit 99\n\
         here=$(pwd)\n\
         cp -a \"$top/work\" \"$top/home\" \"$top/full/\" || exit 99\n\
         for each in work home; do mount --bind \"$top/full/$each\" \"$top/$each\" || exit 99; done\n\
         cd \"$here\" || exit 99\n\
         {fault}\n\
         \"$@\"; code=$?\n\
         cp -a \"$top/full\" \"$top/after\"\n\
         exit $code"
    )
}

/// Puts what the run left where the test looks for it.
fn adopt(stage: &Stage) {
    let top = stage.dir.path().parent().unwrap().to_owned();
    for name in ["work", "home"] {
        std::fs::remove_dir_all(top.join(name)).unwrap();
        std::fs::rename(top.join("after").join(name), top.join(name)).unwrap();
    }
    let _ = std::fs::remove_file(stage.dir.home().join("filler"));
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    // Where nothing may be mounted, the limit of the test above is the full disk.
    let Some(shell) = namespace() else { return };
    for writer in WRITERS {
        let stage = Stage::new(writer);
        // What a packet takes away before it begins would be space.
        let fault = "rm -f out/p.*\ncat /dev/zero >\"$HOME/filler\" 2>/dev/null && exit 98";
        let run = in_shell(&stage, &shell, &apart("size=2m", fault));
        adopt(&stage);
        assert_eq!(
            stage.scratch(),
            [""; 0].map(std::path::PathBuf::from),
            "{writer:?}"
        );
        let worked = stage.assert_whole("a full disk", &run);
        assert!(!worked, "{writer:?} found space");
        let told = format!("{}{}", run.stdout, run.stderr).to_lowercase();
        assert!(
            told.contains("no space left") || told.contains("no storage space"),
            "{writer:?}: {told}"
        );
    }
}

#[test]
fn a_read_only_file_system_leaves_what_was_there() {
    let Some(shell) = namespace() else { return };
    for writer in WRITERS {
        let stage = Stage::new(writer);
        let fault = "for each in work home; do mount -o remount,bind,ro \"$top/$each\" || exit 99; done\n\
                     touch \"$HOME/probe\" 2>/dev/null && exit 98";
        let run = in_shell(&stage, &shell, &apart("size=8m", fault));
        adopt(&stage);
        let worked = stage.assert_whole("a read-only file system", &run);
        assert!(!worked, "{writer:?} wrote");
        let told = format!("{}{}", run.stdout, run.stderr).to_lowercase();
        assert!(told.contains("read-only"), "{writer:?}: {told}");
    }
}
