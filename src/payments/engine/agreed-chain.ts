/**
 * Several nodes as one for the payment engine. Whatever may decide something final is asked of all
 * of them at one height: two must answer where two are configured, and all that answer must say
 * the same. A node that does not have the height yet is passed over.
 */
import { isDeepStrictEqual } from 'node:util'
import type { PaymentNode } from '#ports/payment-node.ts'
import type { LaneChain, LaneView, SendAnswer, Unsure } from './lane.ts'
import { marketFees } from './market-fees.ts'

const QUORUM = 2

const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What was answered; silence is no answer. */
async function answersOf<T>(asked: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(asked)
  return settled.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}

export type AgreedChainOptions = {
  /** The most that may be signed for each unit of gas, in wei. */
  feeCeiling: bigint
}

export function createAgreedChain(
  nodes: readonly PaymentNode[],
  { feeCeiling }: AgreedChainOptions,
): LaneChain {
  const quorum = Math.min(QUORUM, nodes.length)

  /** The highest that enough of them have come to: one that lags does not hold up the others. */
  const common = (all: readonly number[]): number => all.toSorted((a, b) => b - a)[quorum - 1] ?? 0

  /** One answer of all, or why there is none. */
  async function agreed<T extends object>(
    asked: readonly Promise<T>[],
  ): Promise<Unsure | ({ outcome: 'seen' } & T)> {
    const [first, ...others] = await answersOf(asked)
    if (first === undefined || others.length + 1 < quorum) return { outcome: 'unavailable' }
    if (others.some((other) => !isDeepStrictEqual(other, first))) return { outcome: 'disagree' }
    return { outcome: 'seen', ...first }
  }

  return {
    async lookAtLane({ address, upTo }): Promise<LaneView> {
      const stands = await answersOf(
        nodes.map(async (node) => ({ node, ...(await node.stand({ address })) })),
      )
      if (stands.length < quorum) return { outcome: 'unavailable' }
      const agreedNumber = common(stands.map((stand) => stand.finalizedNumber))
      const finalizedNumber = Math.min(agreedNumber, upTo)
      const voters = stands.filter((stand) => stand.finalizedNumber >= finalizedNumber)
      const anchor = await agreed(
        voters.map(({ node }) => node.anchor({ address, blockNumber: finalizedNumber })),
      )
      if (anchor.outcome !== 'seen') return anchor
      const headNonces = stands.map(({ headNonce }) => headNonce)
      return {
        outcome: 'seen',
        headNumber: Math.max(...stands.map(({ headNumber }) => headNumber)),
        finalizedNumber,
        finalizedNonce: anchor.nonce,
        headNonce: { common: common(headNonces), highest: Math.max(...headNonces) },
        market: marketFees(stands, { quorum, ceiling: feeCeiling }),
        gasBalance: stands.map(({ gasBalance }) => gasBalance).reduce(lowest),
      }
    },

    lookAtPayment: ({ payment, blockNumber }) =>
      agreed(
        nodes.map((node) =>
          node.evidence({
            vaultAddress: payment.expected.vaultAddress,
            chainPaymentId: payment.expected.chainPaymentId,
            transactionHashes: payment.attempts.flatMap((attempt) => attempt.transactionHash ?? []),
            blockNumber,
          }),
        ),
      ),

    /** Nothing is signed yet: one node is enough, and two that differ are asked again later. */
    async preflight(input) {
      const [first, ...others] = await answersOf(nodes.map((node) => node.preflight(input)))
      const isSure = first && others.every((other) => isDeepStrictEqual(other, first))
      return isSure ? first : { outcome: 'unavailable' }
    },

    async send(input): Promise<SendAnswer> {
      const answers = await answersOf(nodes.map((node) => node.send(input)))
      const inOrder = ['accepted', 'nonce_too_low', 'underpriced'] as const
      return inOrder.find((answer) => answers.includes(answer)) ?? 'lost'
    },
  }
}
