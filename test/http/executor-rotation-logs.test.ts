/** What policies on chain, their end and their rollback do to the executors of an organization. */
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { proposalIdOf } from '@countersign/proof/proposal-id.ts'
import { describe, expect, test } from 'vitest'
import { GAS_LOW_WEI } from '#executor/watch-executor.ts'
import { followProposal } from '#payments/activations/follow-proposal.ts'
import {
  anAddress,
  apply,
  asOwner,
  bindNext,
  configured,
  first,
  naming,
  openTwoExecutors,
  organizationId,
  reach,
  rollBack,
  second,
  service,
  states,
} from './two-executors.ts'

openTwoExecutors()

/** The policy in force names the second executor, and everything about it is final. */
async function replaceFirst(): Promise<void> {
  await apply(20, configured(2, second))
  await reach(1_000)
}

/** Due a minute ago. Returns its id. */
async function propose(
  blockNumber: number,
  { expectedVersion, policy }: { expectedVersion: number; policy: ChainPolicy },
): Promise<string> {
  const proposalId = proposalIdOf(expectedVersion, policy)
  const activatesAtSeconds = Math.floor(Date.now() / 1000) - 60
  const terms = { proposalId, expectedVersion, activatesAtSeconds, policy }
  await apply(blockNumber, { name: 'PolicyProposed', ...terms })
  return proposalId
}

describe('the activation of a policy that names the next executor', () => {
  /** The executor whose lane sends it. */
  async function senderOf(): Promise<string | undefined> {
    const [proposal] = await asOwner<{ id: string }>(
      `select id from vault_proposals where organization_id = $1 and state = 'waiting'`,
    )
    await followProposal(service.ctx, { organizationId, id: proposal?.id ?? '' })
    const [row] = await asOwner<{ address: string }>(
      `select b.address from policy_activations a join executor_bindings b on b.id = a.lane_id
       where a.organization_id = $1 and a.state = 'queued'`,
    )
    return row?.address
  }
  const fund = (wei: bigint) =>
    asOwner(`update executor_bindings set native_balance_wei = ${wei}
      where organization_id = $1 and state = 'next'`)

  test('is sent by that executor, so that the old one cannot delay it', async () => {
    await fund(GAS_LOW_WEI)
    await propose(20, { expectedVersion: 1, policy: naming(second) })
    expect(await senderOf()).toBe(second)
  })

  test('is sent by the old one while the next has too little gas', async () => {
    await fund(GAS_LOW_WEI - 1n)
    await propose(20, { expectedVersion: 1, policy: naming(second) })
    expect(await senderOf()).toBe(first)
    await fund(GAS_LOW_WEI)
    expect(await senderOf()).toBe(second)
  })
})

describe('the next executor', () => {
  test('stays next while no policy in force names it', async () => {
    expect(await states()).toEqual(['active', 'next'])
  })

  test('is active as soon as a policy names it, and the one before drains', async () => {
    await apply(20, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
  })

  test('takes over by a policy that the service did not prepare, too', async () => {
    await apply(20, configured(2, anAddress()))
    expect(await states()).toEqual(['active', 'next'])
    await apply(21, configured(3, second))
    expect(await states()).toEqual(['draining', 'active'])
  })

  test('is next again after a rollback of its policy', async () => {
    await apply(20, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
    await rollBack(19)
    expect(await states()).toEqual(['active', 'next'])
  })

  test('stays next when the policy that names it is vetoed', async () => {
    const proposalId = await propose(20, { expectedVersion: 1, policy: naming(second) })
    expect(await states()).toEqual(['active', 'next'])
    await apply(21, { name: 'PolicyVetoed', proposalId, by: anAddress() })
    expect(await states()).toEqual(['active', 'next'])
  })

  test('stays next while another proposal supersedes the one that names it', async () => {
    await propose(20, { expectedVersion: 1, policy: naming(second) })
    await propose(21, { expectedVersion: 1, policy: { ...naming(second), approvedCap: 4n } })
    expect(await states()).toEqual(['active', 'next'])
    await propose(22, { expectedVersion: 1, policy: naming(first) })
    expect(await states()).toEqual(['active', 'next'])
    await apply(23, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
  })

  test('is skipped by a policy that names a later one', async () => {
    const third = await bindNext()
    await apply(20, configured(2, third))
    expect(await states()).toEqual(['draining', 'draining', 'active'])
    await reach(1_000)
    expect(await states()).toEqual(['disabled', 'disabled', 'active'])
  })
})

describe('an executor that drains', () => {
  test('is retired once its last policy is replaced for good', async () => {
    const { confirmations } = service.ctx.chain
    await apply(20, configured(2, second))
    await reach(20 + confirmations - 2)
    expect(await states()).toEqual(['draining', 'active'])
    expect(await states()).toEqual(['draining', 'active'])
    await reach(20 + confirmations - 1)
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('is active again if a policy names it before it is retired', async () => {
    await apply(20, configured(2, second))
    expect(await states()).toEqual(['draining', 'active'])
    await apply(21, configured(3, first))
    expect(await states()).toEqual(['active', 'next'])
  })

  test('stays retired when a policy names it later', async () => {
    await replaceFirst()
    await states()
    expect(await states()).toEqual(['disabled', 'active'])
    await apply(1_001, configured(3, first))
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('waits for a proposal that names it', async () => {
    await replaceFirst()
    const proposalId = await propose(1_001, { expectedVersion: 2, policy: naming(first) })
    await states()
    expect(await states()).toEqual(['draining', 'active'])
    await apply(1_002, { name: 'PolicyVetoed', proposalId, by: anAddress() })
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('is retired when the proposal that names it is superseded', async () => {
    await replaceFirst()
    await propose(1_001, { expectedVersion: 2, policy: naming(first) })
    await states()
    expect(await states()).toEqual(['draining', 'active'])
    await propose(1_002, { expectedVersion: 2, policy: naming(second) })
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('waits for an intent that names it, whose transaction may still be sent', async () => {
    await replaceFirst()
    await asOwner(
      `insert into policy_intents (id, organization_id, vault_id, expected_version,
         executor_address, approver_addresses, recipient_addresses, approved_cap, automatic_cap,
         lifetime_cap, reserve_floor, expires_at, automatic_enabled, paused, changes, transaction,
         state, created_by_account_id, created_at, updated_at)
       select gen_random_uuid(), v.organization_id, v.id, 1, b.address, '{}', '{}', 1, 1, 1, 0,
         now(), true, false, '{}', '{}', 'prepared', o.created_by_account_id, now(), now()
       from vaults v, executor_bindings b, organizations o
       where v.organization_id = $1 and b.organization_id = v.organization_id
         and o.id = v.organization_id and b.state = 'active'`,
    )
    await states()
    expect(await states()).toEqual(['draining', 'active'])
    await asOwner(`update policy_intents set state = 'failed' where organization_id = $1`)
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('settles an activation of its lane before it is retired', async () => {
    await replaceFirst()
    await asOwner(
      `insert into policy_activations (organization_id, id, vault_id, lane_id, state)
       select v.organization_id, gen_random_uuid(), v.id, b.id, 'broadcast'
       from vaults v join executor_bindings b using (organization_id)
       where v.organization_id = $1 and b.state = 'active'`,
    )
    await states()
    expect(await states()).toEqual(['draining', 'active'])
    await asOwner(`update policy_activations set state = 'failed' where organization_id = $1`)
    expect(await states()).toEqual(['disabled', 'active'])
  })

  test('records each change once in the audit trail', async () => {
    await replaceFirst()
    for (const _pass of [1, 2, 3]) await states()
    const rows = await asOwner<{ action: string }>(
      `select action from audit_events where organization_id = $1
       and aggregate_type = 'executor' order by seq`,
    )
    const actions = ['executor.replaced', 'executor.activated', 'executor.retired']
    expect(rows.map(({ action }) => action)).toEqual(actions)
  })
})
