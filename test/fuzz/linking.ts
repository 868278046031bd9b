/** Wallets that people of the fuzz test link by a signature. */
import type { PrivateKeyAccount } from 'viem/accounts'
import { accountOf } from '#test/fuzz/paying.ts'
import { newest, type Random } from '#test/fuzz/random.ts'
import type { Request } from '#test/fuzz/requests.ts'
import type { World } from '#test/fuzz/world.ts'
import type { Answer } from '#test/support/app.ts'

type KnownChallenge = {
  token: string
  challengeId: string
  message: string
  address: string
  /** Created between two rounds. */
  signature: string | undefined
}

export type Linking = {
  challenges: KnownChallenge[]
  /** Linked by a signature, so without a role. */
  wallets: { token: string; walletId: string }[]
}

const KEPT = 40
const FIRST = 5_000

/** By address in lower case: wallets that no ID token names. */
const linkable = new Map<string, PrivateKeyAccount>(
  Array.from({ length: 300 }, (_, n) => {
    const account = accountOf(FIRST + n)
    return [account.address.toLowerCase(), account] as const
  }),
)

export const noLinks = (): Linking => ({ challenges: [], wallets: [] })

export function meetLinks({ linking }: World, request: Request, { body }: Answer): void {
  const { token = '', operation } = request
  if (operation.operationId === 'challengeWalletLink') {
    const { challengeId, message } = body
    // A request whose body was spoilt may still be answered.
    const { address = '' } = (request.body ?? {}) as { address?: string }
    linking.challenges.unshift({ token, challengeId, message, address, signature: undefined })
    linking.challenges.length = Math.min(linking.challenges.length, KEPT)
  }
  if (operation.operationId === 'linkWallet') {
    linking.wallets.unshift({ token, walletId: body.id })
    linking.wallets.length = Math.min(linking.wallets.length, KEPT)
  }
}

export async function signChallenges({ linking }: World): Promise<void> {
  for (const known of linking.challenges.filter(({ signature }) => signature === undefined)) {
    const account = linkable.get(known.address.toLowerCase())
    known.signature = await account?.signMessage({ message: known.message })
  }
}

/** Mostly a wallet with a key, a signed challenge and its holder, or a linked wallet. */
export function settleLinks(random: Random, { linking }: World, request: Request): Request {
  const { operationId } = request.operation
  const body = request.body as Record<string, unknown> | undefined
  if (random.chance(0.1)) return request
  if (operationId === 'challengeWalletLink' && body) {
    body.address = random.pick([...linkable.keys()])
    if (random.chance(0.9)) body.chainType = 'ethereum'
  }
  const signed = linking.challenges.filter(({ signature }) => signature !== undefined)
  const known = operationId === 'linkWallet' ? newest(random, signed) : undefined
  if (known && body) {
    request.token = known.token
    Object.assign(body, { challengeId: known.challengeId, signature: known.signature })
  }
  const wallet = operationId === 'unlinkWallet' ? newest(random, linking.wallets) : undefined
  if (wallet) {
    request.token = wallet.token
    request.params.walletId = wallet.walletId
  }
  return request
}
