//! Which skills are there, and where were they looked for?

use super::{at, failed, fine, warning};
use crate::cli::failure::Failure;
use crate::cli::locate::Meant;
use crate::cli::measures::counted;
use crate::corpus::build::Origin;
use crate::corpus::discover::discover;
use crate::corpus::roots::candidates;
use vibey_context_contracts::upkeep::{Check, Topic};

const TOPIC: Topic = Topic::Skills;

pub(super) fn look(meant: &Meant<'_>, origin: Result<&Origin, &Failure>) -> Vec<Check> {
    let origin = match origin {
        Ok(origin) => origin,
        // The project file has its own line, and the same failure.
        Err(_) if meant.project().is_err() && !meant.names_skills() => {
            let help = "correct the project file";
            return vec![warning(
                TOPIC,
                "they are not known while the project file is wrong",
                help,
            )];
        }
        Err(failure) => return vec![failed(TOPIC, failure)],
    };
    match origin {
        Origin::Embedded if meant.choice.embedded => {
            vec![fine(
                TOPIC,
                "the starter corpus inside the program, as asked for",
            )]
        }
        Origin::Embedded => vec![none(meant)],
        Origin::Named(_) | Origin::Found(_) => roots(meant, origin),
    }
}

/// What is said where no folder is there.
fn none(meant: &Meant<'_>) -> Check {
    let surroundings = meant.surroundings;
    let looked = candidates(&surroundings.cwd, surroundings.home.as_deref());
    let looked: Vec<String> = looked
        .iter()
        .map(|path| format!("`{}`", path.display()))
        .collect();
    let message = format!(
        "none found, so the starter corpus inside the program is used; looked for {}",
        looked.join(", ")
    );
    let help =
        "name a folder with `--skills` or in `vibey-context.toml`, or put skills into one of these";
    warning(TOPIC, message, help)
}

fn roots(meant: &Meant<'_>, origin: &Origin) -> Vec<Check> {
    let found = discover(origin.roots(), None);
    let mut checks = Vec::new();
    let mut skills = 0;
    for (ordinal, root) in origin.roots().iter().enumerate() {
        let of_root = |place: &u32| *place as usize == ordinal;
        let count = found
            .skills
            .iter()
            .filter(|place| of_root(&place.root))
            .count() as u64;
        let rejected = found
            .rejected
            .iter()
            .filter(|fault| of_root(&fault.root))
            .count() as u64;
        skills += count;
        let message = counted(count, "skill");
        let check = if rejected > 0 {
            let message = format!("{message}, and {rejected} more that cannot be read");
            warning(TOPIC, message, "`vibey-context check` says why")
        } else if count == 0 && matches!(origin, Origin::Named(_)) {
            super::problem(
                TOPIC,
                "no skill in a folder that was named",
                "name another folder",
            )
        } else {
            fine(TOPIC, message)
        };
        checks.push(Check {
            count: Some(count),
            ..at(&root.path, check)
        });
    }
    let left_out: u64 = found.left_out.values().sum();
    if left_out > 0 {
        let message = format!("{left_out} folders or skills are left out by `exclude`");
        checks.push(fine(TOPIC, message));
    }
    if skills == 0 && matches!(origin, Origin::Found(_)) {
        checks.push(none(meant));
    }
    checks
}
