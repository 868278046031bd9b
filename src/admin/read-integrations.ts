/** Reads the health of configured services for operators, without any credentials. */
import type { Context } from '#context.ts'
import { readServiceHealth } from '#health/read-service-health.ts'
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import type { Severity } from '#platform/severity.ts'

export type Integration = {
  id: string
  name: string
  provider: string
  configured: boolean
  severity: Severity
  summary: string
  checkedAt: string
}

export type IntegrationsContext = Pick<
  Context,
  'db' | 'observerDb' | 'clock' | 'ids' | 'config' | 'analyst' | 'walletProvider'
> & {
  /** Undefined without VAPID keys. */
  push?: object | undefined
}

/** Only these are optional; the service does not start without the others. */
const isConfigured = (ctx: IntegrationsContext, id: string): boolean => {
  if (id === 'analyst') return ctx.analyst !== undefined
  if (id === 'wallets') return ctx.walletProvider !== undefined
  return id !== 'push' || ctx.push !== undefined
}

export async function readIntegrations(
  ctx: IntegrationsContext,
  { operator }: { operator: Actor },
): Promise<Integration[]> {
  const services = await readServiceHealth(ctx, { organizationId: null })
  await recordRead(ctx, { operator, operation: 'getIntegrationsStatus', organizationId: null })
  return services.map(({ id, service, provider, severity, summary, checkedAt }) => ({
    id,
    name: service,
    provider: provider ?? 'local',
    configured: isConfigured(ctx, id),
    severity,
    summary,
    checkedAt,
  }))
}
