/** A provider fails in each of four ways: each is worth a retry, and retries have one effect. */
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test, vi } from 'vitest'
import { reportFigures } from '#test/support/figures.ts'
import {
  circleDesk,
  type Desk,
  identityDesk,
  modelDesk,
  privyDesk,
  pushDesk,
  TROUBLES,
  type Trouble,
} from './desks.ts'

const desks: [string, () => Promise<Desk>][] = [
  ['Privy', privyDesk],
  ['Circle', circleDesk],
  ['a push service', pushDesk],
  ['an identity provider', identityDesk],
  ['a model', modelDesk],
]

const told = { providers: 0, cases: 0, refusals: 0, duplicates: 0, recoveredMaxMs: 0 }
afterAll(() => reportFigures({ outages: told }))

/** Retries until it succeeds, as callers do. */
const untilDone = (desk: Desk, key: string) =>
  vi.waitFor(async () => expect(await desk.ask(key)).toBe('done'), {
    timeout: 20_000,
    interval: 10,
  })

async function recover(desk: Desk, trouble: Trouble): Promise<void> {
  const key: string = randomUUID()
  const pace = trouble === 'time-out' ? 'hasty' : 'patient'
  for (const _try of [1, 2]) {
    desk.trouble(trouble)
    expect([trouble, await desk.ask(key, pace)]).toEqual([trouble, 'later'])
    told.refusals += 1
  }
  desk.heal()
  const healed = performance.now()
  await untilDone(desk, key)
  told.recoveredMaxMs = Math.max(told.recoveredMaxMs, Math.round(performance.now() - healed))
  // A caller whose answer was lost asks once more.
  await untilDone(desk, key)
  told.cases += 1
  told.duplicates += desk.effects(key) - 1
  expect([trouble, desk.effects(key)]).toEqual([trouble, 1])
}

test.concurrent.each(desks)(
  '%s: has one effect after a time-out, 500, 429 and invalid answers',
  async (_name, open) => {
    const desk = await open()
    try {
      for (const trouble of TROUBLES) await recover(desk, trouble)
      told.providers += 1
    } finally {
      await desk.stop()
    }
  },
)
