import { TRAIL_START, toTrailLine } from '@countersign/proof/audit-trail.ts'
import { describe, expect, test } from 'vitest'
import { check, EVENTS, fileOf, genuine, headOf, kept, OTHER, OWN, rewritten } from './trails.ts'

const headText = toTrailLine(headOf(genuine))

describe('a genuine file', () => {
  test('is consistent by itself, and confirmed by a kept head', async () => {
    expect(await check(fileOf(genuine))).toMatchObject({
      verdict: 'consistent',
      organizationId: OWN,
      events: EVENTS,
      firstAt: '2026-11-16T10:00:01.000Z',
      lastAt: '2026-11-16T10:00:06.000Z',
      problems: [],
      problemCount: 0,
    })
    const pins = { organizationId: OWN, heads: [kept(3), kept(EVENTS)] }
    expect(await check(fileOf(genuine), pins)).toMatchObject({
      verdict: 'confirmed',
      problems: [],
      confirmedHeads: [kept(3), kept(EVENTS)],
    })
  })

  test.each([1, 2, 3, 7, 1_000])('is read in chunks of %i bytes', async (size) => {
    expect(await check(fileOf(genuine), {}, size)).toMatchObject({ verdict: 'consistent' })
  })

  test('may lack the line feed at its end', async () => {
    expect(await check(fileOf(genuine).slice(0, -1))).toMatchObject({ verdict: 'consistent' })
  })

  test('is confirmed only up to the kept head, and the rest is named', async () => {
    const { verdict, notShown } = await check(fileOf(genuine), { heads: [kept(4)] })
    expect(verdict).toBe('confirmed')
    expect(notShown.join('\n')).toContain('events 5 to 6 are those that the service recorded')
    expect(notShown.join('\n')).toContain('nothing was recorded after event 6')
  })

  test('is not shown to be the original without a kept head', async () => {
    const { notShown } = await check(fileOf(genuine))
    expect(notShown.join('\n')).toContain('only a kept head shows that it was not computed anew')
    expect(notShown.join('\n')).toContain('of the organization that you mean')
  })

  test('ignores kept heads of other organizations if one is its own', async () => {
    const other = { organizationId: OTHER, sequence: 2, hash: TRAIL_START }
    const own = { organizationId: OWN, ...kept(2) }
    const service = { organizationId: null, sequence: 2, hash: TRAIL_START }
    expect(await check(fileOf(genuine), { heads: [other, own, service] })).toMatchObject({
      verdict: 'confirmed',
      confirmedHeads: [own],
      otherHeads: 2,
    })
  })
})

describe('a file with every hash recomputed', () => {
  const forged = fileOf(rewritten(3, { data: { label: 'Mallory' } }))

  test('is consistent, which is why a head must be kept', async () => {
    expect(await check(forged)).toMatchObject({ verdict: 'consistent' })
  })

  test('does not have the hash of a head kept at or after the change', async () => {
    for (const n of [3, EVENTS]) {
      const { verdict, problems } = await check(forged, { heads: [kept(n)] })
      expect(verdict).toBe('refused')
      expect(problems).toEqual([
        { line: null, sequence: n, problem: expect.stringContaining('the hash of the kept head') },
      ])
    }
    expect(await check(forged, { heads: [kept(2)] })).toMatchObject({ verdict: 'confirmed' })
  })
})

describe('kept heads and organizations', () => {
  test('a file that ends before the kept head was cut, although its own head fits', async () => {
    const cut = fileOf(genuine.slice(0, 4))
    expect(await check(cut)).toMatchObject({ verdict: 'consistent' })
    const { verdict, problems } = await check(cut, { heads: [kept(EVENTS)] })
    expect(verdict).toBe('refused')
    expect(problems).toEqual([
      {
        line: null,
        sequence: EVENTS,
        problem: expect.stringContaining('the file ends at event 4, before the kept head'),
      },
    ])
  })

  test('the trail of another organization is refused', async () => {
    const { verdict, problems } = await check(fileOf(genuine), { organizationId: OTHER })
    expect(verdict).toBe('refused')
    expect(problems[0]).toMatchObject({ sequence: 1, problem: `it belongs to organization ${OWN}` })
  })

  test('a head of another organization alone confirms nothing', async () => {
    const heads = [{ organizationId: OTHER, ...kept(2) }]
    const { verdict, problems } = await check(fileOf(genuine), { heads })
    expect(verdict).toBe('refused')
    expect(problems[0]?.problem).toBe('no kept head is of this organization')
  })

  test('an organization may be named in upper case', async () => {
    const pins = { organizationId: OWN.toUpperCase() }
    expect(await check(fileOf(genuine), pins)).toMatchObject({ verdict: 'consistent' })
  })
})

test('a file with many problems lists the first hundred and counts all', async () => {
  const lines = Array.from({ length: 150 }, (_, n) => `not an event ${n}\n`).join('')
  const { problems, problemCount } = await check(lines + headText)
  expect(problems).toHaveLength(100)
  expect(problemCount).toBe(151)
})
