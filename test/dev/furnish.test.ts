/** `npm start -- --demo` as a process: what is there afterwards. A second start keeps it. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { afterAll, expect, test, vi } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { must, openSessionAs } from '#dev/demo-client.ts'
import { readDemoRecord } from '#dev/demo-record.ts'
import { cleanUp, runScript } from '#test/processes/processes.ts'
import { makePlace, untilReady } from '#test/processes/service.ts'
import { WIDE_LIMITS } from '#test/support/app.ts'

vi.setConfig({ testTimeout: 240_000 })

afterAll(cleanUp)

test('furnishes an organization once, whose payments verify', async () => {
  const place = await makePlace()
  const start = () => runScript('src/dev/start.ts', { ...WIDE_LIMITS, ...place.env }, ['--demo'])
  const furnishing = start()
  // Chapter by chapter, because all of them may take longer than a wait for one text.
  await furnishing.says(/Employees file expenses/)
  await furnishing.says(/Approvers sign/)
  const first = await untilReady(furnishing, place)
  expect(first.stdout()).toMatch(/\n {2}Demo {5}sign in as “Ana Ruiz” \(owner\)/)
  const record = await readDemoRecord(place.folder)
  expect(record?.people).toHaveLength(15)
  const { organizationId = '', people: [ana] = [] } = record ?? {}
  const path = { organizationId }
  const { client } = await openSessionAs(first, { subject: ana?.subject ?? '' })

  const { counts } = must(await client.call('countExpenses', { path }))
  const present = Object.entries(counts).filter(([, count]) => count !== 0)
  expect(Object.fromEntries(present)).toEqual({
    draft: 3,
    needs_review: 6,
    revision_requested: 3,
    awaiting_approval: 5,
    paid: 39,
    rejected: 3,
    cancelled: 2,
    blocked: 2,
  })
  const { groups, total } = must(await client.call('getSpending', { path, query: { by: 'vault' } }))
  const sum = groups.reduce((all, one) => all + BigInt(one.amountBaseUnits), 0n)
  expect([groups.length, String(sum)]).toEqual([2, total])

  const query = { state: ['paid' as const], limit: 1 }
  const [paid] = must(await client.call('listExpenses', { path, query })).expenses
  const paymentId = paid?.paymentId ?? ''
  const { evidence } = must(await client.call('getPayment', { path: { ...path, paymentId } }))
  const witnesses = [createPaymentWitness(first.rpc)]
  expect((await checkEvidence(evidence as Evidence, { witnesses })).verdict).toBe('verified')

  first.kill('SIGTERM')
  await first.ended
  const second = await untilReady(start(), place)
  expect(second.stdout()).toContain('“Ana Ruiz” (owner)')
  expect(second.stdout()).not.toContain('Furnishing')
  second.kill('SIGTERM')
  await second.ended
})
