import { verifyEvidence } from '@countersign/proof/verify-evidence.ts'
import { describe, expect, it } from 'vitest'
import { evidenceWith } from './evidence-fixture.ts'
import { checkLinks, failuresOf } from './links.ts'

const statusOf = async (evidence: unknown) =>
  Object.fromEntries((await checkLinks(evidence)).links.map(({ id, status }) => [id, status]))

describe('the links of a payment', () => {
  it('are eight, in their order', async () => {
    const { links } = await checkLinks(await evidenceWith(1))
    expect(links.map(({ id }) => id)).toEqual([
      'asked',
      'analysed',
      'reviewed',
      'policy',
      'recipient',
      'signed',
      'executed',
      'on_chain',
    ])
  })

  it('wait for the chain', async () => {
    const evidence = { ...(await evidenceWith(1)), event: null, matches: false }
    expect(await statusOf(evidence)).toMatchObject({ executed: 'pending', on_chain: 'pending' })
  })

  it('break where something was changed', async () => {
    const changed = await evidenceWith(1)
    changed.revision.purpose = 'Something else'
    expect(await statusOf(changed)).toMatchObject({ asked: 'fails' })
    expect(failuresOf(await checkLinks(changed))).toContain('revision hash')
  })

  it('break when the vault logged other terms', async () => {
    const other = await evidenceWith(1)
    if (other.event) other.event.amountBaseUnits = '1'
    expect(await statusOf(other)).toMatchObject({ on_chain: 'fails' })
    expect((await checkLinks(other)).verdict).toBe('fails')
  })

  it.each([1, 2, 3])('hold with all %s signatures', async (required) => {
    const { verdict, contractApprovers } = await checkLinks(await evidenceWith(required))
    expect(verdict).toBe('holds')
    expect(contractApprovers).toEqual([])
  })

  it('leave out no finding of the verifier', async () => {
    const evidence = await evidenceWith(2)
    const { links } = await checkLinks(evidence)
    const shown = links.flatMap(({ findings }) => findings)
    expect(shown).toHaveLength((await verifyEvidence(evidence, { hasNode: true })).length)
  })

  it('wait for the second signature', async () => {
    const { links, verdict } = await checkLinks(await evidenceWith(2, 1))
    expect(verdict).toBe('pending')
    expect(links.find(({ id }) => id === 'signed')?.status).toBe('pending')
  })

  it('break when the vault paid with too few signatures', async () => {
    const { event } = await evidenceWith(1)
    const paid = { ...(await evidenceWith(2, 1)), event, matches: true }
    expect(await statusOf(paid)).toMatchObject({ signed: 'fails' })
  })

  it('break when a signature of several is of something else', async () => {
    const waiting = await evidenceWith(3, 2)
    const [first, second] = waiting.approvals
    if (!first || !second) throw new Error('There are two.')
    const changed = { ...waiting, approvals: [first, { ...second, digest: first.digest }] }
    expect(await statusOf(changed)).toMatchObject({ signed: 'fails' })
  })

  it('break when the recipient was allowed too late, or no log allows it', async () => {
    const evidence = await evidenceWith(1)
    expect(await statusOf({ ...evidence, recipient: null })).toMatchObject({ recipient: 'fails' })
    const late = { ...evidence.recipient, allowedFrom: '2026-12-01T00:00:00.000Z' }
    expect(await statusOf({ ...evidence, recipient: late })).toMatchObject({ recipient: 'fails' })
  })

  it('break when the amount does not fit into the period', async () => {
    const evidence = await evidenceWith(1)
    const policy = { ...evidence.policy, periodCap: '699' }
    expect(await statusOf({ ...evidence, policy })).toMatchObject({ policy: 'fails' })
  })

  it('name the approvers whose signature only a contract can have given', async () => {
    const evidence = await evidenceWith(2)
    const [first, second] = evidence.approvals
    if (!first || !second) throw new Error('There are two.')
    const byContract = { ...second, signature: '0x1234' }
    const { contractApprovers } = await checkLinks({ ...evidence, approvals: [first, byContract] })
    expect(contractApprovers).toEqual([second.approverAddress.toLowerCase()])
  })

  it('do not hold for what is no evidence', async () => {
    for (const value of [undefined, null, {}, { version: 1 }]) {
      expect((await checkLinks(value)).verdict).toBe('fails')
    }
  })
})
