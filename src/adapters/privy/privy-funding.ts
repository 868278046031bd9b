/**
 * `FundingProvider` over Privy. The owner's key attaches and detaches the signer. The signer uses
 * its own key to request transactions, and Privy applies the policy to them. The policy's owner
 * creates it in advance (`npm run funding -- policy`); this module only reads it.
 */
import { setTimeout } from 'node:timers/promises'
import { checksummed } from '@countersign/proof/values.ts'
import type { Clock } from '#platform/clock.ts'
import type {
  PrivyConfig,
  PrivyFundingConfig,
  PrivyFundingTerms,
} from '#platform/config/wallets.ts'
import { optional, ProviderId } from '#platform/http-client/provider-client.ts'
import { fits, type Static, Type } from '#platform/schema.ts'
import { Hash, lowerCased } from '#platform/values.ts'
import type {
  AttachedControl,
  Attachment,
  FundingProvider,
  FundingReport,
  FundingSendAnswer,
  FundingSent,
  FundingTerms,
  ProbeAnswer,
  SendingProvider,
} from '#ports/funding-provider.ts'
import {
  createPrivyClient,
  type PrivyAnswer,
  type PrivyClient,
  privyUnavailable,
} from './privy-client.ts'
import {
  differenceBefore,
  differenceIn,
  isAttached,
  readPrivyControl,
  readWallet,
  walletIdOf,
} from './privy-readback.ts'

/** Privy rejects a request that arrives later than this. */
const REQUEST_LIFETIME_MS = 60_000
const CLOCK_SKEW_MS = 10_000
/** After a change, Privy has been observed to apply the previous signers and policies briefly. */
const SETTLE_MS = 3_000
/** Privy remembers an idempotency key for 24 hours; one hour is a margin for clock skew. */
const REPEAT_FOR_MS = 23 * 3_600_000

export type PrivyFundingOptions = PrivyConfig & {
  funding: PrivyFundingConfig
  clock: Clock
  timeoutMs?: number
  settleMs?: number
}

type Clients = {
  options: PrivyFundingOptions
  /** Authorises requests with the key of the wallet's owner. */
  owner: PrivyClient
  /** Authorises requests with the key of the funding signer. */
  signer: PrivyClient
}

type Action = Parameters<SendingProvider['send']>[0]

/** For processes that hold no keys. */
export const privyFundingTerms = ({
  signerId,
  policyId,
  expiresAt,
}: PrivyFundingTerms): FundingTerms => ({
  type: 'privy',
  isOnePolicyPerWallet: true,
  signerOf: () => ({ signerId, policyId, expiresAt }),
})

export function createPrivyFunding(
  options: PrivyFundingOptions,
): FundingProvider & SendingProvider {
  const { funding } = options
  const clients: Clients = {
    options,
    owner: createPrivyClient(options),
    signer: createPrivyClient({ ...options, authorizationKey: funding.signerKey }),
  }
  return {
    ...privyFundingTerms(funding),
    kind: 'sends',
    repeatForMs: REPEAT_FOR_MS,
    requestLifetimeMs: REQUEST_LIFETIME_MS + CLOCK_SKEW_MS,
    attach: (input) => attach(clients, input),
    async readBack(input) {
      const code = differenceIn(await readState(clients, input))
      return code ? { outcome: 'different', code } : { outcome: 'equal' }
    },
    detach: (input) => detach(clients, input),
    find: (input) => find(clients, input),
    send: (input) => send(clients, input),
    poll: (input) => poll(clients, input),
    probe: (input) => probe(clients, input),
  }
}

type Control = Omit<AttachedControl, 'reference'>

const readState = async ({ options, owner }: Clients, control: Control) => ({
  asked: control,
  found: await readPrivyControl(owner, control),
  signer: { ...options.funding, ownerId: options.ownerId },
  now: options.clock.now(),
})

const expiryOf = ({ options }: Clients): number =>
  options.clock.now().getTime() + REQUEST_LIFETIME_MS

/** Attaches nothing unless the policy at Privy equals the requested rule. */
async function attach(clients: Clients, control: Control): Promise<Attachment> {
  const { signerId, policyId, wallet } = control
  if (signerId !== clients.options.funding.signerId) {
    return { outcome: 'refused', code: 'signer_missing' }
  }
  const state = await readState(clients, control)
  const code = differenceBefore(state)
  if (code) return { outcome: 'refused', code }
  const reference = Buffer.from(policyId)
  if (isAttached(state)) return { outcome: 'attached', reference }
  const answer = await clients.owner.patch({
    path: `/v1/wallets/${walletIdOf(wallet)}`,
    body: { additional_signers: [{ signer_id: signerId, override_policy_ids: [policyId] }] },
    expiryMs: expiryOf(clients),
    isAuthorized: true,
  })
  if (answer.outcome === 'refused') return { outcome: 'refused', code: answer.code }
  await setTimeout(clients.options.settleMs ?? SETTLE_MS)
  return { outcome: 'attached', reference }
}

/** Leaves other signers of the wallet unchanged. */
async function detach(clients: Clients, control: Control): Promise<void> {
  const { signers } = await readWallet(clients.owner, control)
  const others = signers.filter(({ id }) => id !== control.signerId)
  if (others.length === signers.length) return
  const answer = await clients.owner.patch({
    path: `/v1/wallets/${walletIdOf(control.wallet)}`,
    body: {
      additional_signers: others.map(({ id, policyIds }) => ({
        signer_id: id,
        override_policy_ids: policyIds,
      })),
    },
    expiryMs: expiryOf(clients),
    isAuthorized: true,
  })
  if (answer.outcome === 'refused')
    throw privyUnavailable(`refused to remove the signer: ${answer.code}`)
}

const request = (
  clients: Clients,
  { actionId, wallet, rule, call }: Action,
): Promise<PrivyAnswer> =>
  clients.signer.post({
    path: `/v1/wallets/${walletIdOf(wallet)}/rpc`,
    body: {
      method: 'eth_sendTransaction',
      caip2: `eip155:${rule.chainId}`,
      reference_id: actionId,
      params: {
        transaction: {
          to: checksummed(call.vaultAddress),
          data: call.data,
          value: '0x0',
          chain_id: rule.chainId,
          gas_limit: `0x${call.gasLimit.toString(16)}`,
        },
      },
    },
    idempotencyKey: actionId,
    expiryMs: expiryOf(clients),
    isAuthorized: true,
  })

/**
 * Privy forgets an idempotency key after a day but never a reference id, so an earlier transaction
 * is looked up first. A failed broadcast may still have reached a node: its outcome is unknown.
 */
async function send(clients: Clients, action: Action): Promise<FundingSendAnswer> {
  const refusal = refuseOtherSigner(clients, action)
  if (refusal) return refusal
  const before = await find(clients, action)
  if (before) return before
  const answer = await request(clients, action)
  if (answer.outcome === 'done') {
    if (!fits(Sent, answer.body)) throw privyUnavailable('answered with nothing sent')
    const { hash, transaction_id: id } = answer.body.data
    return sentIn({ hash, id })
  }
  const { code } = answer
  if (code === 'policy_violation') return { outcome: 'denied', code }
  if (code === 'transaction_broadcast_failure') throw privyUnavailable('could not broadcast')
  return { outcome: 'refused', code }
}

/**
 * Only `policy_violation` is a denial. A transaction that was signed but not broadcast was allowed.
 * Any other error may have occurred before the policy was evaluated.
 */
async function probe(clients: Clients, action: Action): Promise<ProbeAnswer> {
  const refusal = refuseOtherSigner(clients, action)
  if (refusal) return refusal
  if (await find(clients, action)) return { outcome: 'passed' }
  const answer = await request(clients, action)
  if (answer.outcome === 'done') return { outcome: 'passed' }
  const { code } = answer
  if (code === 'policy_violation') return { outcome: 'denied', code }
  return code === 'transaction_broadcast_failure'
    ? { outcome: 'passed' }
    : { outcome: 'refused', code }
}

const refuseOtherSigner = ({ options }: Clients, { signerId }: Action) =>
  signerId === options.funding.signerId
    ? undefined
    : ({ outcome: 'refused', code: 'signer_missing' } as const)

/** Privy returns a transaction id before there is a hash. */
const MaybeHash = optional(Type.Union([Hash, Type.Literal('')]))
const Sent = Type.Object({
  data: Type.Object({ hash: MaybeHash, transaction_id: optional(Type.Unknown()) }),
})
const Transactions = Type.Object({
  transactions: Type.Array(
    Type.Object({
      id: optional(Type.Unknown()),
      reference_id: optional(Type.Unknown()),
      wallet_id: optional(Type.Unknown()),
      transaction_hash: MaybeHash,
    }),
  ),
})
const Transaction = Type.Object({
  status: optional(Type.Unknown()),
  transaction_hash: MaybeHash,
})

type FoundHash = Static<typeof MaybeHash> | undefined

const hashIn = (hash: FoundHash): string | null => (hash ? lowerCased(hash) : null)

function sentIn({ hash, id }: { hash: FoundHash; id: unknown }): FundingSent {
  const transactionHash = hashIn(hash)
  const providerReference = fits(ProviderId, id) ? id : null
  if (!transactionHash && !providerReference) throw privyUnavailable('answered with nothing sent')
  return { outcome: 'sent', transactionHash, providerReference }
}

async function find(
  clients: Clients,
  { actionId, wallet }: Pick<Action, 'actionId' | 'wallet'>,
): Promise<FundingSent | undefined> {
  const answer = await clients.signer.get(`/v1/transactions?reference_id=${actionId}`)
  if (answer.outcome === 'refused') {
    if (answer.status === 404) return undefined
    throw privyUnavailable(`refused to find a transaction: ${answer.code}`)
  }
  if (!fits(Transactions, answer.body))
    throw privyUnavailable('answered without a list of transactions')
  const own = answer.body.transactions.find(
    ({ reference_id: reference, wallet_id: id }) =>
      reference === actionId && id === walletIdOf(wallet),
  )
  return own && sentIn({ hash: own.transaction_hash, id: own.id })
}

/** Final states of a transaction at Privy. */
const ENDED = ['execution_reverted', 'failed', 'finalized', 'provider_error', 'replaced']

async function poll(
  { signer }: Clients,
  { providerReference }: { providerReference: string },
): Promise<FundingReport> {
  const answer = await signer.get(`/v1/transactions/${encodeURIComponent(providerReference)}`)
  if (answer.outcome === 'refused')
    throw privyUnavailable(`refused to report a transaction: ${answer.code}`)
  if (!fits(Transaction, answer.body))
    throw privyUnavailable('answered with an invalid transaction')
  const { status, transaction_hash: hash } = answer.body
  return {
    state: ENDED.includes(String(status)) ? 'ended' : 'under_way',
    transactionHash: hashIn(hash),
  }
}
