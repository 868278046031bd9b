/** The funding signer at Privy is held by a policy that is read back, and by nothing less. */
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
  test('lets the signer near the wallet under exactly its policy, once', async () => {
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
    ['the answer is lost after the effect', 'lost after'],
    ['the answer is lost before it', 'lost before'],
    ['it answers 429', { status: 429 }],
    ['it answers 500', { status: 500 }],
  ]
  test.each(lost)('%s: nobody can tell, and again it is attached', async (_what, fault) => {
    privy.fail('update', fault)
    await expect(provider.attach(control)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(await provider.attach(control)).toMatchObject({ outcome: 'attached' })
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
  })

  test('another signer than the configured one is refused before Privy is asked', async () => {
    const asked = { ...control, signerId: String(privy.env.PRIVY_OWNER_ID) }
    const refused = { outcome: 'refused', code: 'signer_missing' }
    expect(await provider.attach(asked)).toEqual(refused)
    expect(privy.seen).toEqual([])
  })

  test('is taken back, and again, and leaves other signers alone', async () => {
    await provider.attach(control)
    const other = { signer_id: privy.funding.policyOwnerId, override_policy_ids: [] }
    wallet.additional_signers.push(other)
    await provider.detach(control)
    await provider.detach(control)
    expect(wallet.additional_signers).toEqual([other])
    expect(await provider.readBack(control)).toMatchObject({ outcome: 'different' })
  })

  test('a signer that Privy keeps is not called gone', async () => {
    await provider.attach(control)
    privy.fail('update', { status: 401, body: '{"code":"invalid_data"}' })
    await expect(provider.detach(control)).rejects.toMatchObject({ code: 'dependency_unavailable' })
  })
})

/** Makes it differ, before it is attached or after. */
type Spoil = () => void

const signerKey = () => quorumOf(privy.funding.signerId).authorization_keys[0]
const spoilRule = (change: (conditions: { value: unknown }[]) => void) => () =>
  change(policy.rules[0]?.conditions ?? [])

describe('what is different is not attached, and is found when it is read back', () => {
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
      "its key is the owner's, too",
      () => {
        wallet.owner_id = makeQuorum(signerKey()?.public_key)
      },
    ],
    [
      'wallet_owner_differs',
      'somebody else owns the wallet',
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
      'somebody else signs, too',
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
      "its key stands in the quorum of the policy's owner",
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
      'the policy is gone',
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
      'more at once',
      spoilRule((c) => {
        Object.assign(c[4] ?? {}, { value: `0x${(1_001).toString(16)}` })
      }),
    ],
    [
      'policy_expiry_differs',
      'no end',
      spoilRule((c) => {
        c.splice(5, 1)
      }),
    ],
    [
      'policy_rule_differs',
      'something besides',
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
      'taken away',
      () => {
        wallet.additional_signers = []
      },
    ],
    [
      'override_policy_missing',
      'held by no policy',
      () => {
        wallet.additional_signers = [{ signer_id: privy.funding.signerId, override_policy_ids: [] }]
      },
    ],
    [
      'override_policy_differs',
      'held by another one',
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
  ])('%s: %s, and attaching again heals it', async (code, _what, spoil) => {
    await provider.attach(control)
    spoil()
    expect(await provider.readBack(control)).toEqual({ outcome: 'different', code })
    expect(await provider.attach(control)).toMatchObject({ outcome: 'attached' })
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
  })

  test('signer_key_differs: others sign for its quorum, too', async () => {
    await provider.attach(control)
    const quorum = quorumOf(privy.funding.signerId)
    const { public_key: more } = { public_key: makeAuthorizationKey().publicKey }
    quorum.authorization_keys.push({ public_key: more, display_name: null })
    const found = await provider.readBack(control)
    quorum.authorization_keys.pop()
    expect(found).toEqual({ outcome: 'different', code: 'signer_key_differs' })
  })

  test('policy_expired: its time is over, whatever it says', async () => {
    const late = { now: () => addSeconds(systemClock.now(), 3_601) }
    const provider = createPrivyFunding({ ...configuredFunding(privy), clock: late })
    const code = 'policy_expired'
    expect(await provider.readBack(control)).toEqual({ outcome: 'different', code })
  })

  test.each<[string, Parameters<PrivyEmulator['fail']>[0], Fault]>([
    ['silent', 'find', 'lost before'],
    ['refusing', 'read policy', { status: 401, body: '{"code":"unauthorized"}' }],
    ['failing', 'read quorum', { status: 503 }],
    ['speaking of another wallet', 'find', { instead: { id: 'x', address: '0x' } }],
    ['speaking of another policy', 'read policy', { instead: { id: 'x' } }],
    ['speaking in another form', 'find', { instead: { additional_signers: 'all' } }],
  ])('nobody can tell while Privy is %s', async (_what, operation, fault) => {
    await provider.attach(control)
    privy.fail(operation, fault)
    const asked = provider.readBack(control)
    await expect(asked).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(await provider.readBack(control)).toEqual({ outcome: 'equal' })
  })
})
