-- Attachments of expenses. Bytes are stored in chunks by the attachment store; everything else
-- about an attachment is here. An upload writes its chunks in transactions of their own and becomes
-- visible when it is complete.

create table attachments (
  id uuid not null,
  organization_id uuid not null references organizations (id),
  uploader_account_id uuid not null references accounts (id),
  state text not null check (state in ('uploading', 'stored')),
  name text not null check (char_length(name) between 1 and 200),
  media_type text not null check (media_type in ('application/pdf', 'image/png', 'image/jpeg',
    'image/webp', 'text/csv')),
  -- Counts towards the quota. While uploading, the most that may arrive.
  size_bytes integer not null check (size_bytes between 1 and 10485760),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null,
  primary key (organization_id, id),
  unique (organization_id, id, sha256),
  constraint attachments_hash check ((state = 'stored') = (sha256 is not null))
);

-- What all attachments of an organization take, unfinished uploads included.
create table attachment_usage (
  organization_id uuid primary key references organizations (id),
  bytes bigint not null check (bytes >= 0)
);

-- The attachments of a revision, in their order. The hash is a copy of the attachment's, which the
-- key enforces; only a stored attachment has one.
create table revision_attachments (
  organization_id uuid not null references organizations (id),
  expense_id uuid not null,
  revision integer not null,
  position smallint not null check (position between 0 and 9),
  attachment_id uuid not null,
  sha256 text not null,
  primary key (organization_id, expense_id, revision, position),
  unique (organization_id, expense_id, revision, attachment_id),
  foreign key (organization_id, expense_id, revision)
    references expense_revisions (organization_id, expense_id, revision),
  foreign key (organization_id, attachment_id, sha256)
    references attachments (organization_id, id, sha256)
);
create index revision_attachments_attachment
  on revision_attachments (organization_id, attachment_id);
create index revision_attachments_sha256 on revision_attachments (organization_id, sha256);

-- Spares lists a lookup for each of the many revisions without attachments.
alter table expense_revisions
  add column attachment_count smallint not null default 0 check (attachment_count between 0 and 10);

-- Rows of the attachment store. They have no key to `attachments`: another store keeps its bytes
-- elsewhere, and bytes are removed after the row that names them.
create table attachment_chunks (
  organization_id uuid not null references organizations (id),
  attachment_id uuid not null,
  position integer not null check (position >= 0),
  bytes bytea not null check (octet_length(bytes) between 1 and 1048576),
  primary key (organization_id, attachment_id, position)
);
-- Most files are compressed already.
alter table attachment_chunks alter column bytes set storage external;

do $$
declare
  name text;
begin
  foreach name in array array['attachments', 'attachment_usage', 'revision_attachments',
                              'attachment_chunks'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I to countersign_app
      using (organization_id = scope_organization())
      with check (organization_id = scope_organization())', name);
  end loop;
  foreach name in array array['attachments', 'attachment_usage', 'revision_attachments'] loop
    execute format('create policy observation on %I for select to countersign_observer
      using (true)', name);
  end loop;
end
$$;

-- An API process ends an upload of its own; only a worker removes what was stored.
create policy unfinished on attachments as restrictive for delete to countersign_app
  using (state = 'uploading' or pg_has_role(current_user, 'countersign_worker', 'usage'));
-- Bytes are added to an unfinished upload only, and never taken from an attachment that exists.
create policy unfinished on attachment_chunks as restrictive for insert to countersign_app
  with check (exists (
    select from attachments a where a.organization_id = attachment_chunks.organization_id
      and a.id = attachment_chunks.attachment_id and a.state = 'uploading'));
create policy abandoned on attachment_chunks as restrictive for delete to countersign_app
  using (not exists (
    select from attachments a where a.organization_id = attachment_chunks.organization_id
      and a.id = attachment_chunks.attachment_id));

create function keep_stored_attachment() returns trigger language plpgsql
as $$
begin
  raise exception 'A stored attachment never changes' using errcode = 'insufficient_privilege';
end
$$;
create trigger keep_stored before update on attachments
  for each row when (old.state = 'stored') execute function keep_stored_attachment();

grant select, insert, update (state, size_bytes, sha256), delete on attachments
  to countersign_app;
grant select, insert, update (bytes) on attachment_usage to countersign_app;
grant select, insert on revision_attachments to countersign_app;
grant select, insert, delete on attachment_chunks to countersign_app;
grant select on attachments, attachment_usage, revision_attachments to countersign_observer;
