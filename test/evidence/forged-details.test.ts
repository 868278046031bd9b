/** Evidence whose attachments, category, reference or due date were changed afterwards. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { evidenceFor, paid } from '#test/support/evidence.ts'
import { changed, useStage } from './stage.ts'
import { verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused } = verdictsBy(() => stage.proxy.url)

const attachment = (digit: string, name = 'receipt.pdf') => ({
  name,
  mediaType: 'application/pdf',
  sizeBytes: 1_000,
  sha256: digit.repeat(64),
})

const details = {
  attachments: [attachment('a'), attachment('b', 'scan.pdf')],
  category: '6670',
  reference: 'INV-17',
  dueDate: '2026-12-31',
}

let honest: Evidence
let plain: Evidence

beforeAll(async () => {
  honest = await paid(stage.payer, stage.vault, { details })
  plain = await paid(stage.payer, stage.vault)
})

const HASH = 'revision hash from its fields'

describe('evidence with details', () => {
  test('is verified as version 2', async () => {
    expect((await check(honest)).verdict).toBe('verified')
    expect((await checkEvidence(honest)).verdict).toBe('consistent')
  })

  test('of an earlier version, without the fields, is verified as version 1', async () => {
    expect(Object.keys(plain.revision)).not.toContain('attachments')
    expect((await check(plain)).verdict).toBe('verified')
    const stated = { attachments: [], category: null, reference: null, dueDate: null }
    const listed = changed(plain, ({ revision }) => Object.assign(revision, stated))
    expect((await check(listed)).verdict).toBe('verified')
  })

  const [first, second] = details.attachments

  test.each<[string, object]>([
    ['62: another hash of an attachment', { attachments: [attachment('c'), second] }],
    ['63: a dropped attachment', { attachments: [first] }],
    ['64: all attachments dropped', { attachments: [] }],
    ['65: an added attachment', { attachments: [first, second, attachment('c')] }],
    ['66: attachments in another order', { attachments: [second, first] }],
    ['67: another category', { category: '6671' }],
    ['68: no category', { category: null }],
    ['69: another reference', { reference: 'INV-18' }],
    ['70: a reference in another case', { reference: 'inv-17' }],
    ['71: no reference', { reference: null }],
    ['72: another due date', { dueDate: '2027-01-01' }],
    ['73: no due date', { dueDate: null }],
  ])('%s is refused, offline too', async (_name, change) => {
    const forged = changed(honest, ({ revision }) => Object.assign(revision, change))
    expect((await checkEvidence(forged)).verdict).toBe('refused')
    await expectRefused(forged, [HASH])
  })

  test('74: fields left out of the bundle are refused', async () => {
    for (const name of Object.keys(details)) {
      const forged = changed(honest, ({ revision }) => {
        Reflect.deleteProperty(revision, name)
      })
      await expectRefused(forged, [HASH])
    }
  })

  test('75: details added to a revision without any are refused', async () => {
    for (const [name, value] of Object.entries(details)) {
      const forged = changed(plain, ({ revision }) => Object.assign(revision, { [name]: value }))
      await expectRefused(forged, [HASH])
    }
  })

  test('76: another attachment with a hash to match is refused by what was signed', async () => {
    const forged = changed(honest, ({ revision }) => {
      const attachments = [attachment('c'), second] as typeof details.attachments
      const hashes = attachments.map(({ sha256 }) => sha256)
      const amount = BigInt(revision.amountBaseUnits)
      const versionHash = versionHashOf({ ...revision, amount, attachments: hashes })
      Object.assign(revision, { attachments, versionHash })
    })
    await expectRefused(forged, ['asked: revision', 'digest from what was to be signed'])
  })

  test('77: a bundle of another payment with the right files is refused by the chain', async () => {
    const unpaid = await evidenceFor(stage.payer, stage.vault, { details })
    const files = details.attachments.map(({ name, sha256 }) => ({ name, sha256 }))
    const forged = { ...unpaid, event: honest.event, matches: true }
    expect((await check(forged, { files })).verdict).toBe('refused')
  })
})

describe('files', () => {
  test('that are attachments hold, under any name and more than once', async () => {
    const files = [
      { name: 'mine.pdf', sha256: 'b'.repeat(64) },
      { name: 'copy.pdf', sha256: 'b'.repeat(64) },
    ]
    const { verdict, findings, unchecked } = await check(honest, { files })
    expect(verdict).toBe('verified')
    expect(findings.filter(({ link }) => link.startsWith('file '))).toEqual([
      { link: 'file mine.pdf', holds: true, detail: 'is attachment 2' },
      { link: 'file copy.pdf', holds: true, detail: 'is attachment 2' },
    ])
    expect(unchecked[0]).toContain('the bytes of attachment 1 ("receipt.pdf", sha256 aaaa')
  })

  test('that are not attachments refuse the evidence, offline too', async () => {
    const files = [{ name: 'receipt.pdf', sha256: 'c'.repeat(64) }]
    await expectRefused(honest, ['file receipt.pdf'], { files })
    expect((await checkEvidence(plain, { files })).verdict).toBe('refused')
  })
})

describe('details of the wrong shape', () => {
  test.each<[string, object, string]>([
    ['no list of attachments', { attachments: 'all' }, 'revision.attachments must be a list'],
    [
      'a hash in upper case',
      { attachments: [attachment('A')] },
      'revision.attachments must be a list',
    ],
    ['eleven attachments', { attachments: Array(11).fill(attachment('a')) }, 'at most 10'],
    [
      'a category that is not text',
      { category: 6670 },
      'revision.category must be text, or be null',
    ],
    ['a reference that is not text', { reference: [] }, 'revision.reference must be text'],
    ['an impossible date', { dueDate: '2026-02-30' }, 'revision.dueDate must be a date'],
  ])('are reported with their field: %s', (_name, change, problem) => {
    const forged = changed(honest, ({ revision }) => Object.assign(revision, change))
    expect(shapeProblems(forged)).toContainEqual(expect.stringContaining(problem))
  })
})
