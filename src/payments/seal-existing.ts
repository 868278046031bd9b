/**
 * `npm run keys -- seal`: seals open reports and unsent automatic payments under the current
 * `WORKER_SECRET`, if they verify under the previous one or are older than MACs. The operator who
 * runs it after the upgrade vouches for the existing rows.
 */
import type { Context } from '#context.ts'
import type { MacKey } from '#platform/secrets.ts'
import { requireMacKeys } from './accepted-keys.ts'
import {
  listOrganizationIds,
  listPaymentsToSeal,
  listReportsToSeal,
  updatePaymentSeal,
  updateReportSeal,
} from './seal-existing.store.ts'
import {
  isSealedAuthorization,
  isSealedReport,
  sealAuthorization,
  sealReport,
} from './worker-mac.ts'

export type SealTally = { sealed: number; refused: string[] }

export async function sealExisting(
  ctx: Pick<Context, 'db' | 'observerDb' | 'secrets'>,
): Promise<SealTally> {
  const keys = requireMacKeys(ctx.secrets)
  const previous = keys.previous ? [keys.previous] : []
  const tally: SealTally = { sealed: 0, refused: [] }
  for (const organizationId of await listOrganizationIds(ctx.observerDb)) {
    await ctx.db.transaction({ organizationId }, async (tx) => {
      const wanted = { organizationId, keyId: keys.current.id }
      for (const report of await listReportsToSeal(tx, wanted)) {
        if (mayBeSealed(report, (trusted) => isSealedReport(trusted, report, report), previous)) {
          await updateReportSeal(tx, { ...report, seal: sealReport(keys, report) })
          tally.sealed += 1
        } else tally.refused.push(`report ${report.id}`)
      }
      for (const payment of await listPaymentsToSeal(tx, wanted)) {
        const verifies = (trusted: MacKey[]) => isSealedAuthorization(trusted, payment, payment)
        if (mayBeSealed(payment, verifies, previous)) {
          await updatePaymentSeal(tx, { ...payment, seal: sealAuthorization(keys, payment) })
          tally.sealed += 1
        } else tally.refused.push(`payment ${payment.id}`)
      }
    })
  }
  return tally
}

const mayBeSealed = (
  { mac, isOld }: { mac: Buffer | null; isOld: boolean },
  verifies: (trusted: MacKey[]) => boolean,
  previous: MacKey[],
): boolean => (mac === null ? isOld : verifies(previous))
