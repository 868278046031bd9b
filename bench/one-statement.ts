/**
 * The list and the detail as one prepared statement each: it checks the account and its membership,
 * reads the rows and builds the JSON body. `bodiesDiffer` compares it with the service's.
 */
import type { Statement } from './recording.ts'

const time = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** $1 is the organization, $2 the issuer, $3 the subject. Without a membership there is no row. */
const MEMBER = `
  select m.account_id, m.role from accounts a
  join memberships m on m.organization_id = $1 and m.account_id = a.id and m.state = 'active'
  where a.realm = 'consumer' and a.issuer = $2 and a.subject = $3 and a.status = 'active'`

const NAME = (account: string): string =>
  `(select p.display_name from profiles p where p.account_id = ${account})`

const ATTACHMENTS = `
  case when r.attachment_count = 0 then '[]'::json else to_json(array(
    select row_to_json(f) from (
      select a.id, a.name, a.media_type as "mediaType", a.size_bytes as "sizeBytes", a.sha256
      from revision_attachments x
      join attachments a on a.organization_id = x.organization_id and a.id = x.attachment_id
      where x.organization_id = r.organization_id and x.expense_id = r.expense_id
        and x.revision = r.revision order by x.position
    ) f)) end as attachments`

const REVISION = `
  r.revision, r.vault_id as "vaultId", r.purpose, r.recipient_id as "recipientId",
  r.recipient_label as "recipientLabel", r.recipient_address as "recipientAddress",
  r.amount::text as "amountBaseUnits", r.requested_mode as "requestedMode", r.reason,
  r.version_hash as "versionHash", r.author_account_id as "authorAccountId",
  ${time('r.created_at')} as "createdAt", ${ATTACHMENTS}, r.category,
  r.category_name as "categoryName", r.reference, r.due_date as "dueDate"`

const EXPENSE = `
  e.id, e.organization_id as "organizationId", e.submitter_account_id as "submitterAccountId",
  e.payment_id as "paymentId", e.current_revision as "currentRevision", e.state,
  e.block_code as "blockCode", e.current_report_id as "currentReportId",
  ${time('e.created_at')} as "createdAt", ${time('e.updated_at')} as "updatedAt"`

const CURRENT = `(
  select row_to_json(v) from (
    select ${REVISION} from expense_revisions r where r.organization_id = e.organization_id
      and r.expense_id = e.id and r.revision = e.current_revision
  ) v) as revision`

/** Optional fields come after the others in the service's answers. */
const SUBMITTER = `${NAME('e.submitter_account_id')} as "submitterDisplayName"`

const VISIBLE = `(member.role <> 'employee' or e.submitter_account_id = member.account_id)`

const CURSOR = `
  translate(encode(decode(replace(id::text, '-', ''), 'hex'), 'base64'), '+/=', '-_')`

/** Rows become JSON without spaces only by way of `to_json(array(...))`. */
const LIST = `
  with member as (${MEMBER}), page as materialized (
    select ${EXPENSE}, ${CURRENT}, ${SUBMITTER} from member cross join expenses e
    where e.organization_id = $1 and ${VISIBLE} order by e.id desc limit $4 + 1
  )
  select row_to_json(answer)::text as body from (
    select to_json(array(
      select row_to_json(shown) from (select * from page order by id desc limit $4) shown
    )) as expenses, (
      select ${CURSOR} from page order by id desc offset $4 - 1 limit
        case when (select count(*) from page) > $4 then 1 else 0 end
    ) as "nextCursor" from member
  ) answer`

/** By the tiers of the policy in force; null without a policy. */
const REQUIRED = `(
  select coalesce((
      select (t.tier ->> 'approvals')::int
      from jsonb_array_elements(p.tiers) with ordinality as t (tier, place)
      where r.amount > (t.tier ->> 'above')::numeric order by t.place desc limit 1), 1)
  from expense_revisions r
  join vaults v on v.organization_id = r.organization_id and v.id = r.vault_id
  join policies p on p.organization_id = v.organization_id and p.vault_id = v.id
    and p.version = v.policy_version
  where r.organization_id = e.organization_id and r.expense_id = e.id
    and r.revision = e.current_revision)`

const DETAIL = `
  with member as (${MEMBER})
  select row_to_json(answer)::text as body from (
    select ${EXPENSE}, ${CURRENT}, to_json(array(
      select row_to_json(v) from (
        select ${REVISION} from expense_revisions r
        where r.organization_id = $1 and r.expense_id = $4 order by r.revision desc
      ) v)) as revisions, to_json(array(
      select row_to_json(c) from (
        select id, author_account_id as "authorAccountId", body,
          ${time('created_at')} as "createdAt", ${NAME('author_account_id')} as "displayName"
        from expense_comments where organization_id = $1 and expense_id = $4 order by id desc
      ) c)) as comments, ${SUBMITTER}, null as "commentsNextCursor", to_json(array(
      select row_to_json(v) from (
        select revision, action, reason, account_id as "accountId",
          ${NAME('account_id')} as "displayName", ${time('created_at')} as "createdAt"
        from expense_reviews where organization_id = $1 and expense_id = $4 order by id desc
      ) v)) as reviews, to_json(array(
      select row_to_json(a) from (
        select id as "approvalId", expense_revision as "expenseRevision", state,
          cancelled_at is not null as cancelled, approver_address as "approverAddress",
          account_id as "accountId", ${NAME('account_id')} as "displayName",
          ${time('deadline')} as deadline, ${time('signed_at')} as "signedAt"
        from approvals where organization_id = $1 and expense_id = $4 order by id desc
      ) a)) as approvals, ${REQUIRED} as "requiredApprovals", (
      select count(*)::int from approvals where organization_id = $1 and expense_id = $4
        and expense_revision = e.current_revision and state in ('signed', 'consumed')
      ) as "signedApprovals"
    from member cross join expenses e
    where e.organization_id = $1 and e.id = $4 and ${VISIBLE}
  ) answer`

type Caller = { organizationId: string; issuer: string; subject: string }

const valuesOf = ({ organizationId, issuer, subject }: Caller): unknown[] => [
  organizationId,
  issuer,
  subject,
]

export const listStatement = (caller: Caller, limit: number): Statement => ({
  text: LIST,
  values: [...valuesOf(caller), limit],
})

export const detailStatement = (caller: Caller, expenseId: string): Statement => ({
  text: DETAIL,
  values: [...valuesOf(caller), expenseId],
})

/** PostgreSQL knows no Keccak: the checksum in the case of an address's letters is left out. */
export const bodiesDiffer = (one: string, other: string): boolean => {
  const plain = (body: string) =>
    body.replace(/0x[0-9a-f]{40}\b/gi, (address) => address.toLowerCase())
  return plain(one) !== plain(other)
}
