/** How a part that the service needs is doing, as snapshots and integrations tell it. */
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

/** The order in which they are shown. */
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

/** What a look at a part came to. The summary is for operators, and says what to do. */
export type Verdict = {
  severity: Severity
  code: string | null
  summary: string
  latencyMs: number | null
}

const wordsForMembers: Record<Severity, string> = {
  healthy: 'Nothing is wrong with this part.',
  degraded: 'This part may not work as it should. We are told.',
  action_required: 'This part has trouble, and somebody must do something. We are told.',
}

/** What operators are to do, and how much of everybody's there is, members do not need to know. */
export const forMembers = <V extends Verdict>(verdict: V): V => ({
  ...verdict,
  summary: wordsForMembers[verdict.severity],
})

export const healthy = (
  summary: string,
  { code = null, latencyMs = null }: Partial<Pick<Verdict, 'code' | 'latencyMs'>> = {},
): Verdict => ({ severity: 'healthy', code, summary, latencyMs })

export const degraded = (code: string, summary: string, latencyMs: number | null = null) =>
  ({ severity: 'degraded', code, summary, latencyMs }) as const

export const actionRequired = (code: string, summary: string, latencyMs: number | null = null) =>
  ({ severity: 'action_required', code, summary, latencyMs }) as const
