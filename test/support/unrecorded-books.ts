/** Unrecorded payments as the matching job writes them, where no chain runs. */
import { randomBytes } from 'node:crypto'
import { SYSTEM } from '#journal/actor.ts'
import { insertFound } from '#payments/move-unrecorded-payment.ts'
import { findUnrecordedId, type LoggedPayment } from '#payments/unrecorded-payments.store.ts'
import type { TestApp } from '#test/support/app.ts'

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

const loggedPayment = (vaultId: string, terms: Partial<LoggedPayment> = {}): LoggedPayment => ({
  vaultId,
  chainPaymentId: hex(32),
  mode: 'automatic',
  recipientAddress: hex(20),
  amount: 1_234_567n,
  policyVersion: 1,
  reportHash: hex(32),
  expenseVersionHash: hex(32),
  approvalDigests: [],
  approverAddresses: [],
  transactionHash: hex(32),
  blockNumber: 7,
  blockHash: hex(32),
  blockTime: '2026-01-02T03:04:05.000Z',
  ...terms,
})

export type WrittenUnrecorded = LoggedPayment & { id: string }

export async function writeUnrecorded(
  { ctx }: Pick<TestApp, 'ctx'>,
  { organizationId, vaultId }: { organizationId: string; vaultId: string },
  terms: Partial<LoggedPayment> = {},
): Promise<WrittenUnrecorded> {
  const logged = loggedPayment(vaultId, terms)
  const { chainPaymentId } = logged
  return ctx.db.transaction({ organizationId }, async (tx) => {
    await insertFound(ctx, tx, { organizationId, logged, actor: SYSTEM })
    const id = await findUnrecordedId(tx, { organizationId, vaultId, chainPaymentId })
    if (id === undefined) throw new Error('The unrecorded payment was not written')
    return { ...logged, id }
  })
}
