/**
 * A delegated provider. It makes one transaction per key and forgets nothing; but it refuses,
 * denies, delays, gets stuck, reports transactions in flight as failed or cancelled, bundles calls
 * into transactions that succeed although the call reverted, and does not report every hash.
 */
import type {
  Delegation,
  ProviderReport,
  ProviderStatus,
  SubmitAnswer,
} from '#ports/executor-provider.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import type { Random } from '#test/fuzz/random.ts'
import { headOf, hear, type Mined, type SimulatedChain, type Transaction } from './chain.ts'
import type { Faults } from './faults.ts'
import type { Oracle } from './oracle.ts'
import type { Scheduler } from './scheduler.ts'

type Delegated = {
  reference: string
  chainPaymentId: string
  state: ProviderStatus
  transaction: Transaction | undefined
  /** It reports its hash, except sometimes for bundles. */
  isNamed: boolean
  /** Given up too early; its reported state stays whatever happens to it. */
  isGivenUp: boolean
}

/** Instantaneous: the network delivers request and answer. */
export type AskProvider = {
  submit(input: { idempotencyKey: string; call: VaultCall }): SubmitAnswer
  poll: ((input: { providerReference: string }) => ProviderReport) | undefined
}

export type SimulatedProvider = Pick<Delegation, 'repeatAfterMs' | 'inFlightMax' | 'paysOwnGas'> & {
  asked: AskProvider
  /** After every block: resends what is not mined, and notices what is after a while. */
  tick(): void
  /** Everything that was accepted and has not ended is sent now. */
  flush(): void
}

type ProviderDeps = {
  random: Random
  scheduler: Scheduler
  chain: SimulatedChain
  faults: Faults
  oracle: Oracle
  note: (line: string) => void
}

const BUNDLER = 'bundler'
const FEES = { maxFeePerGas: 10_000n, maxPriorityFeePerGas: 10n }
/** Deeper than any reorganisation, and not final yet. */
const SAFE_DEPTH = 5

export function createProvider(deps: ProviderDeps): SimulatedProvider {
  const { random, faults, note } = deps
  const byKey = new Map<string, Delegated>()
  const all = () => [...byKey.values()]
  const canPoll = random.chance(0.6)

  function accept(key: string, { data }: VaultCall): Delegated {
    const made: Delegated = {
      reference: `made-${byKey.size + 1}`,
      chainPaymentId: data,
      state: 'accepted',
      transaction: undefined,
      isNamed: true,
      isGivenUp: false,
    }
    byKey.set(key, made)
    note(`provider ${made.reference} accepted ${key}`)
    decideLater(deps, made, () => all().filter(({ transaction }) => transaction).length)
    return made
  }

  return {
    repeatAfterMs: 3_000,
    inFlightMax: 16,
    paysOwnGas: true,
    asked: {
      submit({ idempotencyKey, call }) {
        if (faults.areOn() && random.chance(0.2)) {
          return faults.count('provider_refuses', { outcome: 'refused', code: 'not_now' })
        }
        return reportOf(byKey.get(idempotencyKey) ?? accept(idempotencyKey, call))
      },
      poll: canPoll
        ? ({ providerReference }) => {
            const found = all().find(({ reference }) => reference === providerReference)
            if (!found) throw new Error('no such transaction')
            return reportOf(found)
          }
        : undefined,
    },
    tick: () => {
      for (const made of all()) if (made.transaction) notice(deps, made, made.transaction)
    },
    flush: () => {
      for (const made of all()) {
        const isOpen = made.state === 'accepted' || made.state === 'stuck'
        if (isOpen && !made.transaction) send(deps, made, byKey.size)
      }
    },
  }
}

const reportOf = ({ reference, state, transaction, isNamed }: Delegated): ProviderReport => ({
  outcome: 'reported',
  state,
  providerReference: reference,
  transactionHash: isNamed ? (transaction?.hash ?? null) : null,
  code: state === 'failed' || state === 'denied' ? 'so_it_is' : null,
})

/** Sooner or later; once the faults are over everything is sent. */
function decideLater(deps: ProviderDeps, made: Delegated, nextNonce: () => number): void {
  const { random, scheduler, faults, note } = deps
  const isSlow = faults.areOn() && random.chance(0.35)
  scheduler.after(isSlow ? random.integer(5_000, 25_000) : random.integer(100, 2_000), () => {
    if (made.transaction) return false
    const fate = faults.areOn()
      ? random.weighted<'send' | ProviderStatus>([
          [70, 'send'],
          [8, 'denied'],
          [7, 'failed'],
          [7, 'cancelled'],
          [8, 'stuck'],
        ])
      : 'send'
    if (fate === 'send') send(deps, made, nextNonce())
    else made.state = faults.count(`provider_${fate}`, fate)
    note(`provider ${made.reference} ${fate}`)
    if (fate === 'stuck') decideLater(deps, made, nextNonce)
    return false
  })
}

function send(
  { random, chain, oracle }: Pick<ProviderDeps, 'random' | 'chain' | 'oracle'>,
  made: Delegated,
  nonce: number,
): void {
  const hash = `${made.reference}/${made.chainPaymentId}`
  const isBundled = random.chance(0.5)
  const transaction: Transaction = {
    raw: hash,
    hash,
    address: BUNDLER,
    nonce,
    fees: FEES,
    chainPaymentId: made.chainPaymentId,
    ...(isBundled && { isBundled }),
  }
  made.transaction = transaction
  made.isNamed = !isBundled || random.chance(0.5)
  made.state = 'sent'
  chain.transactions.set(hash, transaction)
  oracle.onSigned(transaction)
  hear(chain, transaction)
}

function notice(
  { random, chain, faults, note }: ProviderDeps,
  made: Delegated,
  sent: Transaction,
): void {
  const found = findMined(chain, sent.hash)
  if (!found) hear(chain, sent)
  if (made.isGivenUp || random.chance(0.5)) return
  const before = made.state
  if (!found) {
    made.state = 'sent'
    // Reported too early: it is still in flight, and its hash is known.
    if (faults.areOn() && made.isNamed && random.chance(0.06)) giveUp(made, faults, random)
  } else if (made.isNamed || found.depth >= SAFE_DEPTH) {
    made.state = found.status === 'success' ? 'mined' : 'failed'
    const isMistaken = faults.areOn() && !made.isNamed && random.chance(0.7)
    if (isMistaken && made.state === 'mined') giveUp(made, faults, random)
  }
  if (made.state !== before) note(`provider ${made.reference} says ${made.state}`)
}

function giveUp(made: Delegated, faults: Faults, random: Random): void {
  made.state = faults.count('provider_mistaken', random.pick(['failed', 'cancelled']))
  made.isGivenUp = true
}

function findMined(
  chain: SimulatedChain,
  hash: string,
): (Pick<Mined, 'status'> & { depth: number }) | undefined {
  for (const { number, mined } of chain.blocks) {
    const found = mined.find(({ transaction }) => transaction.hash === hash)
    if (found) return { status: found.status, depth: headOf(chain).number - number }
  }
  return undefined
}
