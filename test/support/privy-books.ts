/** State of the Privy emulator: wallets and keys, quorums, policies, sent transactions. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { sealTo } from '#test/support/hpke.ts'
import type { EmulatedPolicy } from '#test/support/privy-policies.ts'
import { type Json, type Refusal, refusal } from '#test/support/privy-shapes.ts'
import { toBase58 } from '#test/support/solana.ts'

export type EmulatedSigner = { signer_id: string; override_policy_ids: string[] }

export type EmulatedWallet = {
  id: string
  address: string
  chain_type: string
  external_id: string | null
  owner_id: string | null
  policy_ids: string[]
  additional_signers: EmulatedSigner[]
  created_at: number
  /** As an export gives it. */
  privateKey: string
}

export type EmulatedQuorum = {
  id: string
  display_name: string | null
  authorization_threshold: number
  authorization_keys: { public_key: string; display_name: null }[]
  user_ids: string[] | null
  key_quorum_ids: string[]
}

export type EmulatedTransaction = {
  id: string
  caip2: string
  created_at: number
  status: string
  transaction_hash: string
  wallet_id: string
  reference_id: string | null
}

type Done = { status: 200; body: unknown }
export type Outcome = Done | Refusal

const done = (body: unknown): Done => ({ status: 200, body })
const newId = (): string => randomBytes(12).toString('hex')

/** A P-256 pair in Privy's encoding: base64 of PKCS#8 and of SPKI. */
export function makeAuthorizationKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}

function makeKeys(chainType: unknown): Pick<EmulatedWallet, 'address' | 'privateKey'> {
  if (chainType === 'ethereum') {
    const privateKey = generatePrivateKey()
    return { privateKey, address: privateKeyToAddress(privateKey) }
  }
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const point = Buffer.from(x, 'base64url')
  const whole = Buffer.concat([Buffer.from(d, 'base64url'), point])
  return { privateKey: toBase58(whole), address: toBase58(point) }
}

/** Privy's answer for a wallet, without its key. */
export const shown = ({ privateKey: _inside, ...wallet }: EmulatedWallet) => ({
  ...wallet,
  exported_at: null,
  imported_at: null,
})

/** Same key and same body: the first answer. Same key and another body: a refusal. */
function createMemory() {
  const remembered = new Map<string, { print: string; answer: Outcome }>()
  return {
    forgetKeys: () => remembered.clear(),
    async onceFor(
      key: string | undefined,
      print: string,
      work: () => Promise<Outcome> | Outcome,
    ): Promise<Outcome> {
      const first = key === undefined ? undefined : remembered.get(key)
      if (first && first.print !== print) {
        return refusal(400, 'Idempotency key was reused for a request with a new body')
      }
      const answer = first?.answer ?? (await work())
      if (key !== undefined) remembered.set(key, { print, answer })
      return answer
    },
  }
}

/** Key quorums, and whether some keys together may sign for one. */
function createQuorums() {
  const quorums: EmulatedQuorum[] = []
  const find = (id: unknown) => quorums.find((quorum) => quorum.id === id)

  function signsFor(id: string | null, keys: ReadonlySet<string>): boolean {
    const quorum = find(id)
    if (!quorum) return false
    const own = quorum.authorization_keys.filter(({ public_key: key }) => keys.has(key))
    const nested = quorum.key_quorum_ids.filter((inner) => signsFor(inner, keys))
    return own.length + nested.length >= quorum.authorization_threshold
  }

  function make(body: Json): EmulatedQuorum | Refusal {
    const keys = (body.public_keys ?? []) as string[]
    const users = (body.user_ids ?? []) as string[]
    const nested = (body.key_quorum_ids ?? []) as string[]
    const members = keys.length + users.length + nested.length
    const threshold = Number(body.authorization_threshold ?? members)
    const isFlat = nested.every((id) => find(id)?.key_quorum_ids.length === 0)
    if (members === 0 || threshold > members || !isFlat) return refusal(400, 'Invalid quorum')
    const quorum: EmulatedQuorum = {
      id: newId(),
      display_name: (body.display_name as string) ?? null,
      authorization_threshold: threshold,
      authorization_keys: keys.map((key) => ({ public_key: key, display_name: null })),
      user_ids: users.length > 0 ? users : null,
      key_quorum_ids: nested,
    }
    quorums.push(quorum)
    return quorum
  }
  return { quorums, findQuorum: find, signsFor, makeQuorum: make }
}

const signersIn = (value: unknown): EmulatedSigner[] =>
  ((value ?? []) as EmulatedSigner[]).map(({ signer_id: id, override_policy_ids: own }) => ({
    signer_id: id,
    override_policy_ids: own ?? [],
  }))

type Quorums = ReturnType<typeof createQuorums>

/** Policies, and whether everything that a body references exists. */
function createPolicies({ findQuorum }: Quorums) {
  const policies: EmulatedPolicy[] = []
  const findPolicy = (id: unknown) => policies.find((policy) => policy.id === id)
  const rulesIn = (rules: unknown) => (rules as Json[]).map((rule) => ({ id: newId(), ...rule }))

  function danglingProblem({ owner_id: owner, policy_ids: own, additional_signers }: Json) {
    const signers = signersIn(additional_signers)
    const named = [...((own ?? []) as string[]), ...signers.flatMap((s) => s.override_policy_ids)]
    const isOwnerThere = (owner ?? null) === null || findQuorum(owner)
    const areSignersThere = signers.every(({ signer_id: id }) => findQuorum(id))
    const isWhole = isOwnerThere && areSignersThere && named.every((id) => findPolicy(id))
    return isWhole ? undefined : refusal(400, 'Unknown owner, signer or policy')
  }

  function makePolicy(body: Json): EmulatedPolicy | Refusal {
    const problem = danglingProblem(body)
    if (problem) return problem
    const head = { id: newId(), owner_id: null, created_at: Date.now() }
    const policy = { ...head, ...body, rules: rulesIn(body.rules) } as EmulatedPolicy
    policies.push(policy)
    return policy
  }

  function changePolicy(id: string, body: Json): Outcome {
    const policy = findPolicy(id)
    if (!policy) return refusal(404, 'Policy not found', 'not_found')
    return done(Object.assign(policy, body, body.rules ? { rules: rulesIn(body.rules) } : {}))
  }
  return { policies, findPolicy, danglingProblem, makePolicy, changePolicy }
}

type Policies = ReturnType<typeof createPolicies>

function createWallets({ danglingProblem }: Policies) {
  const wallets: EmulatedWallet[] = []
  const exports: { walletId: string; ciphertext: string }[] = []
  let isDenied = false
  const find = (name: string) =>
    wallets.find(({ id, external_id: own }) => id === name || `ext_wal_${own}` === name)

  function create(body: Json): Outcome {
    const externalId = (body.external_id as string) ?? null
    if (externalId !== null && find(`ext_wal_${externalId}`)) {
      return refusal(400, 'A wallet with this external id exists')
    }
    const problem = danglingProblem(body)
    if (problem) return problem
    const wallet: EmulatedWallet = {
      id: `w${randomBytes(11).toString('hex')}`,
      ...makeKeys(body.chain_type),
      chain_type: String(body.chain_type),
      external_id: externalId,
      owner_id: (body.owner_id as string) ?? null,
      policy_ids: (body.policy_ids as string[]) ?? [],
      additional_signers: signersIn(body.additional_signers),
      created_at: Date.now(),
    }
    wallets.push(wallet)
    return done(shown(wallet))
  }

  /** Fields that are not given stay unchanged. */
  function update(wallet: EmulatedWallet, body: Json): Outcome {
    const problem = danglingProblem(body)
    if (problem) return problem
    const { additional_signers: signers, ...rest } = body
    Object.assign(wallet, rest, signers ? { additional_signers: signersIn(signers) } : {})
    return done(shown(wallet))
  }

  async function exportKey(wallet: EmulatedWallet, body: Json): Promise<Outcome> {
    if (isDenied) return refusal(400, 'Request denied due to policy violation', 'policy_violation')
    const sealed = await sealTo(String(body.recipient_public_key), wallet.privateKey)
    const { encapsulated, ciphertext } = sealed
    exports.push({ walletId: wallet.id, ciphertext })
    return done({ encryption_type: 'HPKE', encapsulated_key: encapsulated, ciphertext })
  }

  const denyExports = (denied: boolean) => {
    isDenied = denied
  }
  return { wallets, exports, find, create, update, exportKey, denyExports }
}

/** Its state, and each operation on it. */
export function createBooks() {
  const quorums = createQuorums()
  const policies = createPolicies(quorums)
  const transactions: EmulatedTransaction[] = []
  const secret = randomBytes(24).toString('base64url')
  const memory = createMemory()
  return { secret, transactions, ...quorums, ...policies, ...createWallets(policies), ...memory }
}

export type Books = ReturnType<typeof createBooks>
