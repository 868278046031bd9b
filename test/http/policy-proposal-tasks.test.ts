/** Who is told of a policy that waits, what their tasks say, and what they may still sign. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readSettled } from '#test/live/snapshots.ts'
import { joinOrganization } from '#test/support/app.ts'
import {
  DELAY_SECONDS,
  detailOf,
  follow,
  openWaitingHouse,
  ownerCall,
  passTime,
  proposalRow,
  propose,
  untilFollowed,
  type WaitingHouse,
} from '#test/support/proposals.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { preparePolicy, startTreasury, type Treasury } from '#test/support/treasury.ts'

let treasury: Treasury

beforeAll(async () => {
  treasury = await startTreasury()
  await liftOwnersRowSecurity(treasury.service.database)
})
afterAll(() => treasury.stop())

type TaskRecord = { id: string; title: string; detail: string; group: string; state: string }

/** The tasks about policies that wait. */
async function tasksOf(house: WaitingHouse, { token } = house.owner): Promise<TaskRecord[]> {
  const id = (await proposalRow(house))?.id
  const { body } = await readSettled(treasury.service, house, { token })
  return body.tasks.filter((task: TaskRecord) => task.id === `integration:${id}`)
}

const liveCodes = async (house: WaitingHouse): Promise<string[]> => {
  const rows = await treasury.service.database.asOwner<{ code: string }>(
    'select code from live_events where organization_id = $1 order by transaction_id, seq',
    [house.id],
  )
  return rows.map(({ code }) => code)
}

describe('a policy that waits', () => {
  test('is a task of owners and approvers with its difference, and of nobody else', async () => {
    const house = await openWaitingHouse(treasury)
    const manager = await joinOrganization(treasury.service, house, { role: 'manager' })
    const { activatesAt } = await propose(house)
    expect(await tasksOf(house)).toMatchObject([
      {
        title: 'A new policy waits in Main',
        detail:
          `It counts from ${activatesAt} and changes: cap of an approved payment. ` +
          'Veto it if you did not expect it.',
        group: 'in_progress',
        state: 'waiting',
        deadline: activatesAt,
        vaultId: house.vault.id,
      },
    ])
    expect(await tasksOf(house, manager)).toEqual([])
    expect(await liveCodes(house)).toContain('policy_proposed')
  })

  test('needs action when nobody prepared it here', async () => {
    const house = await openWaitingHouse(treasury)
    const { body } = await preparePolicy(treasury, house, {
      vaultId: house.vault.id,
      terms: { approvedCap: '900000' },
    })
    await treasury.service.database.asOwner('delete from policy_intents where id = $1', [body.id])
    await house.ownerWallet.send(body.transaction)
    await vi.waitFor(async () => expect(await proposalRow(house)).toBeDefined(), 20_000)
    const [task] = await tasksOf(house)
    expect(task).toMatchObject({ group: 'needs_action', state: 'waiting' })
    expect(task?.detail).toContain('Nobody prepared it here.')
    expect((await detailOf(house)).proposal).toMatchObject({ prepared: false })
    expect(await liveCodes(house)).toContain('policy_proposal_drift')
  })

  test('is a task of the owner to activate when the executor has no gas', async () => {
    const house = await openWaitingHouse(treasury, { hasGas: false })
    const { proposalId } = await propose(house)
    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    await vi.waitFor(async () => {
      expect((await detailOf(house)).proposal.activationCode).toBe('gas_missing')
    }, 20_000)
    const [task] = await tasksOf(house)
    expect(task).toMatchObject({
      title: 'Activate the policy',
      group: 'needs_action',
      state: 'activation_due',
      code: 'gas_missing',
    })
    await ownerCall(house, 'veto', proposalId)
    await vi.waitFor(async () => expect(await tasksOf(house)).toEqual([]), 20_000)
  })
})
