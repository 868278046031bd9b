/** Forgeries that a file shows by itself. Those that need a kept head: check-trail.test.ts. */
import { type AuditContent, toTrailLine } from '@countersign/proof/audit-trail.ts'
import { describe, expect, test } from 'vitest'
import {
  at,
  chain,
  changed,
  check,
  contentAt,
  contents,
  fileOf,
  genuine,
  headOf,
  idAt,
  OTHER,
  rewritten,
} from './trails.ts'

const withoutEvent = (n: number) => genuine.filter(({ sequence }) => sequence !== n)
const extra = contentAt(9, { aggregateId: idAt(999) })
const headWith = (more: object) => ({ head: { ...headOf(genuine).head, ...more } })
const lineTexts = genuine.map((line) => toTrailLine(line))
const headText = toTrailLine(headOf(genuine))
const joined = (texts: readonly string[]) => [...texts, headText].join('')
const replaced = (n: number, from: string, to: string) =>
  joined(lineTexts.map((text, index) => (index + 1 === n ? text.replace(from, to) : text)))

const DIGEST = 'it was changed: its digest is not that of its fields'
const LINK = 'its hash does not follow from the event before it'
const FORM = 'the line is not one that the service writes'
const CUT = 'the file was cut'

const fields: [string, Partial<AuditContent>][] = [
  ['id', { id: idAt(77) }],
  ['action', { action: 'recipient.deactivated' }],
  ['actorRealm', { actorRealm: 'admin' }],
  ['actorAccountId', { actorAccountId: idAt(901) }],
  ['actorAccountId to null', { actorAccountId: null }],
  ['aggregateType', { aggregateType: 'vault' }],
  ['aggregateId', { aggregateId: idAt(777) }],
  ['data', { data: { label: 'Somebody else', amount: 3 } }],
  ['requestId', { requestId: 'another' }],
  ['occurredAt', { occurredAt: '2026-11-16T10:00:02.999Z' }],
]

describe('a forged file is refused:', () => {
  test.each(fields)('a changed %s', async (_name, more) => {
    const { event } = at(genuine, 3)
    const { verdict, problems } = await check(
      fileOf(changed(3, { event: { ...event, ...more } }), headOf(genuine)),
    )
    expect(verdict).toBe('refused')
    expect(problems).toEqual([{ line: 3, sequence: 3, problem: DIGEST }])
  })

  const rechained = at(rewritten(3, { action: 'recipient.deactivated' }), 3)
  const swapped = [at(genuine, 1), at(genuine, 3), at(genuine, 2), ...genuine.slice(3)]
  const renumbered = genuine.slice(1).map((line) => ({ ...line, sequence: line.sequence - 1 }))
  const inserted = [...contents.slice(0, 2), extra, ...contents.slice(2)]

  const forged: [string, string, number | null, string][] = [
    [
      'a changed event with its new digest',
      fileOf(changed(3, { ...rechained, hash: at(genuine, 3).hash })),
      3,
      LINK,
    ],
    ['a changed event with new digest and hash', fileOf(changed(3, rechained)), 4, LINK],
    ['a removed event', fileOf(withoutEvent(3), headOf(genuine)), 4, 'event 3 is missing'],
    [
      'two removed events',
      fileOf(
        genuine.filter((_, n) => n !== 2 && n !== 3),
        headOf(genuine),
      ),
      5,
      'events 3 to 4 are missing',
    ],
    ['the first event removed', fileOf(withoutEvent(1), headOf(genuine)), 2, 'event 1 is missing'],
    ['the first event removed and the rest renumbered', fileOf(renumbered), 1, LINK],
    [
      'an event removed and the rest renumbered',
      fileOf([...genuine.slice(0, 2), ...renumbered.slice(2)]),
      3,
      LINK,
    ],
    ['reordered events', fileOf(swapped, headOf(genuine)), 2, 'it appears after event 3'],
    [
      'a repeated event',
      fileOf([...genuine.slice(0, 3), ...genuine.slice(2)]),
      3,
      'it appears a second time',
    ],
    [
      'an inserted event',
      fileOf(
        [...genuine.slice(0, 2), at(chain(inserted), 3), ...genuine.slice(2)],
        headOf(genuine),
      ),
      3,
      'it appears a second time',
    ],
    [
      'an event of another organization',
      fileOf(
        changed(3, { event: { ...at(genuine, 3).event, organizationId: OTHER } }),
        headOf(genuine),
      ),
      3,
      `it belongs to organization ${OTHER}`,
    ],
    [
      'an event appended behind the head',
      fileOf([...genuine, at(chain([...contents, extra]), 7)], headOf(genuine)),
      null,
      'the head line is not that of the last event',
    ],
    [
      'the end cut, the head kept',
      fileOf(genuine.slice(0, 4), headOf(genuine)),
      null,
      `${CUT}: events 5 to 6 are missing`,
    ],
    [
      'the end cut with the head',
      lineTexts.slice(0, 4).join(''),
      null,
      `${CUT}: its last line must be the head`,
    ],
    ['an interrupted download', fileOf(genuine).slice(0, -200), null, FORM],
    [
      'a head with another hash',
      fileOf(genuine, headWith({ hash: at(genuine, 5).hash })),
      null,
      'the head line is not that',
    ],
    [
      'a head with another time',
      fileOf(genuine, headWith({ at: '2026-11-16T11:00:00.000Z' })),
      null,
      'the head line is not that',
    ],
    [
      'a head of another organization',
      fileOf(genuine, headWith({ organizationId: OTHER })),
      null,
      `it belongs to organization ${OTHER}`,
    ],
    ['a second head', `${fileOf(genuine)}${headText}`, null, 'the line follows the head line'],
    [
      'a head in the middle',
      [...lineTexts.slice(0, 3), headText, ...lineTexts.slice(3)].join(''),
      null,
      `${CUT}: events 4 to 6 are missing`,
    ],
    [
      'a key twice, for readers that take the first',
      replaced(3, '"action":', '"action":"recipient.removed","action":'),
      null,
      FORM,
    ],
    ['an added field', replaced(3, '{"digest"', '{"approvedBy":"nobody","digest"'), null, FORM],
    ['a field inside the event', replaced(3, '"data":', '"comment":"","data":'), null, FORM],
    ['white space', replaced(3, '"action":', '"action": '), null, FORM],
    ['another escape of the same text', replaced(3, 'Payee', '\\u0050ayee'), null, FORM],
    ['an empty line', joined([...lineTexts.slice(0, 3), '\n', ...lineTexts.slice(3)]), null, FORM],
    ['a byte order mark', `\ufeff${fileOf(genuine)}`, null, FORM],
    ['a sequence that is not a number', replaced(3, '"sequence":3', '"sequence":"3"'), null, FORM],
    ['no event at all', headText, null, `${CUT}: events 1 to 6 are missing`],
    ['an empty file', '', null, `${CUT}: its last line must be the head`],
  ]

  test.each(forged)('%s', async (_name, file, sequence, problem) => {
    const { verdict, problems } = await check(file)
    expect(verdict).toBe('refused')
    expect(problems).toContainEqual(
      expect.objectContaining({ sequence, problem: expect.stringContaining(problem) }),
    )
  })

  test('bytes that are not UTF-8', async () => {
    const { verdict, problems } = await check(Uint8Array.from([0x7b, 0xff, 0xfe, 0x7d]))
    expect(verdict).toBe('refused')
    expect(problems[0]?.problem).toBe('the file cannot be read: it is not UTF-8 text')
  })
})
