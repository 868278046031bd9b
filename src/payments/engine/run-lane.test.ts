import { describe, expect, test } from 'vitest'
import type { BlockCode } from '#platform/block-codes.ts'
import { paymentIn, settings } from '#test/simulator/situations.ts'
import type { Lane, LanePayment } from './lane.ts'
import { nextPassIn } from './run-lane.ts'

const NOW_MS = 1_000_000

const laneWith = (change: Partial<Lane>): Lane => ({
  id: 'lane',
  address: '0xex',
  nowMs: NOW_MS,
  nextNonce: 8,
  isHeld: false,
  finalizedFloor: 0,
  followedTo: 100,
  unsettled: [],
  queued: [],
  queuedDueInMs: null,
  ...change,
})

const blockedFor = (ms: number, blockCode: BlockCode): LanePayment => ({
  ...paymentIn('blocked'),
  blockCode,
  stateSinceMs: NOW_MS - ms,
})

describe('the next pass over a lane', () => {
  test.each<[string, Partial<Lane>, number | null]>([
    ['is not scheduled when nothing is left to do', {}, null],
    ['comes soon while a payment is in flight', { unsettled: [paymentIn('broadcast')] }, 1_000],
    ['comes soon while payments are queued', { queued: [paymentIn('queued')] }, 1_000],
    ['comes when the first postponed payment is due', { queuedDueInMs: 7_000 }, 7_000],
    [
      'comes late while payments are only blocked',
      { unsettled: [blockedFor(0, 'nonce_used_elsewhere')] },
      30_000,
    ],
    [
      'comes soon for a payment that was just found executed',
      { unsettled: [blockedFor(59_999, 'payment_already_executed')] },
      1_000,
    ],
    [
      'comes late for a payment found executed a minute ago without proof since',
      { unsettled: [blockedFor(60_000, 'payment_already_executed')] },
      30_000,
    ],
  ])('%s', (_title, lane, expected) => {
    expect(nextPassIn(laneWith(lane), settings)).toBe(expected)
  })
})
