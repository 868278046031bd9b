/** Server wallets and their exports in the fuzz test: holders and their proofs. */
import type { Random } from '#test/fuzz/random.ts'
import type { Request } from '#test/fuzz/requests.ts'
import type { World } from '#test/fuzz/world.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import {
  assertionOf,
  type Holder,
  makeRecipientKeys,
  type Proof,
  type RecipientKeys,
  signPayload,
} from '#test/support/exports.ts'

type KnownExport = {
  holder: Holder
  walletId: string
  requestId: string
  payload: unknown
  /** Created between two rounds. */
  proof: Proof | undefined
}

export type Keeping = {
  /** Everybody exports to the same key. */
  recipient: RecipientKeys
  /** By token: whose proof is needed. */
  holders: Map<string, Holder>
  wallets: { holder: Holder; walletId: string }[]
  exports: KnownExport[]
}

const KEPT = 60

export const makeKeeping = (holders: readonly Holder[]): Keeping => ({
  recipient: makeRecipientKeys(),
  holders: new Map(holders.map((holder) => [holder.token, holder])),
  wallets: [],
  exports: [],
})

const keep = <T>(list: T[], item: T): void => {
  list.unshift(item)
  list.length = Math.min(list.length, KEPT)
}

/** Reads wallets from a 2xx answer. */
export function meetWallets({ keeping }: World, request: Request, { body }: Answer): void {
  const holder = keeping.holders.get(request.token ?? '')
  const { operationId } = request.operation
  if (!holder) return
  if (/^create\w*Wallet$/.test(operationId)) keep(keeping.wallets, { holder, walletId: body.id })
  if (/^request\w+Export$/.test(operationId)) {
    const { requestId, walletId, authorizationPayload: payload } = body
    keep(keeping.exports, { holder, walletId, requestId, payload, proof: undefined })
  }
}

export async function proveExports(service: TestApp, { keeping }: World): Promise<void> {
  const { recipient, exports } = keeping
  for (const known of exports.filter(({ proof }) => proof === undefined)) {
    known.proof = {
      recipientPublicKey: recipient.publicKey,
      authorizationSignature: signPayload(known.payload, recipient.privateKey),
      mfaAssertion: await assertionOf(service, known.holder, { nonce: known.requestId }),
    }
  }
}

const pickIn = <T extends { holder: Holder }>(
  random: Random,
  list: readonly T[],
  realm: string,
): T | undefined => {
  const own = list.filter(({ holder }) => holder.realm === realm)
  return own.length > 0 ? random.pick(own) : undefined
}

/** Fills a wallet request with existing ids and the holder's proofs. */
export function settleWallets(random: Random, { keeping }: World, request: Request): Request {
  const { operation } = request
  if (!/\/wallets(\/|$)/.test(operation.path)) return request
  const body = request.body as Record<string, unknown> | undefined
  if (body && random.chance(0.9)) delete body.organizationId
  if (body && 'idempotencyKey' in body) {
    body.idempotencyKey = `key-${random.integer(1, random.chance(0.2) ? 4 : 1_000_000)}`
  }
  if (!operation.path.includes('{walletId}')) return request
  if (body) body.recipientPublicKey = keeping.recipient.publicKey
  const isNew = !operation.path.includes('{requestId}')
  const wallet = isNew ? pickIn(random, keeping.wallets, operation.realm) : undefined
  const known = isNew ? undefined : pickIn(random, keeping.exports, operation.realm)
  const { holder, walletId } = wallet ?? known ?? {}
  if (!holder || !walletId) return request
  request.token = holder.token
  request.params.walletId = walletId
  if (known) request.params.requestId = known.requestId
  if (body && known?.proof) Object.assign(body, known.proof)
  return request
}
