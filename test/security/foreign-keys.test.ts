import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'

/** Runs as the schema's owner without row-level security, so that only foreign keys can refuse. */
let service: TestApp
let a: House
let b: House
let fingerprint: () => Promise<Fingerprint>

beforeAll(async () => {
  service = await startTestApp()
  a = await house(service)
  b = await house(service)
  fingerprint = await createFingerprint(service.database)
})
afterAll(() => service.stop())

type WalletRole = { membershipId: string; accountId: string; walletId: string; role?: string }

const insertWalletRole = ({
  membershipId,
  accountId,
  walletId,
  role = 'treasury_owner',
}: WalletRole) =>
  service.database.asOwner(
    `insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
       state, created_at)
     values ($1, $2, $3, $4, $5, $6, 'active', now()) returning id`,
    [randomUUID(), a.organization.id, membershipId, accountId, walletId, role],
  )

const insertInvitation = ({ by, acceptedBy }: { by: string; acceptedBy: string | null }) =>
  service.database.asOwner(
    `insert into invitations (id, organization_id, role, state, token_salt, token_hash,
       invited_by_membership_id, accepted_by_membership_id, created_at, expires_at)
     values ($1, $2, 'employee', 'open', '', sha256($3), $4, $5, now(), now()) returning id`,
    [randomUUID(), a.organization.id, Buffer.from(randomUUID()), by, acceptedBy],
  )

const refusedByKey = { code: '23503' }

describe('a wallet role', () => {
  const own = (): WalletRole => ({
    membershipId: a.membershipId,
    accountId: a.manager.accountId,
    walletId: a.walletId,
  })

  test("of the member's own wallet is accepted", async () => {
    expect(await insertWalletRole(own())).toHaveLength(1)
  })

  test("cannot point to another tenant's membership", async () => {
    const before = await fingerprint()
    const foreign = {
      membershipId: b.membershipId,
      accountId: b.manager.accountId,
      walletId: b.walletId,
    }
    await expect(insertWalletRole(foreign)).rejects.toMatchObject(refusedByKey)
    expect(await fingerprint()).toEqual(before)
  })

  test("cannot point to another account's wallet", async () => {
    const before = await fingerprint()
    await expect(insertWalletRole({ ...own(), walletId: b.walletId })).rejects.toMatchObject(
      refusedByKey,
    )
    const [walletId = ''] = a.organization.owner.walletIds
    const ofOwner = { ...own(), walletId, role: 'approver' }
    await expect(insertWalletRole(ofOwner)).rejects.toMatchObject(refusedByKey)
    expect(await fingerprint()).toEqual(before)
  })

  test('cannot name another account than its membership', async () => {
    const before = await fingerprint()
    const borrowed = { ...own(), accountId: b.manager.accountId, walletId: b.walletId }
    await expect(insertWalletRole(borrowed)).rejects.toMatchObject(refusedByKey)
    expect(await fingerprint()).toEqual(before)
  })

  test('cannot be moved into another tenant', async () => {
    const moved = service.database.asOwner(
      'update wallet_roles set organization_id = $1 where id = $2',
      [b.organization.id, a.walletRoleId],
    )
    await expect(moved).rejects.toMatchObject(refusedByKey)
  })
})

describe('an invitation', () => {
  test('by a member of its organization is accepted', async () => {
    const by = a.organization.ownerMembershipId
    expect(await insertInvitation({ by, acceptedBy: a.membershipId })).toHaveLength(1)
  })

  test("cannot belong to another tenant's member", async () => {
    const by = a.organization.ownerMembershipId
    const foreign = b.organization.ownerMembershipId
    const before = await fingerprint()
    await expect(insertInvitation({ by: foreign, acceptedBy: null })).rejects.toMatchObject(
      refusedByKey,
    )
    await expect(insertInvitation({ by, acceptedBy: foreign })).rejects.toMatchObject(refusedByKey)
    expect(await fingerprint()).toEqual(before)
  })
})

describe('every foreign key between two tenant tables', () => {
  test('includes the organization', async () => {
    const loose = await service.database.asOwner(`
      select c.conrelid::regclass::text as child, c.conname as key
      from pg_constraint c
      where c.contype = 'f' and c.connamespace = 'countersign'::regnamespace
        and exists (select from pg_attribute where attrelid = c.conrelid
                    and attname = 'organization_id')
        and exists (select from pg_attribute where attrelid = c.confrelid
                    and attname = 'organization_id')
        and not exists (select from pg_attribute where attrelid = c.conrelid
                        and attname = 'organization_id' and attnum = any (c.conkey))`)
    expect(loose).toEqual([])
  })
})
