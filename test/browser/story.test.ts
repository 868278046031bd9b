/** The whole story in a real browser, from sign-in to a proof that holds. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Application, openApplication } from '#test/browser/application.ts'
import { KEYS_ALONE, MOUSE, THUMB } from '#test/browser/hands.ts'
import { AMOUNT, liveThroughIt, PURPOSE } from '#test/browser/story.ts'
import { makeFolder, runScript } from '#test/processes/processes.ts'
import { isProof } from '#test/support/figures.ts'

let application: Application

beforeAll(async () => {
  application = await openApplication()
})
afterAll(() => application?.close())

const WAYS = [
  { hands: THUMB, organization: 'Osprey' },
  { hands: KEYS_ALONE, organization: 'Kestrel' },
]
// All other tests of the pages use a mouse, so only `npm run prove` tells the story with one.
if (isProof('PROVE_MOUSE')) WAYS.push({ hands: MOUSE, organization: 'Heron' })

describe.concurrent.each(WAYS)('$hands.name', ({ hands, organization }) => {
  test('three people set up a treasury, pay an invoice, and can prove why', async () => {
    const folder = await makeFolder()
    const ending = await liveThroughIt(application, { hands, organization, folder })
    expect(ending.troubles).toEqual([])

    const { rpc } = application.service
    const args = [ending.proof, '--rpc', rpc, '--file', ending.invoice]
    const verifying = runScript('src/cli/verify.ts', {}, args)
    expect(await verifying.ended).toMatchObject({ code: 0 })
    expect(verifying.stdout()).toMatch(/VERIFIED/)

    const [, ...payments] = (await readFile(ending.payments, 'utf8')).trimEnd().split('\r\n')
    expect(payments).toEqual([expect.stringContaining(`,${AMOUNT},USDC,`)])
    expect(payments[0]).toContain(PURPOSE)
    expect(payments[0]).toContain(`${organization} Approver`)
  }, 600_000)
})
