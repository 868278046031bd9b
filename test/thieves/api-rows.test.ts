/**
 * README, "Who can take what": what the API's database login achieves by writing rows in members'
 * names. They look like rows of an API process, so the limits must hold for them.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp } from '#test/processes/processes.ts'
import type { TestWallet } from '#test/support/chain.ts'
import { pauseToken } from '#test/support/past-the-service.ts'
import {
  approve,
  awaitingApproval,
  type PayingHouse,
  step,
  tokenBalance,
  untilState,
} from '#test/support/payments.ts'
import { deposit } from '#test/support/treasury.ts'
import {
  enterScope,
  forgeSubmission,
  paidByVault,
  requestRelease,
  untilExpenseSettled,
  untilSettled,
} from './forging.ts'
import { configureDirectly, deployOwnVault, insertVaultRow } from './own-vault.ts'
import {
  AUTOMATIC_CAP,
  connect,
  LIFETIME_CAP,
  type StageHere,
  startStageHere,
  USDC,
} from './stage.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let stage: StageHere
let house: PayingHouse
let client: pg.Client
let thief: TestWallet

beforeAll(async () => {
  stage = await startStageHere()
  house = stage.house
  thief = await stage.chain.wallet()
  client = await connect(stage.logins.api, 'countersign_app')
  await enterScope(client, { organizationId: house.id })
})
afterAll(cleanUp)

const DAY_TO_ONE_RECIPIENT = (10n * AUTOMATIC_CAP) / 2n

let amount = 1_200_000n
/** Varied amounts, none just below the cap. */
const nextAmount = (): bigint => {
  amount += 7_000n
  return amount
}

/** Writes expenses in the names of all members in turn; returns the state of each. */
async function drain(tries: number, vaultId = house.vault.id): Promise<string[]> {
  const members = [house.owner, house.manager, house.employee]
  const states: string[] = []
  for (let n = 0; n < tries; n += 1) {
    const accountId = members[n % members.length]?.accountId ?? ''
    const target = { ...house, vault: { ...house.vault, id: vaultId } }
    const { id } = await forgeSubmission(client, target, { accountId, amount: nextAmount() })
    states.push(await untilExpenseSettled(client, id))
  }
  return states
}

/** Paid without a signature. */
const automaticOnes = async () => (await paidByVault(house)).filter(({ mode }) => mode === 1)

const sumPaid = async () => (await automaticOnes()).reduce((sum, { amount: one }) => sum + one, 0n)

describe('a signature in the database', () => {
  test('still pays an expense that members have cancelled, until its deadline', async () => {
    const expense = await awaitingApproval(house, { amountBaseUnits: '5000000' })
    await pauseToken(house, true)
    expect((await approve(house, expense)).status).toBe(202)
    const { paymentId } = await untilState(house, expense.id, 'blocked')
    const cancelled = step(
      house,
      `expenses/${expense.id}/cancel`,
      { expectedVersion: 1 },
      house.employee,
    )
    expect((await cancelled).status).toBe(200)
    await pauseToken(house, false)
    await client.query(
      `update expenses set state = 'blocked', block_code = 'token_refused' where id = $1`,
      [expense.id],
    )
    await client.query(
      `update approvals set state = 'signed', cancelled_at = null, end_code = null
       where expense_id = $1`,
      [expense.id],
    )
    const { accountId } = house.manager
    expect(await requestRelease(client, house, { paymentId, accountId })).toBe('done')
    expect(await untilSettled(client, paymentId)).toBe('confirmed')
    expect(await tokenBalance(house, house.recipient)).toBe(5n * USDC)
  })
})

describe("expenses written with the API's database login", () => {
  test('are not automatic in the name of a member whom the attacker added', async () => {
    const [accountId, membershipId] = [randomUUID(), randomUUID()]
    await client.query(
      `insert into accounts (id, realm, issuer, subject, created_at)
       values ($1, 'consumer', 'thief', 'thief', now() - interval '1 year')`,
      [accountId],
    )
    await client.query(
      `insert into memberships (id, organization_id, account_id, role, state, created_at,
         recorded_at) values ($1, $2, $3, 'owner', 'active', now() - interval '1 year',
         now() - interval '1 year')`,
      [membershipId, house.id, accountId],
    )
    const { id } = await forgeSubmission(client, house, { accountId, amount: nextAmount() })
    expect(await untilExpenseSettled(client, id)).toBe('needs_review')
  })

  test('are not automatic to a recipient that the policy on chain does not list', async () => {
    const recipient = { id: randomUUID(), address: thief.address }
    const { accountId } = house.owner
    await client.query(
      `insert into recipients (id, organization_id, label, address, chain_id, state,
         created_by_account_id, created_at)
       values ($1, $2, 'Printers Ltd', $3, 31337, 'active', $4, now())`,
      [recipient.id, house.id, recipient.address.toLowerCase(), accountId],
    )
    const forged = { accountId, amount: nextAmount(), recipient }
    const { id } = await forgeSubmission(client, house, forged)
    expect(await untilExpenseSettled(client, id)).not.toBe('paid')
    expect(await tokenBalance(house, thief.address)).toBe(0n)
  })

  test("are paid in old members' names, up to half of ten automatic caps a day", async () => {
    const states = await drain(9)
    expect(states.filter((state) => state === 'paid').length).toBeGreaterThan(5)
    expect(states.at(-1)).toBe('needs_review')
    const paid = await automaticOnes()
    expect(new Set(paid.map(({ recipient }) => recipient))).toEqual(new Set([house.recipient]))
    expect(await sumPaid()).toBeLessThanOrEqual(DAY_TO_ONE_RECIPIENT)
    expect(await sumPaid()).toBeGreaterThan(DAY_TO_ONE_RECIPIENT - AUTOMATIC_CAP)
  })

  test("get no more through a second row for the vault and the attacker's own vault", async () => {
    const before = await sumPaid()
    // A vault with a huge cap raises the organization's limit; it is the attacker's own contract.
    const own = await deployOwnVault(stage, client, thief)
    await insertVaultRow(client, house, { address: own, ownerAddress: thief.address })
    await client.query('insert into chain_watches (address, from_block) values ($1, 0)', [
      own.toLowerCase(),
    ])
    await configureDirectly(stage, thief, { address: own, version: 0n, cap: 10n ** 15n })
    // The real vault again, under an id for which no payment counts yet.
    await client.query(`update vaults set state = 'disabled', is_default = false where id = $1`, [
      house.vault.id,
    ])
    const { address } = house.vault
    const ownerAddress = house.ownerWallet.address
    const alias = await insertVaultRow(client, house, { address, ownerAddress })
    // The follower fills it in when the owner configures the next policy.
    await deposit(house.treasury, house, { vault: address, amount: 30n * USDC })
    const terms = { address, version: 1n, cap: AUTOMATIC_CAP, lifetimeCap: LIFETIME_CAP }
    await configureDirectly(stage, house.ownerWallet, terms)
    const filledIn = { balance: String(30n * USDC), version: '2' }
    await vi.waitFor(async () => {
      const { rows } = await client.query(
        'select balance, policy_version as version from vaults where id = $1',
        [alias],
      )
      expect(rows).toEqual([filledIn])
    }, 20_000)
    expect(await drain(2, alias)).toEqual(['needs_review', 'needs_review'])
    expect(await sumPaid()).toBe(before)
  })
})
