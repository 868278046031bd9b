/** Makes a tenant of the fuzz test able to pay without a chain: policies, keys, signatures. */
import sql from 'sql-template-tag'
import { type Hex, numberToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { findActiveBinding } from '#executor/executor.store.ts'
import type { Guest, Tenant, World } from '#test/fuzz/world.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import { writeListed } from '#test/support/listed-recipients.ts'
import { insertPolicy } from '#treasury/policies.store.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'
import { addToVault } from '#treasury/vaults.store.ts'

/** More than any amount, and less than the column's maximum. */
const PLENTY = 10n ** 74n

/** The wallets of the fuzz test have keys, so that their holders can sign. */
export const accountOf = (n: number, more = 0): PrivateKeyAccount =>
  privateKeyToAccount(numberToHex(n * 10 + more + 1, { size: 32 }))

export type KnownApproval = {
  expenseId: string
  approvalId: string
  accountId: string
  digest: Hex
  address: string
  /** Created between two rounds. */
  signature: string | undefined
}

export function meetApproval(
  tenant: Tenant,
  { caller, expenseId }: { caller: Guest; expenseId: string },
  { approvalId, digest, approverAddress }: Answer['body'],
): void {
  const { accountId } = caller
  const known = { expenseId, approvalId, accountId, digest, address: approverAddress }
  tenant.approvals.unshift({ ...known, signature: undefined })
  tenant.approvals.length = Math.min(tenant.approvals.length, 10)
}

/** The usual recipients of expenses; every policy lists them. */
export const payees: readonly string[] = Array.from({ length: 100 }, (_, n) =>
  accountOf(1000 + n).address.toLowerCase(),
)

/** Every vault of a tenant with an executor has a policy that lists everybody, and much money. */
export async function fundTenant(
  { ctx }: TestApp,
  { accounts }: World,
  { id: organizationId, vaultIds }: Tenant,
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const executor = await findActiveBinding(tx, organizationId)
    if (!executor) return
    for (const vaultId of vaultIds) {
      await insertPolicy(tx, {
        id: ctx.ids.next(),
        organizationId,
        vaultId,
        version: 1,
        executorAddress: executor.address,
        approverAddresses: [...accounts.keys()],
        ...NO_LIMITS,
        approvedCap: PLENTY,
        automaticCap: PLENTY,
        lifetimeCap: PLENTY * 1000n,
        reserveFloor: 0n,
        expiresAt: '2099-01-01T00:00:00.000Z',
        automaticEnabled: true,
        paused: false,
        chainTransactionHash: `0x${'11'.repeat(32)}`,
        blockNumber: 1,
        timeSeconds: 1_700_000_000,
        at: ctx.clock.now(),
      })
      await writeListed(tx, { organizationId, vaultId, addresses: payees })
      await addToVault(tx, { organizationId, vaultId, balance: PLENTY * 1000n, policyVersion: 1 })
    }
  })
}

export async function signPrepared({ accounts }: World, { approvals }: Tenant): Promise<void> {
  for (const approval of approvals) {
    if (approval.signature !== undefined) continue
    const account = accounts.get(approval.address.toLowerCase())
    approval.signature = await account?.sign({ hash: approval.digest })
  }
}

/** No worker sends anything here: some payments are marked as in flight. */
export async function sendSome({ ctx }: TestApp, { id, paymentIds }: Tenant): Promise<void> {
  if (paymentIds.length === 0) return
  await ctx.db.transaction({ organizationId: id }, (tx) =>
    tx.query(sql`
      update payments set state = 'broadcast' where state = 'queued' and id = (
        select id from payments where id = any(${paymentIds}::uuid[]) and state = 'queued'
        order by id desc limit 1)`),
  )
}
