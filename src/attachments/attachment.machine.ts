import type { Machine } from '#platform/machine.ts'

const moves = {
  uploading: { store: 'stored' },
  stored: {},
} as const

export type AttachmentState = keyof typeof moves

export const attachmentMachine: Machine<AttachmentState, 'store'> = { name: 'attachment', moves }
