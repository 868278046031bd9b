/**
 * `npm run keys -- seal`: seals open reports and unsent automatic payments under the current
 * `WORKER_SECRET`, if they verify under the previous one or are older than MACs. The operator who
 * runs it after the upgrade vouches for the existing rows.
 */
import type { Context } from '#context.ts'
import { requireMacKeys } from '#payments/accepted-keys.ts'
import { type SealTally, sealPayments } from '#payments/seal-payments.ts'
import { findIsAnyKeyUsed } from '#payments/worker-keys.store.ts'
import { isSealedReport, sealReport } from '#payments/worker-mac.ts'
import { StartupError } from '#platform/errors.ts'
import type { MacKey } from '#platform/secrets.ts'
import {
  countUnsealed,
  listOrganizationIds,
  listReportsToSeal,
  updateReportSeal,
} from './seal-existing.store.ts'

/**
 * Before a worker's first start with keys: rows from before MACs would be blocked as forged. In
 * development they are sealed at once, in production somebody has to vouch for them.
 */
export async function requireSealedRows(
  ctx: Pick<Context, 'db' | 'observerDb' | 'secrets' | 'config'>,
): Promise<void> {
  if (await findIsAnyKeyUsed(ctx.db)) return
  if ((await countUnsealed(ctx.observerDb)) === 0) return
  if (ctx.config.production) {
    throw new StartupError(
      'The database has reports from before workers sealed them. Run npm run keys -- seal with a ' +
        'worker’s configuration first (docs/OPERATIONS.md, Upgrade).',
    )
  }
  await sealExisting(ctx)
}

export async function sealExisting(
  ctx: Pick<Context, 'db' | 'observerDb' | 'secrets'>,
): Promise<SealTally> {
  const keys = requireMacKeys(ctx.secrets)
  const previous = keys.previous ? [keys.previous] : []
  const tally: SealTally = { sealed: 0, refused: [] }
  // Once a worker has sealed anything, a row without a MAC is no row of an earlier version.
  const isUpgrade = !(await findIsAnyKeyUsed(ctx.db))
  for (const organizationId of await listOrganizationIds(ctx.observerDb)) {
    await ctx.db.transaction({ organizationId }, async (tx) => {
      const wanted = { organizationId, keyId: keys.current.id }
      for (const report of await listReportsToSeal(tx, wanted)) {
        const holds = (trusted: MacKey[]) => isSealedReport(trusted, report, report)
        if (report.mac === null ? isUpgrade && report.isOld : holds(previous)) {
          updateReportSeal(tx, { ...report, seal: sealReport(keys, report) })
          tally.sealed += 1
        } else tally.refused.push(`report ${report.id}`)
      }
      const payments = await sealPayments(tx, { ...wanted, keys, isUpgrade })
      tally.sealed += payments.sealed
      tally.refused.push(...payments.refused)
    })
  }
  return tally
}
