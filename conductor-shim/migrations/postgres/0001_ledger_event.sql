-- The ledger: rows are only ever added, each at the end of its project's chain.
-- Collation "C": order and equality are those of bytes, whatever the database's locale.
CREATE TABLE ledger_event (
    project  TEXT   COLLATE "C" NOT NULL CHECK (project <> ''),
    sequence BIGINT NOT NULL CHECK (sequence >= 1),
    id       TEXT   COLLATE "C" NOT NULL UNIQUE CHECK (length(id) = 36),
    job      TEXT   COLLATE "C" NOT NULL CHECK (job <> ''),
    attempt  BIGINT NOT NULL CHECK (attempt BETWEEN 0 AND 4294967295),
    at       TEXT   COLLATE "C" NOT NULL CHECK (length(at) = 24),
    kind     TEXT   COLLATE "C" NOT NULL CHECK (kind IN ('artifact_produced', 'skipped', 'outcome')),
    payload  TEXT   COLLATE "C" NOT NULL,
    previous TEXT   COLLATE "C" NOT NULL CHECK (length(previous) = 64),
    digest   TEXT   COLLATE "C" NOT NULL CHECK (length(digest) = 64),
    PRIMARY KEY (project, sequence)
);

-- `outcome` asks which projects know a job.
CREATE INDEX ledger_event_job ON ledger_event (job);

CREATE FUNCTION ledger_event_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger_event is append-only: % refused', TG_OP;
END
$$;

-- Per statement: TRUNCATE has no rows, and `ON CONFLICT DO UPDATE` is an UPDATE here too.
CREATE TRIGGER ledger_event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_event
FOR EACH STATEMENT EXECUTE FUNCTION ledger_event_refuse();

-- Nobody starts a second branch, leaves a gap, or hangs a row on another row than the last.
CREATE FUNCTION ledger_event_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last_sequence BIGINT;
    last_digest TEXT;
BEGIN
    EXECUTE format(
        'SELECT sequence, digest FROM %I.%I WHERE project = $1 ORDER BY sequence DESC LIMIT 1',
        TG_TABLE_SCHEMA, TG_TABLE_NAME)
        INTO last_sequence, last_digest USING NEW.project;
    IF NEW.sequence <> coalesce(last_sequence, 0) + 1
        OR NEW.previous <> coalesce(last_digest, repeat('0', 64)) THEN
        RAISE EXCEPTION 'ledger_event is a chain: the row does not follow the last one';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER ledger_event_chain BEFORE INSERT ON ledger_event
FOR EACH ROW EXECUTE FUNCTION ledger_event_follow();

-- Also for a session that replays a replication stream.
ALTER TABLE ledger_event ENABLE ALWAYS TRIGGER ledger_event_append_only;
ALTER TABLE ledger_event ENABLE ALWAYS TRIGGER ledger_event_chain;
