-- The ledger: rows are only ever added, each at the end of its project's chain.
-- With rowid: a row of a thousand bytes would take a page of its own in the index that a table without one is.
CREATE TABLE ledger_event (
    project  TEXT    NOT NULL CHECK (project <> ''),
    sequence INTEGER NOT NULL CHECK (sequence >= 1),
    id       TEXT    NOT NULL UNIQUE CHECK (length(id) = 36),
    job      TEXT    NOT NULL CHECK (job <> ''),
    attempt  INTEGER NOT NULL CHECK (attempt BETWEEN 0 AND 4294967295),
    at       TEXT    NOT NULL CHECK (length(at) = 24),
    kind     TEXT    NOT NULL CHECK (kind IN ('artifact_produced', 'skipped', 'outcome')),
    payload  TEXT    NOT NULL,
    previous TEXT    NOT NULL CHECK (length(previous) = 64),
    digest   TEXT    NOT NULL CHECK (length(digest) = 64),
    -- What a trigger sees where a row names no rowid.
    CHECK (rowid <> -1),
    PRIMARY KEY (project, sequence)
) STRICT;

-- `outcome` asks which projects know a job.
CREATE INDEX ledger_event_job ON ledger_event (job);

CREATE TRIGGER ledger_event_no_update BEFORE UPDATE ON ledger_event
BEGIN
    SELECT RAISE(ABORT, 'ledger_event is append-only: UPDATE refused');
END;

CREATE TRIGGER ledger_event_no_delete BEFORE DELETE ON ledger_event
BEGIN
    SELECT RAISE(ABORT, 'ledger_event is append-only: DELETE refused');
END;

-- `INSERT OR REPLACE` deletes the old row without asking the trigger above, so that an existing key is refused here, the
-- hidden one included.
CREATE TRIGGER ledger_event_no_replace BEFORE INSERT ON ledger_event
WHEN EXISTS (SELECT 1 FROM ledger_event WHERE rowid = NEW.rowid)
  OR EXISTS (SELECT 1 FROM ledger_event WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM ledger_event WHERE project = NEW.project AND sequence = NEW.sequence)
BEGIN
    SELECT RAISE(ABORT, 'ledger_event is append-only: REPLACE refused');
END;

-- Nobody starts a second branch, leaves a gap, or hangs a row on another row than the last.
CREATE TRIGGER ledger_event_chain BEFORE INSERT ON ledger_event
WHEN NEW.sequence <> 1 + coalesce((SELECT max(sequence) FROM ledger_event WHERE project = NEW.project), 0)
  OR NEW.previous <> coalesce(
      (SELECT digest FROM ledger_event WHERE project = NEW.project ORDER BY sequence DESC LIMIT 1),
      '0000000000000000000000000000000000000000000000000000000000000000')
BEGIN
    SELECT RAISE(ABORT, 'ledger_event is a chain: the row does not follow the last one');
END;
