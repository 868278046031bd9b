import { describe, expect, test } from 'vitest'
import { namingOf, type Rotation, rotationOf, whyNoRotation } from './executor-rotation.ts'

type Executor = Parameters<typeof rotationOf>[0]
type Vault = Parameters<typeof namingOf>[0]

const [OLD, NOW, NEXT] = (['aa', 'bb', 'cc'] as const).map(
  (byte): `0x${string}` => `0x${byte.repeat(20)}`,
) as [`0x${string}`, `0x${string}`, `0x${string}`]

const other = (address: `0x${string}`, state: 'next' | 'draining' | 'disabled') => ({
  id: address,
  providerType: 'local' as const,
  address,
  state,
  nativeBalanceWei: '7',
  createdAt: '2026-11-01T00:00:00.000Z',
})
const executor = (about: Partial<Executor> = {}): Executor => ({
  binding: {
    ...other(NOW, 'next'),
    organizationId: 'organization',
    chainId: 31_337,
    status: 'active',
  },
  provisioning: null,
  otherBindings: [],
  ...about,
})
const provisioning = (state: NonNullable<Executor['provisioning']>['state']) => ({
  id: 'provisioning',
  state,
  attempts: 1,
  failureCode: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
})
const vault = (inForce: string | null, waiting: string | null = null): Vault =>
  ({
    policy: inForce && { executorAddress: inForce },
    proposal: waiting && { policy: { executorAddress: waiting } },
  }) as Vault

describe('executors', () => {
  test('are told apart by what they are for', () => {
    const otherBindings = [other(NEXT, 'next'), other(OLD, 'draining')]
    expect(rotationOf(executor({ otherBindings }))).toMatchObject({
      inUse: { address: NOW },
      next: { address: NEXT },
      earlier: [{ address: OLD }],
      making: null,
    })
  })
  test.each([
    ['requested', 'under_way'],
    ['provisioning', 'under_way'],
    ['failed', 'failed'],
    ['active', null],
  ] as const)('are %s: %s', (state, making) => {
    expect(rotationOf(executor({ provisioning: provisioning(state) })).making).toBe(making)
  })
})

test.each([
  ['named', vault(NEXT.toUpperCase().replace('0X', '0x'))],
  ['named', vault(NEXT, NOW)],
  ['proposed', vault(NOW, NEXT)],
  ['other', vault(NOW)],
  ['no_policy', vault(null)],
] as const)('a vault is told apart: %s', (expected, one) => {
  expect(namingOf(one, NEXT)).toBe(expected)
})

describe('another executor is asked for', () => {
  const why = (about: Partial<Rotation> = {}, vaults = [vault(NOW)], isOwner = true) =>
    whyNoRotation({ ...rotationOf(executor()), ...about }, { isOwner, vaults })

  test('by an owner, once a policy names the one in use', () => {
    expect(why()).toBeNull()
    expect(why({}, [vault(null), vault(OLD)])).toBe('unnamed')
    expect(why({}, [vault(NOW)], false)).toBe('not_owner')
  })
  test('when the last one is neither being made nor waiting to be named', () => {
    expect(why({ making: 'under_way' })).toBe('being_made')
    expect(why({ next: other(NEXT, 'next') })).toBe('next_unnamed')
  })
})
