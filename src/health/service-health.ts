/** How a part that the service needs is doing, as snapshots and integrations tell it. */
export type Severity = 'healthy' | 'degraded' | 'action_required'

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
