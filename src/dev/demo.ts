/**
 * `npm run demo`: the whole story in the terminal, through HTTP only. It uses a service that runs
 * on DEV_PORT; where none does, it starts one in a folder of its own and stops it afterwards.
 */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Pins } from '@countersign/proof/evidence-pins.ts'
import { parseAbi } from 'viem'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { readDevConfig, readEnvironment } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand, say } from '#platform/terminal.ts'
import {
  type About,
  type Body,
  fund,
  get,
  makeWallet,
  type Person,
  post,
  readAbout,
  signIn,
  until,
  type Wallet,
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
  about: About
  org: string
  owner: Person
  manager: Person
  employee: Person
  ownerWallet: Wallet
  approverWallet: Wallet
  supplier: Wallet
}

let chapter = 0
const tell = (line: string): void => say(`     ${line}`)
function open(title: string): void {
  chapter += 1
  say(`\n ${String(chapter).padStart(2)}. ${title}`)
}

async function people(helper: string, about: About): Promise<Stage> {
  open('Three people, each with a token of the identity provider')
  const [ownerWallet, approverWallet] = [makeWallet(about), makeWallet(about)]
  const at = { helper, api: about.api }
  const owner = await signIn(at, { name: 'owner', wallets: [ownerWallet] })
  const manager = await signIn(at, { name: 'manager', wallets: [approverWallet] })
  const employee = await signIn(at, { name: 'employee' })
  await fund(helper, ownerWallet, { native: '1000000000000000000', token: String(500n * USDC) })
  tell('The keys of their wallets stay in this terminal; the service never sees one.')

  open('An organization, and who may do what in it')
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
  tell('The owner holds the treasury wallet, the manager the approver wallet.')
  const supplier = makeWallet(about)
  return { about, org, owner, manager, employee, ownerWallet, approverWallet, supplier }
}

async function treasury({ about, org, owner, ownerWallet, supplier }: Stage) {
  open("A vault on the chain, deployed from the owner's own wallet")
  const deployment = await post(`${org}/vault-deployments/prepare`, owner, { label: 'Main' })
  const transactionHash = await ownerWallet.send(deployment.transaction)
  const confirm = `${org}/vault-deployments/${deployment.id}/confirm`
  const confirmed = await until(
    () => post(confirm, owner, { transactionHash }),
    ({ state }) => state === 'confirmed',
    'the vault',
  )
  const { vault } = confirmed
  tell(`${vault.address}: its code, owner, token and organization were checked on the chain.`)

  open('An executor, a recipient, and a policy that the owner signs')
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
  tell(`Before signing, the owner sees what changes: ${intent.changes.recipients.added.length}`)
  tell(`recipient and ${intent.changes.approvers.added.length} approver more, and the caps.`)
  const policyHash = await ownerWallet.send(intent.transaction)
  await until(
    () =>
      post(`${org}/vaults/${vault.id}/policy-intents/${intent.id}/confirm`, owner, {
        transactionHash: policyHash,
      }),
    ({ state }) => state === 'confirmed',
    'the policy',
  )
  tell('100 USDC a payment with a signature, 20 without, 400 in all, 50 always stay.')

  open('Money for the vault')
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
  tell(`The books say ${usdc(overview.balanceBaseUnits)}, as the chain does.`)
  const pins: Pins = {
    vault: vault.address,
    owner: ownerWallet.address,
    organizationHash: deployment.organizationHash,
    token: about.tokenAddress,
  }
  return { payee: { vaultId: vault.id, recipientId: recipient.id }, pins }
}

type Payee = { vaultId: string; recipientId: string }

/** Created, submitted and analysed; returns it with its report. */
async function ask(
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
  tell(`${checks.length} checks: risk ${riskScore} of 100, recommendation: ${recommendation}.`)
  return expense
}

async function approved(stage: Stage, payee: Payee): Promise<Body> {
  const { org, manager, approverWallet } = stage
  open('The employee asks for 75 USDC; the analysis looks at it')
  const purpose = 'Printing of 500 copies of the annual report, invoice 2026-118'
  const amountBaseUnits = String(75n * USDC)
  const terms = { ...payee, purpose, amountBaseUnits, requestedMode: 'approved' }
  const { id } = await ask(stage, terms, ['needs_review'])

  open('The manager reviews it, reads what there is to sign, and signs')
  const reason = 'Ordered by us, and delivered'
  const review = { expectedVersion: 1, action: 'advance_to_approval', reason }
  await post(`${org}/expenses/${id}/review`, manager, review)
  const typedData = await post(`${org}/expenses/${id}/approvals/prepare`, manager, {
    expectedVersion: 1,
  })
  const { recipient, amount } = typedData.message
  tell(`To be signed: ${usdc(amount)} to ${recipient}, and the hashes of revision and report.`)
  const signature = await approverWallet.sign(typedData)
  const { approvalId } = typedData
  const signed = { expectedVersion: 1, approvalId, signature }
  await post(`${org}/expenses/${id}/approvals/submit-signature`, manager, signed)
  return paid(stage, id)
}

/** The balance is read from the chain, not from the service. */
async function paid({ about, org, employee, supplier }: Stage, id: string): Promise<Body> {
  const expense = await until(
    () => get(`${org}/expenses/${id}`, employee),
    ({ state }) => state === 'paid',
    'the payment',
  )
  const detail = await get(`${org}/payments/${expense.paymentId}`, employee)
  const { transactionHash, blockNumber } = detail.receipt
  tell(`Paid by ${transactionHash} in block ${blockNumber}.`)
  const token = { address: about.tokenAddress, abi, functionName: 'balanceOf' }
  const balance = await supplier.read({ ...token, args: [supplier.address] })
  tell(`The supplier now has ${usdc(balance)}.`)
  return detail
}

async function automatic(stage: Stage, payee: Payee): Promise<void> {
  open('12 USDC more, without a person: small, clean, and inside the policy')
  const purpose = 'Courier for the proofs of the annual report, receipt 8841'
  const amountBaseUnits = String(12n * USDC)
  const terms = { ...payee, purpose, amountBaseUnits, requestedMode: 'automatic' }
  const released = ['automatic_ready_for_payment', 'executing', 'reconciling', 'paid']
  const { id } = await ask(stage, terms, released)
  await paid(stage, id)
}

/** As `npm run verify` does it with `--rpc` and every pin. */
async function proof({ rpc }: About, { evidence }: Body, pins: Pins): Promise<void> {
  open('Why the first payment left, checked on the chain without the service')
  const witnesses = [createPaymentWitness(rpc)]
  const { verdict, findings } = await checkEvidence(evidence, { witnesses, pins })
  for (const { link, holds } of findings) tell(`${holds ? 'ok ' : 'NO '} ${link}`)
  if (verdict !== 'verified') throw new StartupError(`The evidence is ${verdict}.`)
}

async function story(helper: string): Promise<void> {
  const about = await readAbout(helper)
  const stage = await people(helper, about)
  const { payee, pins } = await treasury(stage)
  const first = await approved(stage, payee)
  await automatic(stage, payee)
  await proof(about, first, pins)
}

async function main(): Promise<string> {
  const { devPort } = readDevConfig(readEnvironment())
  const helper = `http://127.0.0.1:${devPort}`
  const began = performance.now()
  if (await isRunning(helper)) {
    await story(helper)
  } else {
    say('No service runs here, so the demo starts one of its own.')
    await withOwnService(story)
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  return `\nDone in ${seconds} s. Every step went through HTTP, as an application would go.`
}

await runCommand(main)
