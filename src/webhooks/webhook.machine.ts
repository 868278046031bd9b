import type { Machine } from '#platform/machine.ts'

const webhookMoves = {
  active: { disable: 'disabled' },
  disabled: { enable: 'active' },
} as const

const deliveryMoves = {
  pending: { deliver: 'delivered', fail: 'failed' },
  delivered: {},
  failed: {},
} as const

export type WebhookState = keyof typeof webhookMoves
export type WebhookEvent = 'disable' | 'enable'
export const webhookMachine: Machine<WebhookState, WebhookEvent> = {
  name: 'webhook',
  moves: webhookMoves,
}

export type WebhookDeliveryState = keyof typeof deliveryMoves
export type WebhookDeliveryEvent = keyof (typeof deliveryMoves)['pending']
export const webhookDeliveryMachine: Machine<WebhookDeliveryState, WebhookDeliveryEvent> = {
  name: 'webhook delivery',
  moves: deliveryMoves,
}
