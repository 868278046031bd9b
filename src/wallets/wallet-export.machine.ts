import type { Machine } from '#platform/machine.ts'

const moves = {
  pending: { claim: 'completing', cancel: 'cancelled', expire: 'expired' },
  // Whoever claimed it may have died: then nobody completes it any more.
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
