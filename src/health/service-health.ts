/** The health of a service that the product depends on, as snapshots and integrations report it. */
import type { Severity } from '#platform/severity.ts'
export type ServiceHealth = {
  id: string
  service: string
  environment: string | null
  severity: Severity
  summary: string
  heartbeatAgeSeconds: number | null
  latencyMs: number | null
  code: string | null
  checkedAt: string
  provider: string | null
  deployment: string | null
}

/** In display order. */
export const serviceNames = {
  database: 'Database',
  worker: 'Worker',
  chain: 'Chain nodes',
  executor: 'Executor',
  analyst: 'Analyst',
  push: 'Push notifications',
  identity: 'Identity provider',
  wallets: 'Wallets and keys',
} as const

export type ServiceId = keyof typeof serviceNames

export const serviceIds = Object.keys(serviceNames) as ServiceId[]

/** The verdict on a service. The summary is for operators and says what to do. */
export type HealthVerdict = {
  severity: Severity
  code: string | null
  summary: string
  latencyMs: number | null
}

const memberSummaries: Record<Severity, string> = {
  healthy: 'This service works normally.',
  degraded: 'This service may not work as it should. Operators are informed.',
  action_required: 'This service has a problem that needs action. Operators are informed.',
}

/** Hides the operators' instructions and figures about other tenants from members. */
export const forMembers = <V extends HealthVerdict>(verdict: V): V => ({
  ...verdict,
  summary: memberSummaries[verdict.severity],
})

export const healthy = (
  summary: string,
  { code = null, latencyMs = null }: Partial<Pick<HealthVerdict, 'code' | 'latencyMs'>> = {},
): HealthVerdict => ({ severity: 'healthy', code, summary, latencyMs })

export const degraded = (code: string, summary: string, latencyMs: number | null = null) =>
  ({ severity: 'degraded', code, summary, latencyMs }) as const

export const actionRequired = (code: string, summary: string, latencyMs: number | null = null) =>
  ({ severity: 'action_required', code, summary, latencyMs }) as const
