/** `npm run demo` with a service of its own, as somebody sees it who has only cloned the code. */
import { readdir } from 'node:fs/promises'
import { afterAll, expect, test, vi } from 'vitest'
import { cleanUp, freePort, makeFolder, runScript } from '#test/processes/processes.ts'

vi.setConfig({ testTimeout: 180_000 })

afterAll(cleanUp)

/** The lines of each chapter, by its title. */
const chaptersOf = (output: string): Map<string, string[]> =>
  new Map(
    output.split(/\n *\d+\. /).map((chapter) => {
      const [title = '', ...lines] = chapter.trimEnd().split('\n')
      return [title, lines.map((line) => line.trim())]
    }),
  )

test('tells the story from an organization to an export, and leaves nothing behind', async () => {
  const TMPDIR = await makeFolder()
  const demo = runScript('src/dev/demo.ts', { TMPDIR, DEV_PORT: String(await freePort()) })
  const { code } = await demo.ended
  expect([code, demo.stderr()]).toEqual([0, ''])
  const chapters = chaptersOf(demo.stdout())
  const linesOf = (start: string) =>
    [...chapters].find(([title]) => title.startsWith(start))?.[1] ?? []

  expect(linesOf('The employee attaches an invoice')).toEqual([
    expect.stringMatching(/^Attached: invoice-2026-118\.pdf, SHA-256 [0-9a-f]{16}…$/),
    expect.stringMatching(/^\d+ checks: risk 0 of 100, recommendation: approve\.$/),
  ])
  expect(linesOf('The manager reviews').at(-1)).toBe('1 of 2 signatures: the payment waits.')
  expect(linesOf('Meanwhile the owner lists')).toEqual([
    'The owner signs a change of recipients only; the policy stays version 1.',
  ])
  const director = linesOf('The director signs too')
  expect(director).toContain('2 of 2 signatures.')
  expect(director).toContain('The supplier now has 75.00 USDC.')
  expect(linesOf('Another 12 USDC')).toContain('The supplier now has 87.00 USDC.')

  expect(linesOf('Another 90 USDC')).toContainEqual(
    expect.stringMatching(/^Refused: .* Possible again from \d{4}-\d\d-\d\dT00:00:00Z\.$/),
  )

  const evidence = linesOf('The evidence')
  expect(evidence).toContain('ok  file invoice-2026-118.pdf')
  expect(evidence.filter((line) => !line.startsWith('ok '))).toEqual([])

  const day = '\\d{4}-\\d{2}-\\d{2}'
  const paid = (line: string) => expect.stringMatching(new RegExp(`^${day},${line}$`))
  const title = 'The payments as a file for the accountant'
  expect(linesOf(title).slice(0, 4)).toEqual([
    '*Date,*Amount,Payee,Description,Reference,Check Number',
    paid('-75.00,Printers Limited,Printing of 500 copies of the annual report,2026-118,'),
    paid('-12.00,Printers Limited,Courier for the proofs of the annual report,8841,'),
    'By category: Printing 75.00 USDC, Delivery 12.00 USDC; in total 87.00 USDC.',
  ])
  expect(demo.stdout()).toMatch(/\nDone in \d+ s\. .*\n$/)
  expect((await readdir(TMPDIR)).filter((name) => name.startsWith('countersign-'))).toEqual([])
})
