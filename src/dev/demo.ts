/**
 * `npm run demo` runs the whole story in the terminal, over HTTP only. It uses the service on
 * DEV_PORT, or starts one in a temporary folder and stops it afterwards.
 */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Pins } from '@countersign/proof/evidence-pins.ts'
import { parseAbi } from 'viem'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { readDevConfig, readEnvironment } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand, say } from '#platform/terminal.ts'
import {
  type Body,
  type DemoService,
  type DemoWallet,
  fund,
  get,
  makeWallet,
  type Person,
  post,
  readAbout,
  signIn,
  until,
} from './demo-client.ts'
import { isRunning, withOwnService } from './demo-service.ts'

const USDC = 1_000_000n

const abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function deposit(uint256 amount)',
])

const usdc = (baseUnits: bigint | string): string => {
  const amount = BigInt(baseUnits)
  const cents = ((amount % USDC) / 10_000n).toString().padStart(2, '0')
  return `${amount / USDC}.${cents} USDC`
}

type Stage = {
  about: DemoService
  org: string
  owner: Person
  manager: Person
  employee: Person
  ownerWallet: DemoWallet
  approverWallet: DemoWallet
  supplier: DemoWallet
}

let chapter = 0
const print = (line: string): void => say(`     ${line}`)
function printChapter(title: string): void {
  chapter += 1
  say(`\n ${String(chapter).padStart(2)}. ${title}`)
}

async function setUpMembers(helper: string, about: DemoService): Promise<Stage> {
  printChapter('Three people sign in with the identity provider')
  const [ownerWallet, approverWallet] = [makeWallet(about), makeWallet(about)]
  const at = { helper, api: about.api }
  const owner = await signIn(at, { name: 'owner', wallets: [ownerWallet] })
  const manager = await signIn(at, { name: 'manager', wallets: [approverWallet] })
  const employee = await signIn(at, { name: 'employee' })
  await fund(helper, ownerWallet, { native: '1000000000000000000', token: String(500n * USDC) })
  print('The keys of their wallets stay in this terminal; the service never sees one.')

  printChapter('An organization with members and wallet roles')
  const consumer = `${about.api}/v1/consumer`
  const { id } = await post(`${consumer}/organizations`, owner, { name: 'Demo Limited' })
  const org = `${consumer}/organizations/${id}`
  for (const [person, role] of [
    [manager, 'manager'],
    [employee, 'employee'],
  ] as const) {
    const { inviteToken } = await post(`${org}/invitations`, owner, { role })
    await post(`${consumer}/invitations/${inviteToken}/accept`, person)
  }
  const { members } = await get(`${org}/members`, owner)
  const roles = [
    [owner, 'treasury_owner'],
    [manager, 'approver'],
  ] as const
  for (const [person, role] of roles) {
    const { membershipId } = members.find((m: Body) => m.accountId === person.accountId)
    await post(`${org}/wallet-roles`, owner, { membershipId, walletId: person.wallets[0].id, role })
  }
  print('The owner holds the treasury wallet, the manager the approver wallet.')
  const supplier = makeWallet(about)
  return { about, org, owner, manager, employee, ownerWallet, approverWallet, supplier }
}

async function setUpTreasury({ about, org, owner, ownerWallet, supplier }: Stage) {
  printChapter("A vault on chain, deployed from the owner's own wallet")
  const deployment = await post(`${org}/vault-deployments/prepare`, owner, { label: 'Main' })
  const transactionHash = await ownerWallet.send(deployment.transaction)
  const confirm = `${org}/vault-deployments/${deployment.id}/confirm`
  const confirmed = await until(
    () => post(confirm, owner, { transactionHash }),
    ({ state }) => state === 'confirmed',
    'the vault',
  )
  const { vault } = confirmed
  print(`${vault.address}: its code, owner, token and organization are verified on chain.`)

  printChapter('An executor, a recipient and a policy that the owner signs')
  await post(`${org}/executor/provision`, owner)
  const isThere = ({ binding }: Body) => binding !== null && binding.nativeBalanceWei !== '0'
  await until(() => get(`${org}/executor`, owner), isThere, 'the executor and its gas')
  const recipient = await post(`${org}/recipients`, owner, {
    label: 'Printers Limited',
    address: supplier.address,
    chainId: about.chainId,
  })
  const intent = await post(`${org}/vaults/${vault.id}/policy-intents/prepare`, owner, {
    approvedCap: String(100n * USDC),
    automaticCap: String(20n * USDC),
    lifetimeCap: String(400n * USDC),
    reserveFloor: String(50n * USDC),
    expiresAt: '2099-01-01T00:00:00Z',
    automaticEnabled: true,
    paused: false,
  })
  print(`Before signing, the owner sees the changes: ${intent.changes.recipients.added.length}`)
  print(`new recipient, ${intent.changes.approvers.added.length} new approver, and the caps.`)
  const policyHash = await ownerWallet.send(intent.transaction)
  await until(
    () =>
      post(`${org}/vaults/${vault.id}/policy-intents/${intent.id}/confirm`, owner, {
        transactionHash: policyHash,
      }),
    ({ state }) => state === 'confirmed',
    'the policy',
  )
  print('Caps: 100 USDC per signed payment, 20 automatic, 400 in total; 50 stay in reserve.')

  printChapter('A deposit into the vault')
  const amount = 300n * USDC
  const token = { address: about.tokenAddress, abi }
  await ownerWallet.call({ ...token, functionName: 'approve', args: [vault.address, amount] })
  await ownerWallet.call({
    address: vault.address,
    abi,
    functionName: 'deposit',
    args: [amount],
  })
  const overview = await until(
    () => get(`${org}/overview`, owner),
    ({ balanceBaseUnits }) => balanceBaseUnits === String(amount),
    'the deposit',
  )
  print(`The service shows ${usdc(overview.balanceBaseUnits)}, as the chain does.`)
  const pins: Pins = {
    vault: vault.address,
    owner: ownerWallet.address,
    organizationHash: deployment.organizationHash,
    token: about.tokenAddress,
  }
  return { payee: { vaultId: vault.id, recipientId: recipient.id }, pins }
}

type Payee = { vaultId: string; recipientId: string }

/** Creates and submits an expense and waits for its analysis. */
async function submitExpense(
  { org, employee }: Stage,
  terms: Payee & { purpose: string; amountBaseUnits: string; requestedMode: string },
  states: readonly string[],
) {
  const { id } = await post(`${org}/expenses`, employee, terms)
  await post(`${org}/expenses/${id}/submit`, employee, { expectedVersion: 1 })
  const expense = await until(
    () => get(`${org}/expenses/${id}`, employee),
    ({ state }) => states.includes(state),
    'the analysis',
  )
  const report = await get(`${org}/reports/${expense.currentReportId}`, employee)
  const { riskScore, recommendation, checks } = report.output
  print(`${checks.length} checks: risk ${riskScore} of 100, recommendation: ${recommendation}.`)
  return expense
}

async function payApproved(stage: Stage, payee: Payee): Promise<Body> {
  const { org, manager, approverWallet } = stage
  printChapter('The employee requests 75 USDC, and the analysis checks it')
  const purpose = 'Printing of 500 copies of the annual report, invoice 2026-118'
  const amountBaseUnits = String(75n * USDC)
  const terms = { ...payee, purpose, amountBaseUnits, requestedMode: 'approved' }
  const { id } = await submitExpense(stage, terms, ['needs_review'])

  printChapter('The manager reviews the expense and signs the approval')
  const reason = 'Ordered by us, and delivered'
  const review = { expectedVersion: 1, action: 'advance_to_approval', reason }
  await post(`${org}/expenses/${id}/review`, manager, review)
  const typedData = await post(`${org}/expenses/${id}/approvals/prepare`, manager, {
    expectedVersion: 1,
  })
  const { recipient, amount } = typedData.message
  print(`Signed: ${usdc(amount)} to ${recipient}, with the hashes of revision and report.`)
  const signature = await approverWallet.sign(typedData)
  const { approvalId } = typedData
  const signed = { expectedVersion: 1, approvalId, signature }
  await post(`${org}/expenses/${id}/approvals/submit-signature`, manager, signed)
  return waitUntilPaid(stage, id)
}

/** Reads the balance from the chain, not from the service. */
async function waitUntilPaid({ about, org, employee, supplier }: Stage, id: string): Promise<Body> {
  const expense = await until(
    () => get(`${org}/expenses/${id}`, employee),
    ({ state }) => state === 'paid',
    'the payment',
  )
  const detail = await get(`${org}/payments/${expense.paymentId}`, employee)
  const { transactionHash, blockNumber } = detail.receipt
  print(`Paid by ${transactionHash} in block ${blockNumber}.`)
  const token = { address: about.tokenAddress, abi, functionName: 'balanceOf' }
  const balance = await supplier.read({ ...token, args: [supplier.address] })
  print(`The supplier now has ${usdc(balance)}.`)
  return detail
}

async function payAutomatically(stage: Stage, payee: Payee): Promise<void> {
  printChapter('Another 12 USDC, paid automatically within the policy')
  const purpose = 'Courier for the proofs of the annual report, receipt 8841'
  const amountBaseUnits = String(12n * USDC)
  const terms = { ...payee, purpose, amountBaseUnits, requestedMode: 'automatic' }
  const released = ['automatic_ready_for_payment', 'executing', 'reconciling', 'paid']
  const { id } = await submitExpense(stage, terms, released)
  await waitUntilPaid(stage, id)
}

/** Like `npm run verify` with `--rpc` and every pin. */
async function verifyEvidence({ rpc }: DemoService, { evidence }: Body, pins: Pins): Promise<void> {
  printChapter('The evidence of the first payment, verified on chain without the service')
  const witnesses = [createPaymentWitness(rpc)]
  const { verdict, findings } = await checkEvidence(evidence, { witnesses, pins })
  for (const { link, holds } of findings) print(`${holds ? 'ok ' : 'NO '} ${link}`)
  if (verdict !== 'verified') throw new StartupError(`The evidence is ${verdict}.`)
}

async function runStory(helper: string): Promise<void> {
  const about = await readAbout(helper)
  const stage = await setUpMembers(helper, about)
  const { payee, pins } = await setUpTreasury(stage)
  const first = await payApproved(stage, payee)
  await payAutomatically(stage, payee)
  await verifyEvidence(about, first, pins)
}

async function main(): Promise<string> {
  const { devPort } = readDevConfig(readEnvironment())
  const helper = `http://127.0.0.1:${devPort}`
  const began = performance.now()
  if (await isRunning(helper)) {
    await runStory(helper)
  } else {
    say('No service is running, so the demo starts one.')
    await withOwnService(runStory)
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  return `\nDone in ${seconds} s. Every step used the HTTP API, as an application would.`
}

await runCommand(main)
