/** The recommended deployment works: nothing that pays needs the schema owner's login. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp } from '#test/processes/processes.ts'
import {
  approve,
  awaitingApproval,
  submitExpense,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { connect, type Stage, startStage } from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(cleanUp)

describe('processes with logins and secrets of their own', () => {
  test('pay an approved and an automatic expense', async () => {
    const { house } = stage
    const signed = await awaitingApproval(house, { amountBaseUnits: '7000000' })
    expect((await approve(house, signed)).status).toBe(202)
    const terms = { requestedMode: 'automatic', amountBaseUnits: '1300000' }
    const automatic = await submitExpense(house, terms)
    await untilState(house, signed.id, 'paid')
    await untilState(house, automatic, 'paid')
    expect(await tokenBalance(house, house.recipient)).toBe(8_300_000n)
  })

  test('own nothing of the schema', async () => {
    for (const url of [stage.logins.api, stage.logins.worker]) {
      const client = await connect(url)
      const { rows } = await client.query(
        `select from pg_class c where c.relnamespace in
           ('countersign'::regnamespace, 'graphile_worker'::regnamespace)
         and pg_has_role(current_user, c.relowner, 'usage')`,
      )
      expect(rows).toEqual([])
      await expect(client.query('create table mine (id int)')).rejects.toThrow('denied')
    }
  })
})
