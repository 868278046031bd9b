/**
 * `FundingProvider` over Privy. The owner's key lets the signer near a wallet and takes it away;
 * the signer's key, another one, asks for transactions, and Privy judges them by the policy. That
 * policy is made beforehand by whoever owns policies (`npm run funding -- policy`): it is read
 * here, never written.
 */
import { setTimeout } from 'node:timers/promises'
import { checksummed } from '@countersign/proof/values.ts'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import type { Clock } from '#platform/clock.ts'
import type {
  PrivyConfig,
  PrivyFundingConfig,
  PrivyFundingTerms,
} from '#platform/config/wallets.ts'
import { optional, ProviderId } from '#platform/http-client/provider-client.ts'
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
  lookAt,
  readWallet,
  walletIdOf,
} from './privy-readback.ts'

/** A request that was held up on its way does nothing any more after this. */
const REQUEST_LIFETIME_MS = 60_000
const CLOCKS_DIFFER_MS = 10_000
/** An old state of signers and policies was seen to be applied for a while after a change. */
const SETTLE_MS = 3_000
/** Privy remembers a key for 24 hours; the last hour is left out, because clocks differ. */
const REPEAT_FOR_MS = 23 * 3_600_000

export type PrivyFundingOptions = PrivyConfig & {
  funding: PrivyFundingConfig
  clock: Clock
  timeoutMs?: number
  settleMs?: number
}

type Signing = {
  options: PrivyFundingOptions
  /** Signs as the wallet's owner. */
  owner: PrivyClient
  /** Signs as the one that may only deposit. */
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
  const signing: Signing = {
    options,
    owner: createPrivyClient(options),
    signer: createPrivyClient({ ...options, authorizationKey: funding.signerKey }),
  }
  return {
    ...privyFundingTerms(funding),
    kind: 'sends',
    repeatForMs: REPEAT_FOR_MS,
    requestLifetimeMs: REQUEST_LIFETIME_MS + CLOCKS_DIFFER_MS,
    attach: (input) => attach(signing, input),
    async readBack(input) {
      const code = differenceIn(await judge(signing, input))
      return code ? { outcome: 'different', code } : { outcome: 'equal' }
    },
    detach: (input) => detach(signing, input),
    find: (input) => find(signing, input),
    send: (input) => send(signing, input),
    poll: (input) => poll(signing, input),
    probe: (input) => probe(signing, input),
  }
}

type Asked = Omit<AttachedControl, 'reference'>

const judge = async ({ options, owner }: Signing, asked: Asked) => ({
  asked,
  look: await lookAt(owner, asked),
  signer: { ...options.funding, ownerId: options.ownerId },
  now: options.clock.now(),
})

const expiryOf = ({ options }: Signing): number =>
  options.clock.now().getTime() + REQUEST_LIFETIME_MS

/** Nothing is attached to a policy that is not the one that was asked for. */
async function attach(signing: Signing, asked: Asked): Promise<Attachment> {
  const { signerId, policyId, wallet } = asked
  if (signerId !== signing.options.funding.signerId) {
    return { outcome: 'refused', code: 'signer_missing' }
  }
  const judged = await judge(signing, asked)
  const code = differenceBefore(judged)
  if (code) return { outcome: 'refused', code }
  const reference = Buffer.from(policyId)
  if (isAttached(judged)) return { outcome: 'attached', reference }
  const answer = await signing.owner.patch({
    path: `/v1/wallets/${walletIdOf(wallet)}`,
    body: { additional_signers: [{ signer_id: signerId, override_policy_ids: [policyId] }] },
    expiryMs: expiryOf(signing),
    isAuthorized: true,
  })
  if (answer.outcome === 'refused') return { outcome: 'refused', code: answer.code }
  await setTimeout(signing.options.settleMs ?? SETTLE_MS)
  return { outcome: 'attached', reference }
}

/** Whoever else signs for the wallet is none of our business here. */
async function detach(signing: Signing, asked: Asked): Promise<void> {
  const { signers } = await readWallet(signing.owner, asked)
  const others = signers.filter(({ id }) => id !== asked.signerId)
  if (others.length === signers.length) return
  const answer = await signing.owner.patch({
    path: `/v1/wallets/${walletIdOf(asked.wallet)}`,
    body: {
      additional_signers: others.map(({ id, policyIds }) => ({
        signer_id: id,
        override_policy_ids: policyIds,
      })),
    },
    expiryMs: expiryOf(signing),
    isAuthorized: true,
  })
  if (answer.outcome === 'refused') throw privyUnavailable(`kept the signer: ${answer.code}`)
}

const ask = (signing: Signing, { actionId, wallet, rule, call }: Action): Promise<PrivyAnswer> =>
  signing.signer.post({
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
    expiryMs: expiryOf(signing),
    isAuthorized: true,
  })

/**
 * Privy forgets an idempotency key after a day and a reference never: what was sent before is
 * looked for first. A broadcast that failed may have reached a node all the same: it is unknown.
 */
async function send(signing: Signing, action: Action): Promise<FundingSendAnswer> {
  const refusal = strangeSigner(signing, action)
  if (refusal) return refusal
  const before = await find(signing, action)
  if (before) return before
  const answer = await ask(signing, action)
  if (answer.outcome === 'done') {
    if (!Check(Sent, answer.body)) throw privyUnavailable('answered with nothing sent')
    const { hash, transaction_id: id } = answer.body.data
    return sentIn({ hash, id })
  }
  const { code } = answer
  if (code === 'policy_violation') return { outcome: 'denied', code }
  if (code === 'transaction_broadcast_failure') throw privyUnavailable('could not broadcast')
  return { outcome: 'refused', code }
}

/**
 * Only the policy's own no is a denial. What was signed and then went wrong on its way was
 * allowed; for want of gas or of a known signature it may never have come to the policy.
 */
async function probe(signing: Signing, action: Action): Promise<ProbeAnswer> {
  const refusal = strangeSigner(signing, action)
  if (refusal) return refusal
  if (await find(signing, action)) return { outcome: 'passed' }
  const answer = await ask(signing, action)
  if (answer.outcome === 'done') return { outcome: 'passed' }
  const { code } = answer
  if (code === 'policy_violation') return { outcome: 'denied', code }
  return code === 'transaction_broadcast_failure'
    ? { outcome: 'passed' }
    : { outcome: 'refused', code }
}

const strangeSigner = ({ options }: Signing, { signerId }: Action) =>
  signerId === options.funding.signerId
    ? undefined
    : ({ outcome: 'refused', code: 'signer_missing' } as const)

/** Privy names a transaction before it has a hash. */
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
  const providerReference = Check(ProviderId, id) ? id : null
  if (!transactionHash && !providerReference) throw privyUnavailable('answered with nothing sent')
  return { outcome: 'sent', transactionHash, providerReference }
}

async function find(
  signing: Signing,
  { actionId, wallet }: Pick<Action, 'actionId' | 'wallet'>,
): Promise<FundingSent | undefined> {
  const answer = await signing.signer.get(`/v1/transactions?reference_id=${actionId}`)
  if (answer.outcome === 'refused') {
    if (answer.status === 404) return undefined
    throw privyUnavailable(`refused to look a transaction up: ${answer.code}`)
  }
  if (!Check(Transactions, answer.body)) throw privyUnavailable('answered with no list')
  const own = answer.body.transactions.find(
    ({ reference_id: reference, wallet_id: id }) =>
      reference === actionId && id === walletIdOf(wallet),
  )
  return own && sentIn({ hash: own.transaction_hash, id: own.id })
}

/** After these Privy does no more about a transaction. */
const ENDED = ['execution_reverted', 'failed', 'finalized', 'provider_error', 'replaced']

async function poll(
  { signer }: Signing,
  { providerReference }: { providerReference: string },
): Promise<FundingReport> {
  const answer = await signer.get(`/v1/transactions/${encodeURIComponent(providerReference)}`)
  if (answer.outcome === 'refused') throw privyUnavailable(`refused to be asked: ${answer.code}`)
  if (!Check(Transaction, answer.body)) throw privyUnavailable('answered with a hash that is none')
  const { status, transaction_hash: hash } = answer.body
  return {
    state: ENDED.includes(String(status)) ? 'ended' : 'under_way',
    transactionHash: hashIn(hash),
  }
}
