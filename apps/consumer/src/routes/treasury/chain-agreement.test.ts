import { expect, test } from 'vitest'
import { agreementOf, type ChainPolicy, type ToldPolicy } from './chain-agreement.ts'

const told: ToldPolicy = {
  ownerAddress: '0xOwner',
  version: 7,
  recipientsVersion: 4,
  policy: {
    approvedCap: '5000',
    automaticCap: '20',
    lifetimeCap: '300000',
    reserveFloor: '1250',
    expiresAt: '2027-03-01T00:00:00Z',
    automaticEnabled: false,
    paused: false,
    periodSeconds: 86_400,
    periodCap: '900',
    automaticPeriodCap: '50',
    tiers: [{ above: '100', approvals: 2 }],
    executorAddress: '0xEE',
    approverAddresses: ['0x11'],
    recipientAddresses: ['0x22'],
  },
}
const chain: ChainPolicy = {
  owner: '0xowner',
  version: 7n,
  recipientsVersion: 4n,
  policy: {
    executor: '0xee',
    expiresAt: BigInt(Date.parse('2027-03-01T00:00:00Z') / 1000),
    automaticEnabled: false,
    paused: false,
    approvedCap: 5000n,
    automaticCap: 20n,
    lifetimeCap: 300000n,
    reserveFloor: 1250n,
    periodSeconds: 86_400,
    periodCap: 900n,
    automaticPeriodCap: 50n,
    tiers: [{ above: 100n, approvals: 2 }],
  },
  unlisted: [],
}

test('the same policy agrees', () => {
  expect(agreementOf(chain, told)).toEqual({ state: 'agrees' })
})

test('a vault without a policy has version zero and nothing to compare', () => {
  expect(agreementOf({ ...chain, version: 0n }, { ...told, version: 0, policy: null })).toEqual({
    state: 'agrees',
  })
})

test('a recipient that is said to be listed before the first policy must be', () => {
  const first = { ...told, version: 0, policy: null }
  const fields = ['0x22']
  expect(agreementOf({ ...chain, version: 0n, unlisted: fields }, first)).toEqual({
    state: 'differs',
    fields,
  })
})

test('another version was configured meanwhile', () => {
  expect(agreementOf({ ...chain, version: 8n }, told)).toEqual({ state: 'moved_on', version: 8n })
})

test('another list of recipients was configured meanwhile', () => {
  expect(agreementOf({ ...chain, recipientsVersion: 5n }, told)).toEqual({
    state: 'other_recipients',
  })
})

test.each([
  ['periodSeconds', { periodSeconds: 3_600 }],
  ['periodCap', { periodCap: 0n }],
  ['automaticPeriodCap', { automaticPeriodCap: 51n }],
  ['tiers', { tiers: [] }],
])('a limit that the service tells wrongly counts: %s', (field, change) => {
  const policy = { ...chain.policy, ...change }
  expect(agreementOf({ ...chain, policy }, told)).toEqual({ state: 'differs', fields: [field] })
})

test('another owner is another vault', () => {
  expect(agreementOf({ ...chain, owner: '0xthief' }, told)).toEqual({
    state: 'differs',
    fields: ['owner'],
  })
})

test('every field and every address counts', () => {
  const policy = { ...chain.policy, approvedCap: 1n, paused: true }
  expect(agreementOf({ ...chain, policy, unlisted: ['0x22'] }, told)).toEqual({
    state: 'differs',
    fields: ['paused', 'approvedCap', '0x22'],
  })
})
