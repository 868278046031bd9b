import type { Machine } from '#platform/machine.ts'

const moves = {
  pending: { claim: 'completing', cancel: 'cancelled', expire: 'expired' },
  // A claim whose worker died is never completed, so it can only expire.
  completing: { complete: 'completed', expire: 'expired' },
  completed: {},
  cancelled: {},
  expired: {},
} as const

export type ExportState = keyof typeof moves
export type ExportEvent = 'claim' | 'complete' | 'cancel' | 'expire'
export const walletExportMachine: Machine<ExportState, ExportEvent> = {
  name: 'wallet export',
  moves,
}
