/** Verdicts on evidence, with a node and without one. */
import { type CheckOptions, checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { expect } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import type { RpcCall } from '#test/chain/rpc-proxy.ts'

export function verdictsBy(url: () => string) {
  const check = (evidence: Evidence, options: CheckOptions = {}) => {
    expect(shapeProblems(evidence)).toEqual([])
    return checkEvidence(evidence, { witnesses: [createPaymentWitness(url())], ...options })
  }
  const expectRefused = async (evidence: Evidence, links: string[], options?: CheckOptions) => {
    const { verdict, findings } = await check(evidence, options)
    const failed = findings.filter(({ holds }) => !holds).map(({ link }) => link)
    const wanted = { verdict: 'refused', failed: expect.arrayContaining(links) }
    expect({ verdict, failed }).toEqual(wanted)
  }
  return {
    check,
    expectRefused,
    /** The bundle is consistent with itself: only the chain reveals the forgery. */
    async expectRefusedByChain(evidence: Evidence, links: string[], options?: CheckOptions) {
      expect((await checkEvidence(evidence)).verdict).toBe('consistent')
      await expectRefused(evidence, links, options)
    },
  }
}

/** For `RpcProxy.tamper`: changes the answers to one method. */
export const onlyFor =
  (method: string, change: (result: never, call: RpcCall) => unknown) =>
  (call: RpcCall, result: unknown) =>
    call.method === method ? change(result as never, call) : result
