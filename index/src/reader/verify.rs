//! Is an open generation what it claims to be, down to every section?

use super::Reader;
use crate::error::IndexError;
use vibey_context_contracts::digest::sha256_hex;
use vibey_context_contracts::index::IndexManifest;

impl Reader {
    /// Checks everything that a reader takes on trust: every block against its checksum, every section against its
    /// digest, every number of sections.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`], naming the first thing that does not fit.
    pub fn verify_deep(&self, manifest: &IndexManifest) -> Result<(), IndexError> {
        for shard in &self.shards {
            let verified = shard.container.verify();
            verified.map_err(|reason| self.corrupt_in(shard, reason))?;
            let mut next = shard.skills as u32;
            for place in 0..shard.skills {
                let range = self.sections_of(shard, place)?;
                self.verify_skill(shard.first + place, range.len())?;
                if range.start != next {
                    return Err(self.corrupt(format!(
                        "sections of skill {} start at the wrong document",
                        shard.first + place
                    )));
                }
                next = range.end;
            }
        }
        if (self.skills as u64, self.sections as u64)
            != (manifest.skill_count, manifest.chunk_count)
        {
            return Err(
                self.corrupt("numbers of skills and sections are not those of the manifest")
            );
        }
        Ok(())
    }

    /// Compares the text of a skill with its record.
    fn verify_skill(&self, at: usize, documents: usize) -> Result<(), IndexError> {
        let (record, text) = (self.skill(at)?, self.text(at)?);
        if record.sections.len() != documents {
            return Err(self.corrupt(format!("skill {at} has another number of sections")));
        }
        let mut end = 0;
        for section in &record.sections {
            if section.start != end {
                return Err(self.corrupt(format!(
                    "section {} does not follow the one before it",
                    section.id
                )));
            }
            end = section.end;
            let content = text
                .get(section.start as usize..section.end as usize)
                .unwrap_or_default();
            if sha256_hex(content.as_bytes()) != section.content_sha256 {
                return Err(self.corrupt(format!(
                    "text of section {} does not match its digest",
                    section.id
                )));
            }
        }
        if end as usize != text.len() {
            return Err(self.corrupt(format!("sections of skill {at} are not its text")));
        }
        Ok(())
    }
}
