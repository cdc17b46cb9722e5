//! Results and answers of `materialize`.

use super::{Sweep, Verdict};
use crate::cli::locate::Meant;
use crate::materialize::upkeep::{Fate, Kept, Kind, discard, is_in_use, kept};
use crate::materialize::zones::scratch_root;
use crate::text::neutralise::plain_line;
use vibey_context_contracts::upkeep::CleanKind;
use vibey_context_host::error::HostError;

const BUSY: &str = "a run works on it";

pub(super) fn sweep(sweep: &mut Sweep, meant: &Meant<'_>) {
    let surroundings = meant.surroundings;
    let root = scratch_root(
        surroundings.scratch.as_deref(),
        surroundings.cache.as_deref(),
    );
    let Some(root) = root else {
        return;
    };
    let all = match kept(&root) {
        Ok(all) => all,
        Err(error) => {
            let verdict = Verdict::Failed(error.to_string());
            return sweep.note(CleanKind::Result, &root, &Default::default(), verdict);
        }
    };
    for one in all {
        if sweep.age(&one.extent) < sweep.older_than {
            continue;
        }
        let verdict = match &one.foreign {
            Some(name) => Verdict::Stays(format!(
                "it holds `{}`, which we did not make",
                plain_line(name)
            )),
            None => removed(sweep.dry_run, &one),
        };
        let kind = match one.kind {
            Kind::Result => CleanKind::Result,
            Kind::Answer => CleanKind::Answer,
        };
        sweep.note(kind, &one.path, &one.extent, verdict);
    }
}

fn removed(dry_run: bool, one: &Kept) -> Verdict {
    let fate: Result<Fate, HostError> = match dry_run {
        true => is_in_use(one).map(|busy| if busy { Fate::InUse } else { Fate::Gone }),
        false => discard(one),
    };
    match fate {
        Ok(Fate::Gone) => Verdict::Goes,
        Ok(Fate::InUse) => Verdict::Stays(BUSY.to_owned()),
        Err(error) => Verdict::Failed(error.to_string()),
    }
}
