/** A scripted provider that sends transactions itself, with the keystore's signer. */
import type { Hex } from 'viem'
import { expect, vi } from 'vitest'
import { runAction } from '#funding/run-action.ts'
import { AppError } from '#platform/errors.ts'
import type { FundingProvider, FundingSendAnswer } from '#ports/funding-provider.ts'
import {
  actionsOf,
  type FundingHouse,
  replaceProvider,
  requestAction,
  tokensOf,
} from '#test/support/funding.ts'
import type { Treasury } from '#test/support/treasury.ts'

export const REMEMBERED_MS = 60_000
export const LIFETIME_MS = 30_000

const lost = new AppError('dependency_unavailable', { retryAfterSeconds: 1 })

export type Script = {
  /** The outcome of each request, in turn; `sent` afterwards. */
  answers: ('lost before' | 'lost after' | FundingSendAnswer)[]
  /** The key of every request. */
  asked: string[]
  look: { state: 'under_way' | 'ended'; hash?: string | null }
  /** Does not report yet what was sent. */
  isBlind?: boolean
  /** Reports no transaction of its own. */
  isNameless?: boolean
  /** Awaited before each answer except scripted ones. */
  gate?: Promise<void>
}

type Entrusted = { treasury: Treasury; house: FundingHouse; steps: Script }

/** Sends with the keystore's own signer, once for each action, as a provider would. */
export function entrusting({ treasury, house, steps }: Entrusted) {
  const { answers, asked, look } = steps
  const hashes = new Map<string, string>()
  const sentAs = (actionId: string) => ({
    outcome: 'sent' as const,
    providerReference: steps.isNameless ? null : `ref-${actionId}`,
    transactionHash: look.hash ?? hashes.get(actionId) ?? null,
  })
  return (local: FundingProvider): Partial<FundingProvider> => ({
    kind: 'sends',
    repeatForMs: REMEMBERED_MS,
    requestLifetimeMs: LIFETIME_MS,
    find: async ({ actionId }: { actionId: string }) =>
      hashes.has(actionId) && !steps.isBlind ? sentAs(actionId) : undefined,
    async send(action: Parameters<Extract<FundingProvider, { kind: 'sends' }>['send']>[0]) {
      if (local.kind !== 'signs') throw new Error('Not the keystore')
      const { actionId } = action
      asked.push(actionId)
      const answer = answers.shift()
      if (answer === 'lost before') throw lost
      if (typeof answer === 'object') return answer
      if (!hashes.has(actionId)) {
        const address = house.wallet.address as Hex
        const nonce = await treasury.chain.client.getTransactionCount({ address })
        const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
        const signed = await local.sign({ ...action, nonce, fees })
        if (signed.outcome === 'denied') return signed
        await treasury.chain.request('eth_sendRawTransaction', signed.raw)
        hashes.set(actionId, signed.transactionHash)
      }
      if (answer === 'lost after') throw lost
      await steps.gate
      return sentAs(actionId)
    },
    poll: async ({ providerReference }: { providerReference: string }) => ({
      state: look.state,
      transactionHash: look.hash ?? hashes.get(providerReference.slice(4)) ?? null,
    }),
  })
}

export const script = (answers: Script['answers'] = []): Script => ({
  answers,
  asked: [],
  look: { state: 'under_way' },
})

/** Runs jobs by hand while time passes. `until` returns how much was deposited. */
export async function beginEntrusted(entrusted: Entrusted) {
  const { treasury, house } = entrusted
  const restore = replaceProvider(treasury, entrusting(entrusted))
  const before = await tokensOf(treasury, house.vault.address)
  const { body } = await requestAction(treasury, house, { amountBaseUnits: '7' })
  const run = () => runAction(treasury.service.ctx, { organizationId: house.id, actionId: body.id })
  const until = async (found: object) => {
    await vi.waitFor(async () => {
      await run()
      expect((await actionsOf(treasury, house, '?limit=1')).body[0]).toMatchObject(found)
    }, 20_000)
    return (await tokensOf(treasury, house.vault.address)) - before
  }
  await run()
  return { id: body.id as string, until, restore }
}
