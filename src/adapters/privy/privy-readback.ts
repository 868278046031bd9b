/**
 * Reads who may sign for a wallet at Privy and under which policy, and compares it with the
 * requested control. A signer without an override policy is unrestricted, and a signer that owns
 * the wallet can change its own policy. Keys of nested quorums count as well.
 */

import { publicKeyOf } from '#platform/config/wallets.ts'
import { optional, ProviderId } from '#platform/http-client/provider-client.ts'
import { fits, type Static, type TSchema, Type } from '#platform/schema.ts'
import { lowerCased } from '#platform/values.ts'
import type { AskedControl, ControlDifference } from '#ports/funding-provider.ts'
import { type PrivyAnswer, type PrivyClient, privyUnavailable } from './privy-client.ts'
import { policyDifference } from './privy-policy.ts'

type Quorum = { keys: string[]; threshold: number; users: number; nested: string[] }

/** The control's current state at Privy. Undefined fields do not exist there. */
export type PrivyControl = {
  ownerId: string | null
  signers: { id: string; policyIds: string[] }[]
  /** Every key that signs for the owner, including nested quorums. */
  ownerKeys: string[]
  signer: Quorum | undefined
  policy: FoundPolicy | undefined
  policyOwnerId: string | null
  policyOwnerKeys: string[]
}

type PrivySigner = { signerId: string; signerKey: string; ownerId: string }

export const walletIdOf = ({ reference }: AskedControl['wallet']): string =>
  Buffer.from(reference).toString()

const list = <T extends TSchema>(item: T) => optional(Type.Array(item, { maxItems: 200 }))

const FoundWallet = Type.Object({
  id: ProviderId,
  address: Type.String(),
  owner_id: optional(ProviderId),
  additional_signers: list(
    Type.Object({ signer_id: ProviderId, override_policy_ids: list(Type.String()) }),
  ),
})

const FoundQuorum = Type.Object({
  authorization_keys: list(Type.Union([Type.String(), Type.Object({ public_key: Type.String() })])),
  authorization_threshold: optional(Type.Number()),
  user_ids: list(Type.String()),
  key_quorum_ids: list(ProviderId),
})

const FoundPolicy = Type.Object({ id: ProviderId, owner_id: optional(ProviderId) })
type FoundPolicy = Static<typeof FoundPolicy>

/** Undefined for 404. Any other refusal says nothing about the resource. */
function foundIn<T extends TSchema>(answer: PrivyAnswer, shape: T): Static<T> | undefined {
  if (answer.outcome === 'done') {
    if (fits(shape, answer.body)) return answer.body
    throw privyUnavailable('answered in an unknown format')
  }
  if (answer.status === 404) return undefined
  throw privyUnavailable(`refused a read: ${answer.code}`)
}

const pathTo = (collection: string, id: string) => `/v1/${collection}/${encodeURIComponent(id)}`

async function readQuorum(client: PrivyClient, id: string | null): Promise<Quorum | undefined> {
  if (id === null) return undefined
  const found = foundIn(await client.get(pathTo('key_quorums', id)), FoundQuorum)
  if (!found) return undefined
  const keys = found.authorization_keys ?? []
  return {
    // Keys can contain line breaks.
    keys: keys.map((key) => (typeof key === 'string' ? key : key.public_key).replace(/\s/g, '')),
    threshold: found.authorization_threshold ?? 1,
    users: found.user_ids?.length ?? 0,
    nested: found.key_quorum_ids ?? [],
  }
}

/** Privy allows one level of nesting. */
async function keysOf(client: PrivyClient, id: string | null): Promise<string[]> {
  const quorum = await readQuorum(client, id)
  const inner = await Promise.all((quorum?.nested ?? []).map((part) => readQuorum(client, part)))
  return [...(quorum?.keys ?? []), ...inner.flatMap((part) => part?.keys ?? [])]
}

async function readPolicy(client: PrivyClient, policyId: string) {
  const policy = fits(ProviderId, policyId)
    ? foundIn(await client.get(pathTo('policies', policyId)), FoundPolicy)
    : undefined
  if (policy && policy.id !== policyId) throw privyUnavailable('answered with another policy')
  const policyOwnerId = policy?.owner_id ?? null
  return { policy, policyOwnerId, policyOwnerKeys: await keysOf(client, policyOwnerId) }
}

/** The wallet's owner and additional signers. */
export async function readWallet(client: PrivyClient, { wallet }: Pick<AskedControl, 'wallet'>) {
  const id = walletIdOf(wallet)
  const found = foundIn(await client.get(pathTo('wallets', id)), FoundWallet)
  const isOurs = found?.id === id && lowerCased(found.address) === wallet.address
  if (!isOurs) throw privyUnavailable('answered with another wallet')
  const signers = (found.additional_signers ?? []).map((signer) => ({
    id: signer.signer_id,
    policyIds: signer.override_policy_ids ?? [],
  }))
  return { ownerId: found.owner_id ?? null, signers }
}

export async function readPrivyControl(
  client: PrivyClient,
  asked: AskedControl,
): Promise<PrivyControl> {
  const [wallet, policy, signer] = await Promise.all([
    readWallet(client, asked),
    readPolicy(client, asked.policyId),
    fits(ProviderId, asked.signerId) ? readQuorum(client, asked.signerId) : undefined,
  ])
  return { ...wallet, ...policy, signer, ownerKeys: await keysOf(client, wallet.ownerId) }
}

type Comparison = { asked: AskedControl; found: PrivyControl; signer: PrivySigner; now: Date }

/** Checks everything that must hold before the signer is attached. */
export function differenceBefore({
  asked,
  found,
  signer,
  now,
}: Comparison): ControlDifference | undefined {
  const key = publicKeyOf(signer.signerKey)
  const { signerId, rule } = asked
  if (!found.signer) return 'signer_missing'
  if (found.ownerId === signerId || found.ownerKeys.includes(key)) return 'signer_is_owner'
  if (found.ownerId !== signer.ownerId) return 'wallet_owner_differs'
  const { keys, threshold, users, nested } = found.signer
  const isSingleKey = keys.length === 1 && users === 0 && nested.length === 0 && threshold === 1
  if (!isSingleKey || keys[0] !== key) return 'signer_key_differs'
  if (found.signers.some(({ id }) => id !== signerId)) return 'signer_unexpected'
  if (!found.policy) return 'policy_missing'
  const { policyOwnerId } = found
  if (policyOwnerId === null) return 'policy_owner_missing'
  if (policyOwnerId === signerId || found.policyOwnerKeys.includes(key)) {
    return 'policy_owner_is_signer'
  }
  const isExpired = rule.expiresAt <= now.toISOString()
  return policyDifference(found.policy, rule) ?? (isExpired ? 'policy_expired' : undefined)
}

export const isAttached = ({ asked, found }: Pick<Comparison, 'asked' | 'found'>): boolean =>
  attachedDifference({ asked, found }) === undefined

function attachedDifference({
  asked: { signerId, policyId },
  found,
}: Pick<Comparison, 'asked' | 'found'>): ControlDifference | undefined {
  const ours = found.signers.filter(({ id }) => id === signerId)
  if (ours.length === 0) return 'signer_missing'
  if (ours.some(({ policyIds }) => policyIds.length === 0)) return 'override_policy_missing'
  const isRight = ours.every(({ policyIds }) => policyIds.join() === policyId)
  return isRight && ours.length === 1 ? undefined : 'override_policy_differs'
}

export const differenceIn = (comparison: Comparison): ControlDifference | undefined =>
  differenceBefore(comparison) ?? attachedDifference(comparison)
