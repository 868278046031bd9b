/**
 * Combines several RPC nodes into the engine's one view of the chain. Reads that can decide an
 * outcome go to all nodes at one block and need a quorum of two where two are configured
 * (`platform/agreement.ts`). A node that does not have the block yet rejects and has no vote.
 */
import { agreementOf, collectAnswers } from '#platform/agreement.ts'
import type { NodeEvidence, PaymentNode } from '#ports/payment-node.ts'
import type { LaneChain, LaneView, SendAnswer, Unsure } from './lane.ts'
import { marketFees } from './market-fees.ts'

const QUORUM = 2

const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const answersOf = async <T>(asked: readonly Promise<T>[]): Promise<T[]> =>
  (await collectAnswers(asked)).answers

const receiptsOf = async (
  node: PaymentNode,
  asked: Parameters<PaymentNode['receipts']>[0],
): Promise<NodeEvidence> => ({
  isExecuted: false,
  logs: [],
  receipts: await node.receipts(asked),
})

export type AgreedChainOptions = {
  /** The most that may be signed for each unit of gas, in wei. */
  feeCeiling: bigint
}

export function createAgreedChain(
  nodes: readonly PaymentNode[],
  { feeCeiling }: AgreedChainOptions,
): LaneChain {
  const quorum = Math.min(QUORUM, nodes.length)

  /** The highest value that a quorum has reached, so that one lagging node delays nothing. */
  const common = (all: readonly number[]): number => all.toSorted((a, b) => b - a)[quorum - 1] ?? 0

  /** The answer of the quorum, or why there is none. */
  async function agreed<T extends object>(
    asked: readonly Promise<T>[],
  ): Promise<Unsure | ({ outcome: 'seen' } & T)> {
    const agreement = agreementOf(await answersOf(asked), { quorum })
    return agreement.outcome === 'agreed' ? { outcome: 'seen', ...agreement.answer } : agreement
  }

  return {
    async observeLane({ address, upTo }): Promise<LaneView> {
      const heads = await answersOf(
        nodes.map(async (node) => ({ node, ...(await node.head({ address })) })),
      )
      if (heads.length < quorum) return { outcome: 'unavailable' }
      const agreedNumber = common(heads.map((head) => head.finalizedNumber))
      const finalizedNumber = Math.min(agreedNumber, upTo)
      const voters = heads.filter((head) => head.finalizedNumber >= finalizedNumber)
      const anchor = await agreed(
        voters.map(({ node }) => node.anchor({ address, blockNumber: finalizedNumber })),
      )
      if (anchor.outcome !== 'seen') return anchor
      const headNonces = heads.map(({ headNonce }) => headNonce)
      return {
        outcome: 'seen',
        headNumber: Math.max(...heads.map(({ headNumber }) => headNumber)),
        finalizedNumber,
        finalizedNonce: anchor.nonce,
        headNonce: { common: common(headNonces), highest: Math.max(...headNonces) },
        market: marketFees(heads, { quorum, ceiling: feeCeiling }),
        gasBalance: heads.map(({ gasBalance }) => gasBalance).reduce(lowest),
      }
    },

    observePayment({ payment: { expected, attempts }, blockNumber }) {
      const transactionHashes = attempts.flatMap((attempt) => attempt.transactionHash ?? [])
      const asked = { transactionHashes, blockNumber }
      if (!expected) return agreed(nodes.map(async (node) => receiptsOf(node, asked)))
      const { vaultAddress, chainPaymentId } = expected
      return agreed(nodes.map((node) => node.evidence({ vaultAddress, chainPaymentId, ...asked })))
    },

    /** Nothing is signed yet, so one node is enough. If nodes differ, a later pass asks again. */
    async preflight(input) {
      const answers = await answersOf(nodes.map((node) => node.preflight(input)))
      const agreement = agreementOf(answers, { quorum: 1 })
      return agreement.outcome === 'agreed' ? agreement.answer : { outcome: 'unavailable' }
    },

    exhaustedIn: (input) => agreed(nodes.map((node) => node.exhaustedIn(input))),

    async send(input): Promise<SendAnswer> {
      const answers = await answersOf(nodes.map((node) => node.send(input)))
      const inOrder = ['accepted', 'nonce_too_low', 'underpriced'] as const
      return inOrder.find((answer) => answers.includes(answer)) ?? 'lost'
    },
  }
}
