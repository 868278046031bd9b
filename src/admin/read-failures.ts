/** Reads overview counts and the most recent failures, for operators. */
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { type PaymentRecord, toPaymentRecord } from '#payments/payment.ts'
import { toAttempt } from '#payments/read-payments.ts'
import { toUnrecordedPayment, type UnrecordedPaymentRecord } from '#payments/unrecorded-payment.ts'
import { listOpenUnrecorded } from '#payments/unrecorded-payments.store.ts'
import {
  type FailedAttemptRow,
  findOverviewCounts,
  listFailedAttempts,
  listFailedPayments,
  listFailedRuns,
  type OverviewCounts,
  type RunRow,
} from './failures.store.ts'
import { listOrganizationNames, type OrganizationName } from './organizations.store.ts'
import type { AdminContext } from './read-organizations.ts'

/** Limit per kind. Older failures are found through their organization. */
export const FAILURES_SHOWN = 100

export async function readOverview(
  ctx: AdminContext,
  { operator }: { operator: Actor },
): Promise<OverviewCounts & { checkedAt: string }> {
  const counts = await ctx.observerDb.transaction({}, findOverviewCounts)
  await recordRead(ctx, { operator, operation: 'getAdminOverview', organizationId: null })
  return { checkedAt: ctx.clock.now().toISOString(), ...counts }
}

export const toAdminAttempt = (attempt: FailedAttemptRow) => ({
  ...toAttempt(attempt),
  organizationId: attempt.organizationId,
  paymentId: attempt.paymentId,
})

export type Failures = {
  analysisRuns: RunRow[]
  payments: PaymentRecord[]
  paymentAttempts: ReturnType<typeof toAdminAttempt>[]
  /** Unacknowledged ones only. */
  unrecordedPayments: UnrecordedPaymentRecord[]
  organizations: OrganizationName[]
}

export async function readFailures(
  ctx: AdminContext,
  { operator }: { operator: Actor },
): Promise<Failures> {
  const failures = await ctx.observerDb.transaction({}, async (tx) => {
    const unrecorded = { organizationId: null, limit: FAILURES_SHOWN }
    const rows = {
      analysisRuns: await listFailedRuns(tx, FAILURES_SHOWN),
      payments: (await listFailedPayments(tx, FAILURES_SHOWN)).map(toPaymentRecord),
      paymentAttempts: (await listFailedAttempts(tx, FAILURES_SHOWN)).map(toAdminAttempt),
      unrecordedPayments: (await listOpenUnrecorded(tx, unrecorded)).map(toUnrecordedPayment),
    }
    const ids = Object.values<{ organizationId: string }[]>(rows).flatMap((kind) =>
      kind.map(({ organizationId }) => organizationId),
    )
    return { ...rows, organizations: await listOrganizationNames(tx, [...new Set(ids)]) }
  })
  await recordRead(ctx, { operator, operation: 'listFailures', organizationId: null })
  return failures
}
