import type { Evidence } from '@countersign/proof/evidence.ts'
import { describe, expect, it } from 'vitest'
import document from '../../../../../openapi.json?raw'
import { checkLinks, failuresOf } from './links.ts'
import { canLookAgain, canRelease } from './what-can-be-done.ts'

type Document = {
  paths: Record<string, Record<string, { operationId?: string; responses?: Responses }>>
}
type Responses = Record<string, { content?: Record<string, { example?: { evidence: Evidence } }> }>

/** The example of the API's own document: a real payment. */
function example(): Evidence {
  const { paths } = JSON.parse(document) as Document
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const found = operations.find(({ operationId }) => operationId === 'getPayment')
  const evidence = found?.responses?.['200']?.content?.['application/json']?.example?.evidence
  if (!evidence) throw new Error('The document has no example of a payment.')
  return structuredClone(evidence)
}

const statusOf = async (evidence: unknown) =>
  Object.fromEntries((await checkLinks(evidence)).links.map(({ id, status }) => [id, status]))

describe('the links of a payment', () => {
  it('are seven, in their order', async () => {
    const { links } = await checkLinks(example())
    expect(links.map(({ id }) => id)).toEqual([
      'asked',
      'analysed',
      'reviewed',
      'policy',
      'signed',
      'executed',
      'on_chain',
    ])
  })

  it('wait for the chain', async () => {
    const evidence = { ...example(), event: null, matches: false }
    expect(await statusOf(evidence)).toMatchObject({ executed: 'pending', on_chain: 'pending' })
  })

  it('break where something was changed', async () => {
    const changed = example()
    changed.revision.purpose = 'Something else'
    expect(await statusOf(changed)).toMatchObject({ asked: 'fails' })
    expect(failuresOf(await checkLinks(changed))).toContain('revision hash')
  })

  it('break when the vault logged other terms', async () => {
    const other = example()
    if (other.event) other.event.amountBaseUnits = '1'
    expect(await statusOf(other)).toMatchObject({ on_chain: 'fails' })
    expect((await checkLinks(other)).verdict).toBe('fails')
  })

  it('do not hold for what is no evidence', async () => {
    for (const value of [undefined, null, {}, { version: 1 }]) {
      expect((await checkLinks(value)).verdict).toBe('fails')
    }
  })
})

describe('what can be done', () => {
  const sent = [{ state: 'sent' as const }]

  it('looks again only at what may have been sent', () => {
    expect(canLookAgain({ payment: { state: 'broadcast' }, attempts: sent })).toBe(true)
    expect(canLookAgain({ payment: { state: 'blocked' }, attempts: sent })).toBe(true)
    expect(canLookAgain({ payment: { state: 'blocked' }, attempts: [] })).toBe(false)
    expect(canLookAgain({ payment: { state: 'confirmed' }, attempts: sent })).toBe(false)
  })

  it('releases what waits for a person', () => {
    expect(canRelease({ state: 'reserved' }, 'manual')).toBe(true)
    expect(canRelease({ state: 'reserved' }, 'automatic')).toBe(false)
    expect(canRelease({ state: 'failed' }, 'automatic')).toBe(true)
    expect(canRelease({ state: 'confirmed' }, 'manual')).toBe(false)
  })
})
