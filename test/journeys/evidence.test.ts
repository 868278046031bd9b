/** The service's own evidence and prepared transactions, checked without the service. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import { isEvidence, shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { decodeOwnerTransaction } from '@countersign/proof/owner-call.ts'
import { parseJsonTransaction } from '@countersign/proof/owner-call-input.ts'
import { compareWithStatement } from '@countersign/proof/owner-call-statement.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import type { Answer } from '#test/support/app.ts'
import {
  approve,
  awaitingApproval,
  joinApprover,
  openPayingHouse,
  type PayingHouse,
  readPayment,
  renewPolicy,
  submitAutomatic,
  untilState,
} from '#test/support/payments.ts'
import {
  key,
  prepareDeployment,
  preparePolicy,
  startTreasury,
  type Treasury,
} from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 })

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

/** With a node and every pin. */
async function verify(paymentId: string, payer = house) {
  const { evidence } = await readPayment(payer, paymentId)
  if (!isEvidence(evidence)) throw new Error(shapeProblems(evidence).join('\n'))
  const { verdict, findings } = await checkEvidence(evidence, {
    witnesses: [createPaymentWitness(treasury.chain.rpcUrl)],
    confirmations: 1,
    pins: {
      vault: payer.vault.address,
      owner: payer.ownerWallet.address,
      token: treasury.chain.tokenAddress,
    },
  })
  expect(findings.filter(({ holds }) => !holds)).toEqual([])
  const details = Object.fromEntries(findings.map(({ link, detail }) => [link, detail]))
  return { verdict, details, evidence }
}

async function paidBySignature(payer = house): Promise<string> {
  const expense = await awaitingApproval(payer)
  await approve(payer, expense)
  await untilState(payer, expense.id, 'paid')
  return expense.paymentId
}

test('the chain confirms the evidence of a signed and of an automatic payment', async () => {
  expect((await verify(await paidBySignature())).verdict).toBe('verified')
  const unattended = await submitAutomatic(house)
  await untilState(house, unattended.id, 'paid')
  expect((await verify(unattended.paymentId)).verdict).toBe('verified')
})

test('the chain confirms the evidence of two signatures in a spending period', async () => {
  const second = await joinApprover(house)
  await renewPolicy(house, {
    automaticCap: '1',
    tiers: [{ above: '1', approvals: 2 }],
    periodSeconds: 86_400,
    periodCap: '90000000',
    automaticPeriodCap: '1',
  })
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).body.state).toBe('reserved')
  // A worker may have taken it before it was read for the answer.
  expect((await approve(house, expense, second)).body.state).not.toBe('reserved')
  await untilState(house, expense.id, 'paid')
  const { verdict, evidence, details } = await verify(expense.paymentId)
  expect([verdict, evidence.approvals.length]).toEqual(['verified', 2])
  expect(details['chain: as many approvers as the amount needs']).toBe('2 of 2')
  expect(details['chain: within the period']).toContain(' of at most 90000000, ')
})

test('the chain confirms where a policy waited, and that the first one did not', async () => {
  const waiting = await openPayingHouse(treasury, { changeDelaySeconds: 2 })
  const link = 'chain: the policy waited'
  const first = await verify(await paidBySignature(waiting), waiting)
  expect([first.verdict, first.evidence.policy?.proposal]).toEqual(['verified', null])
  expect(first.details[link]).toBe('not needed: it was the first')

  await renewPolicy(waiting, { reserveFloor: '1' })
  const second = await verify(await paidBySignature(waiting), waiting)
  const { chainTransactionHash, proposal } = second.evidence.policy ?? {}
  expect([second.verdict, proposal?.transactionHash === chainTransactionHash]).toEqual([
    'verified',
    false,
  ])
  expect(second.details[link]).toBe(`at least 2 seconds, until ${proposal?.activatesAt}`)
})

const differences = (body: Answer['body']) => {
  const { transaction, statement } = parseJsonTransaction(body)
  const decoded = decodeOwnerTransaction(transaction)
  return { call: decoded.call.name, found: compareWithStatement(decoded, statement ?? {}) }
}

test('every prepared transaction does what its answer states', async () => {
  const inForce = { approvedCap: '50000000', automaticCap: '1', lifetimeCap: '90000000' }
  const prepared = async (terms: Record<string, unknown> = {}) => {
    const vaultId = house.vault.id
    const answer = await preparePolicy(treasury, house, {
      vaultId,
      terms: { ...inForce, ...terms },
    })
    expect(answer.status).toBe(201)
    return differences(answer.body)
  }
  const without = { tiers: null, periodSeconds: null, periodCap: null, automaticPeriodCap: null }
  expect(await prepared(without)).toEqual({ call: 'configurePolicy', found: [] })
  const added = await treasury.service.call('POST', `${house.path}/recipients`, {
    token: house.owner.token,
    headers: key(),
    body: { label: 'Papers Ltd', address: `0x${'9'.repeat(40)}`, chainId: 31_337 },
  })
  expect(added.status).toBe(201)
  expect(await prepared()).toEqual({ call: 'changeRecipients', found: [] })
  const both = { reserveFloor: '1' }
  expect(await prepared(both)).toEqual({ call: 'configurePolicyAndRecipients', found: [] })
  const deployment = await prepareDeployment(treasury, house)
  expect(differences(deployment)).toEqual({ call: 'deployVault', found: [] })
})
