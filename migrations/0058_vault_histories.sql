-- The history of a vault that is watched later is read in ranges of blocks. A range and the block
-- reached are stored together, so any worker continues where another one stopped.
alter table chain_watches
  -- The newest block whose logs are stored. Null: none yet.
  add column read_to bigint,
  -- How many blocks the next range has: fewer after a failure, because nodes refuse long ranges.
  add column range_blocks integer not null default 500 check (range_blocks > 0),
  -- Ranges that could not be read in a row. Each lets the vault wait longer.
  add column failures integer not null default 0 check (failures >= 0),
  -- No worker reads the next range before: one is reading it, or the vault waits after a failure.
  add column due_at timestamptz not null default '-infinity';
-- Workers write these columns by the grant of 0025; registering a vault sets none of them.
