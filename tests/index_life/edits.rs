//! After any row of edits, a refreshed index is the one that a build from nothing makes.

use super::rig::{INDEX, Rig, Seeded};
use serde_json::json;
use vibey_context_index::sources::Sources;

/// Edits in one run. Two builds each; together the runs take some seconds.
const EDITS: usize = 16;

/// Makes one edit and says which.
fn edit(rig: &Rig, seeded: &mut Seeded) -> String {
    let dir = &rig.dir;
    let below = |name: &str| format!("s/{name}");
    // Few names, so that edits meet.
    let name = ["one", "two", "three", "four", "g/five"][seeded.below(5)];
    let skill = below(&format!("{name}/SKILL.md"));
    let number = seeded.below(1000);
    match seeded.below(13) {
        0 | 1 => {
            let _ = std::fs::remove_file(dir.at(&skill));
            if dir.at(&skill).is_dir() {
                return "nothing".into();
            }
            dir.skill(
                &below(name),
                "same",
                "d",
                "",
                &format!("# T\n\nText {number}.\n"),
            );
            format!("text of {name}")
        }
        2 => {
            // Of one size, so that only times and digests tell.
            let text = format!("---\nname: n\ndescription: d\n---\n# T\n\n{number:04}\n");
            let _ = std::fs::remove_file(dir.at(&skill));
            dir.file(&skill, text);
            format!("four digits of {name}")
        }
        3 => {
            let _ = std::fs::remove_dir_all(dir.at(&below(name)));
            format!("no {name}")
        }
        4 => {
            let to = format!("moved-{}", seeded.below(3));
            let _ = std::fs::remove_dir_all(dir.at(&below(&to)));
            let _ = std::fs::rename(dir.at(&below(name)), dir.at(&below(&to)));
            format!("{name} to {to}")
        }
        5 => {
            let plugin = json!({"name": format!("p{}", number % 3)});
            dir.file(
                &below(&format!("{name}/.claude-plugin/plugin.json")),
                plugin.to_string(),
            );
            format!("plugin.json of {name}")
        }
        6 => {
            let market = json!({"metadata": {"version": format!("{}", number % 3)}, "plugins": [
                {"name": "m", "source": "./", "category": "c"}]});
            dir.file(
                &below(".claude-plugin/marketplace.json"),
                market.to_string(),
            );
            "marketplace".into()
        }
        7 => {
            let _ = std::fs::remove_file(dir.at(&skill));
            dir.file(&skill, b"\xff\xfe");
            format!("{name} is no text")
        }
        8 => {
            dir.file(&below(&format!("{name}/.agent-no-read.md")), "");
            format!("marker in {name}")
        }
        9 => {
            let _ = std::fs::remove_file(dir.at(&below(&format!("{name}/.agent-no-read.md"))));
            format!("no marker in {name}")
        }
        10 => {
            let link = format!("link-{}", seeded.below(2));
            let _ = std::fs::remove_file(dir.at(&below(&link)));
            dir.link(name, &below(&link));
            format!("{link} to {name}")
        }
        11 => {
            dir.skill(
                &below(&format!("{name}/templates/t")),
                "t",
                "d",
                "",
                "# T\n\nx\n",
            );
            format!("template in {name}")
        }
        _ => {
            if let Ok(file) = std::fs::File::options().write(true).open(dir.at(&skill)) {
                let second = std::time::Duration::from_secs(number as u64 + 1_000_000_000);
                file.set_modified(std::time::SystemTime::UNIX_EPOCH + second)
                    .unwrap();
            }
            format!("touch {name}")
        }
    }
}

fn run(seed: u64) {
    let rig = Rig::small();
    let mut seeded = Seeded(seed);
    rig.build();
    let mut done = Vec::new();
    for at in 0..EDITS {
        for _ in 0..=seeded.below(2) {
            done.push(edit(&rig, &mut seeded));
        }
        rig.dir
            .skill("s/stays", "stays", "Never edited.", "", "# S\n\nx\n");
        let fresh = format!("fresh-{at}");
        let refreshed = rig.build();
        let built = rig.try_build(&fresh).expect(0).json();
        for key in [
            "corpus_sha256",
            "generation",
            "skills",
            "skill_count",
            "chunk_count",
            "size_bytes",
            "skills_release",
        ] {
            assert_eq!(refreshed[key], built[key], "{key} after {done:#?}");
        }
        assert!(
            rig.sealed(INDEX) == rig.sealed(&fresh),
            "files after {done:#?}"
        );
        let rejected = |index: &str| {
            let path = rig.generation(index).join(super::rig::SOURCES);
            Sources::from_bytes(&std::fs::read(path).unwrap())
                .unwrap()
                .rejected
        };
        assert_eq!(
            rejected(INDEX),
            rejected(&fresh),
            "rejected after {done:#?}"
        );
        std::fs::remove_dir_all(rig.dir.at(&fresh)).unwrap();
    }
    rig.assert_clean(INDEX);
    rig.inspect(INDEX, true).expect(0);
}

#[test]
fn a_refresh_is_a_build_from_nothing_seed_1() {
    run(1);
}

#[test]
fn a_refresh_is_a_build_from_nothing_seed_2() {
    run(2);
}

#[test]
fn a_refresh_is_a_build_from_nothing_seed_3() {
    run(3);
}
