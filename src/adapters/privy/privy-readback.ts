/**
 * Who may sign for a wallet at Privy, and under which policy: read anew, and compared with what was
 * asked. A signer without an override policy is held by nothing, one that owns the wallet can
 * change its own policy, and a key counts wherever it stands: also inside another quorum.
 */
import { publicHalf } from '#platform/config/wallets.ts'
import { lowerCased } from '#platform/values.ts'
import type { AskedControl, Difference } from '#ports/funding-provider.ts'
import { type PrivyAnswer, type PrivyClient, unavailable } from './privy-client.ts'
import { type Fields, isFields, policyDifference } from './privy-policy.ts'

type Quorum = { keys: string[]; threshold: number; users: number; nested: string[] }

/** Undefined stands for what is not there. */
export type PrivyLook = {
  ownerId: string | null
  signers: { id: string; policyIds: string[] }[]
  /** Every key that signs for the owner, at whatever depth. */
  ownerKeys: string[]
  signer: Quorum | undefined
  policy: Fields | undefined
  policyOwnerId: string | null
  policyOwnerKeys: string[]
}

export type PrivySigner = { signerId: string; signerKey: string; ownerId: string }

export const walletIdOf = ({ reference }: AskedControl['wallet']): string =>
  Buffer.from(reference).toString()

const ID = /^[\w-]{1,64}$/
const idIn = (value: unknown): string | null => {
  if ((value ?? null) === null) return null
  if (typeof value === 'string' && ID.test(value)) return value
  throw unavailable('answered with something that is no id')
}

/** Not there is an answer; anything else that is refused says nothing. */
function foundIn(answer: PrivyAnswer): Fields | undefined {
  if (answer.outcome === 'done') return answer.body
  if (answer.status === 404) return undefined
  throw unavailable(`refused to be read: ${answer.code}`)
}

function listOf<T>(value: unknown, read: (item: unknown) => T): T[] {
  if ((value ?? null) === null) return []
  if (!Array.isArray(value) || value.length > 200) throw unavailable('answered with no list')
  return value.map(read)
}

const textIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  throw unavailable('answered with something that is no text')
}

/** Some sources show keys with line breaks in them. */
const keyIn = (value: unknown): string =>
  textIn(isFields(value) ? value.public_key : value).replace(/\s/g, '')

const pathTo = (room: string, id: string) => `/v1/${room}/${encodeURIComponent(id)}`

async function readQuorum(client: PrivyClient, id: string | null): Promise<Quorum | undefined> {
  const found = id === null ? undefined : foundIn(await client.get(pathTo('key_quorums', id)))
  if (!found) return undefined
  return {
    keys: listOf(found.authorization_keys, keyIn),
    threshold: Number(found.authorization_threshold ?? 1),
    users: listOf(found.user_ids, textIn).length,
    nested: listOf(found.key_quorum_ids, (value) => idIn(value) ?? ''),
  }
}

/** Privy nests one level deep. */
async function keysOf(client: PrivyClient, id: string | null): Promise<string[]> {
  const quorum = await readQuorum(client, id)
  const inner = await Promise.all((quorum?.nested ?? []).map((part) => readQuorum(client, part)))
  return [...(quorum?.keys ?? []), ...inner.flatMap((part) => part?.keys ?? [])]
}

async function readPolicy(client: PrivyClient, policyId: string) {
  const policy = ID.test(policyId)
    ? foundIn(await client.get(pathTo('policies', policyId)))
    : undefined
  if (policy && policy.id !== policyId) throw unavailable('answered with another policy')
  const policyOwnerId = idIn(policy?.owner_id)
  return { policy, policyOwnerId, policyOwnerKeys: await keysOf(client, policyOwnerId) }
}

/** Who owns the wallet and who else signs for it. */
export async function readWallet(client: PrivyClient, { wallet }: Pick<AskedControl, 'wallet'>) {
  const id = walletIdOf(wallet)
  const found = foundIn(await client.get(pathTo('wallets', id)))
  const isOurs = found?.id === id && lowerCased(String(found.address)) === wallet.address
  if (!found || !isOurs) throw unavailable('answered with another wallet')
  const ownerId = idIn(found.owner_id)
  const signers = listOf(found.additional_signers, (value) => ({
    id: idIn(isFields(value) ? value.signer_id : undefined) ?? '',
    policyIds: listOf(isFields(value) ? value.override_policy_ids : undefined, textIn),
  }))
  return { ownerId, signers }
}

export async function lookAt(client: PrivyClient, asked: AskedControl): Promise<PrivyLook> {
  const [wallet, policy, signer] = await Promise.all([
    readWallet(client, asked),
    readPolicy(client, asked.policyId),
    ID.test(asked.signerId) ? readQuorum(client, asked.signerId) : undefined,
  ])
  return { ...wallet, ...policy, signer, ownerKeys: await keysOf(client, wallet.ownerId) }
}

type Judged = { asked: AskedControl; look: PrivyLook; signer: PrivySigner; now: Date }

/** Whatever must hold before the signer is let near the wallet. */
export function differenceBefore({ asked, look, signer, now }: Judged): Difference | undefined {
  const key = publicHalf(signer.signerKey)
  const { signerId, rule } = asked
  if (!look.signer) return 'signer_missing'
  if (look.ownerId === signerId || look.ownerKeys.includes(key)) return 'signer_is_owner'
  if (look.ownerId !== signer.ownerId) return 'wallet_owner_differs'
  const { keys, threshold, users, nested } = look.signer
  const isAlone = keys.length === 1 && users === 0 && nested.length === 0 && threshold === 1
  if (!isAlone || keys[0] !== key) return 'signer_key_differs'
  if (look.signers.some(({ id }) => id !== signerId)) return 'signer_unexpected'
  if (!look.policy) return 'policy_missing'
  const { policyOwnerId } = look
  if (policyOwnerId === null) return 'policy_owner_missing'
  if (policyOwnerId === signerId || look.policyOwnerKeys.includes(key)) {
    return 'policy_owner_is_signer'
  }
  const isOver = rule.expiresAt <= now.toISOString()
  return policyDifference(look.policy, rule) ?? (isOver ? 'policy_expired' : undefined)
}

export const isAttached = ({ asked, look }: Pick<Judged, 'asked' | 'look'>): boolean =>
  attachedDifference({ asked, look }) === undefined

function attachedDifference({
  asked: { signerId, policyId },
  look,
}: Pick<Judged, 'asked' | 'look'>): Difference | undefined {
  const ours = look.signers.filter(({ id }) => id === signerId)
  if (ours.length === 0) return 'signer_missing'
  if (ours.some(({ policyIds }) => policyIds.length === 0)) return 'override_policy_missing'
  const isRight = ours.every(({ policyIds }) => policyIds.join() === policyId)
  return isRight && ours.length === 1 ? undefined : 'override_policy_differs'
}

export const differenceIn = (judged: Judged): Difference | undefined =>
  differenceBefore(judged) ?? attachedDifference(judged)
