//! The same corpus gives the same index files, wherever and in whatever order it came to be.

use super::rig::{INDEX, Rig};
use crate::harness::{Dir, outcome};

#[test]
fn two_builds_in_two_folders_give_the_same_bytes() {
    let (one, two) = (Rig::new(), Rig::new());
    assert_ne!(one.root, two.root);
    let (first, second) = (one.build(), two.build());
    assert_eq!(first["generation"], second["generation"]);
    assert!(one.sealed(INDEX) == two.sealed(INDEX));
    assert!(one.packet() == two.packet());
    two.try_build("elsewhere/deep/index").expect(0);
    assert!(two.sealed("elsewhere/deep/index") == two.sealed(INDEX));
}

#[test]
fn the_number_of_threads_plays_no_part() {
    let rig = Rig::new();
    rig.build();
    let good = rig.sealed(INDEX);
    for threads in ["1", "2", "7"] {
        let index = format!("index-{threads}");
        let arg = rig.dir.arg(&index);
        let mut command = rig.dir.command(&rig.dir.path());
        command
            .env("RAYON_NUM_THREADS", threads)
            .args(["--skills", &rig.root, "index", "build", "--output", &arg]);
        outcome(&mut command).expect(0);
        assert!(rig.sealed(&index) == good, "{threads} threads");
    }
}

#[test]
fn the_order_in_which_files_were_made_plays_no_part() {
    let names = ["a-b", "a_b", "aB", "A", "zz", "m/n/o"];
    let build = |order: &mut dyn Iterator<Item = &&str>| {
        let dir = Dir::new();
        for name in order {
            let body = format!("# {name}\n\nText of {name}.\n");
            dir.skill(&format!("s/{name}"), name, "d", "", &body);
        }
        let (root, index) = (dir.arg("s"), dir.arg("index"));
        let args = [
            "--skills", &root, "index", "build", "--output", &index, "--json",
        ];
        let report = dir.run(args).expect(0).json();
        let folder = format!(
            "index/generations/{}",
            report["generation"].as_str().unwrap()
        );
        let files: Vec<(String, Vec<u8>)> = dir
            .files_below(&folder)
            .iter()
            .filter(|path| !path.ends_with("sources.bin"))
            .map(|path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                (name.to_owned(), std::fs::read(path).unwrap())
            })
            .collect();
        (report["corpus_sha256"].clone(), files)
    };
    assert!(build(&mut names.iter()) == build(&mut names.iter().rev()));
}
