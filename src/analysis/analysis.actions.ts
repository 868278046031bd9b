/** What runs of the analysis write into the audit trail. */

export const analysisActions = [
  'agent_run.queued',
  'agent_run.started',
  'agent_run.succeeded',
  'agent_run.failed',
] as const

declare module '#journal/journal.ts' {
  interface AuditRecords {
    analysis: {
      action: (typeof analysisActions)[number]
      aggregate: 'agent_run'
    }
  }
}
