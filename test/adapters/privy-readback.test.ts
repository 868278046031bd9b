/** The funding signer at Privy is verified by reading its policy back. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPrivyFunding } from '#adapters/privy/privy-funding.ts'
import { addSeconds, systemClock } from '#platform/clock.ts'
import type { AttachedControl, FundingRule } from '#ports/funding-provider.ts'
import { type EmulatedWallet, makeAuthorizationKey } from '#test/support/privy-books.ts'
import { type Fault, type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { configuredFunding, EXPIRES_AT, openSignerBench } from '#test/support/privy-funding.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'

const rule: FundingRule = {
  chainId: 31_337,
  vaultAddress: `0x${'5a'.repeat(20)}`,
  maxAmount: 1_000n,
  expiresAt: EXPIRES_AT,
}

let privy: PrivyEmulator
let provider: ReturnType<typeof createPrivyFunding>
let wallet: EmulatedWallet
let policy: EmulatedPolicy
let control: AttachedControl

beforeAll(async () => {
  privy = await startPrivyEmulator()
  provider = createPrivyFunding(configuredFunding(privy))
})
beforeEach(async () => {
  ;({ wallet, policy, control } = await openSignerBench(privy, rule))
  privy.seen.length = 0
})
afterAll(() => privy.stop())

const quorumOf = (id: string | null | undefined) => {
  const quorum = privy.quorums.find((one) => one.id === id)
  if (!quorum) throw new Error(`There is no quorum ${id}`)
  return quorum
}
const writes = () => privy.seen.filter(({ operation }) => operation === 'update')

describe('attaching', () => {
  test('adds the signer to the wallet under exactly its policy, once', async () => {
    expect(await provider.attach(control)).toMatchObject({ outcome: 'attached' })
    const signers = [{ signer_id: privy.funding.signerId, override_policy_ids: [policy.id] }]
    expect(wallet.additional_signers).toEqual(signers)
    expect(writes()).toEqual([
      { operation: 'update', status: 200, body: { additional_signers: signers } },
    ])
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
    await provider.attach(control)
    expect(writes()).toHaveLength(1)
  })

  const lost: [string, Fault][] = [
    ['an answer lost after it took effect', 'lost after'],
    ['a request lost before it took effect', 'lost before'],
    ['a 429', { status: 429 }],
    ['a 500', { status: 500 }],
  ]
  test.each(lost)('is inconclusive after %s, and succeeds when repeated', async (_what, fault) => {
    privy.fail('update', fault)
    await expect(provider.attach(control)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(await provider.attach(control)).toMatchObject({ outcome: 'attached' })
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
  })

  test('refuses a signer other than the configured one before calling Privy', async () => {
    const asked = { ...control, signerId: String(privy.env.PRIVY_OWNER_ID) }
    const refused = { outcome: 'refused', code: 'signer_missing' }
    expect(await provider.attach(asked)).toEqual(refused)
    expect(privy.seen).toEqual([])
  })

  test('can be undone, repeatedly, without affecting other signers', async () => {
    await provider.attach(control)
    const other = { signer_id: privy.funding.policyOwnerId, override_policy_ids: [] }
    wallet.additional_signers.push(other)
    await provider.detach(control)
    await provider.detach(control)
    expect(wallet.additional_signers).toEqual([other])
    expect(await provider.readBack(control)).toMatchObject({ outcome: 'different' })
  })

  test('is not reported as undone while Privy keeps the signer', async () => {
    await provider.attach(control)
    privy.fail('update', { status: 401, body: '{"code":"invalid_data"}' })
    await expect(provider.detach(control)).rejects.toMatchObject({ code: 'dependency_unavailable' })
  })
})

/** Makes it differ, before or after it is attached. */
type Spoil = () => void

const signerKey = () => quorumOf(privy.funding.signerId).authorization_keys[0]
const spoilRule = (change: (conditions: { value: unknown }[]) => void) => () =>
  change(policy.rules[0]?.conditions ?? [])

describe('a difference is not attached, and is detected on read-back', () => {
  const before: [string, string, Spoil][] = [
    [
      'signer_is_owner',
      'the signer owns the wallet',
      () => {
        wallet.owner_id = privy.funding.signerId
      },
    ],
    [
      'signer_is_owner',
      "the owner's key is also the signer's",
      () => {
        wallet.owner_id = makeQuorum(signerKey()?.public_key)
      },
    ],
    [
      'wallet_owner_differs',
      'another account owns the wallet',
      () => {
        wallet.owner_id = privy.funding.policyOwnerId
      },
    ],
    [
      'wallet_owner_differs',
      'nobody owns the wallet',
      () => {
        wallet.owner_id = null
      },
    ],
    [
      'signer_unexpected',
      'another account signs as well',
      () => {
        const other = { signer_id: privy.funding.policyOwnerId, override_policy_ids: [] }
        wallet.additional_signers = [...wallet.additional_signers, other]
      },
    ],
    [
      'policy_owner_is_signer',
      'the signer owns the policy',
      () => {
        policy.owner_id = privy.funding.signerId
      },
    ],
    [
      'policy_owner_is_signer',
      "the signer's key is in the quorum of the policy's owner",
      () => {
        const inner = makeQuorum(signerKey()?.public_key)
        const outer = makeQuorum(makeAuthorizationKey().publicKey)
        quorumOf(outer).key_quorum_ids = [inner]
        policy.owner_id = outer
      },
    ],
    [
      'policy_owner_missing',
      'nobody owns the policy',
      () => {
        policy.owner_id = null
      },
    ],
    [
      'policy_missing',
      'the policy is missing',
      () => {
        privy.policies.splice(privy.policies.indexOf(policy), 1)
      },
    ],
    [
      'policy_vault_differs',
      'another vault',
      spoilRule((c) => {
        Object.assign(c[1] ?? {}, { value: `0x${'ab'.repeat(20)}` })
      }),
    ],
    [
      'policy_amount_differs',
      'a higher amount',
      spoilRule((c) => {
        Object.assign(c[4] ?? {}, { value: `0x${(1_001).toString(16)}` })
      }),
    ],
    [
      'policy_expiry_differs',
      'no expiry',
      spoilRule((c) => {
        c.splice(5, 1)
      }),
    ],
    [
      'policy_rule_differs',
      'an additional rule',
      () => {
        const [first] = policy.rules
        if (first) policy.rules.push({ ...first, method: '*', conditions: [] })
      },
    ],
  ]

  function makeQuorum(publicKey = ''): string {
    const id = randomUUID().replaceAll('-', '').slice(0, 24)
    privy.quorums.push({
      ...{ id, display_name: null, authorization_threshold: 1, user_ids: null },
      authorization_keys: [{ public_key: publicKey, display_name: null }],
      key_quorum_ids: [],
    })
    return id
  }

  test.each(before)('%s: %s', async (code, _what, spoil) => {
    await provider.attach(control)
    spoil()
    expect(await provider.readBack(control)).toEqual({ outcome: 'different', code })
    wallet.additional_signers = wallet.additional_signers.filter(
      ({ signer_id: id }) => id !== privy.funding.signerId,
    )
    privy.seen.length = 0
    expect(await provider.attach(control)).toEqual({ outcome: 'refused', code })
    expect(writes()).toEqual([])
  })

  test.each<[string, string, Spoil]>([
    [
      'signer_missing',
      'removed',
      () => {
        wallet.additional_signers = []
      },
    ],
    [
      'override_policy_missing',
      'without a policy',
      () => {
        wallet.additional_signers = [{ signer_id: privy.funding.signerId, override_policy_ids: [] }]
      },
    ],
    [
      'override_policy_differs',
      'with another policy',
      () => {
        wallet.additional_signers = [
          { signer_id: privy.funding.signerId, override_policy_ids: ['of-somebody-else'] },
        ]
      },
    ],
    [
      'override_policy_differs',
      'attached twice',
      () => {
        wallet.additional_signers = [
          ...wallet.additional_signers,
          { signer_id: privy.funding.signerId, override_policy_ids: ['of-somebody-else'] },
        ]
      },
    ],
  ])('%s: %s, and attaching again repairs it', async (code, _what, spoil) => {
    await provider.attach(control)
    spoil()
    expect(await provider.readBack(control)).toEqual({ outcome: 'different', code })
    expect(await provider.attach(control)).toMatchObject({ outcome: 'attached' })
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
  })

  test('signer_key_differs: its quorum has other keys too', async () => {
    await provider.attach(control)
    const quorum = quorumOf(privy.funding.signerId)
    const { public_key: more } = { public_key: makeAuthorizationKey().publicKey }
    quorum.authorization_keys.push({ public_key: more, display_name: null })
    const found = await provider.readBack(control)
    quorum.authorization_keys.pop()
    expect(found).toEqual({ outcome: 'different', code: 'signer_key_differs' })
  })

  test('policy_expired: it has ended, whatever it says', async () => {
    const late = { now: () => addSeconds(systemClock.now(), 3_601) }
    const provider = createPrivyFunding({ ...configuredFunding(privy), clock: late })
    const code = 'policy_expired'
    expect(await provider.readBack(control)).toEqual({ outcome: 'different', code })
  })

  test.each<[string, Parameters<PrivyEmulator['fail']>[0], Fault]>([
    ['silent', 'find', 'lost before'],
    ['refusing', 'read policy', { status: 401, body: '{"code":"unauthorized"}' }],
    ['failing', 'read quorum', { status: 503 }],
    ['describing another wallet', 'find', { instead: { id: 'x', address: '0x' } }],
    ['describing another policy', 'read policy', { instead: { id: 'x' } }],
    ['in another format', 'find', { instead: { additional_signers: 'all' } }],
  ])('is inconclusive while Privy is %s', async (_what, operation, fault) => {
    await provider.attach(control)
    privy.fail(operation, fault)
    const asked = provider.readBack(control)
    await expect(asked).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
  })
})
