/**
 * `npm run demo` runs the whole story in the terminal, over HTTP only. It uses the service on
 * DEV_PORT, or starts one in a temporary folder and stops it afterwards.
 */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import type { Pins } from '@countersign/proof/evidence-pins.ts'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { readDevConfig, readEnvironment } from '#platform/config/config.ts'
import { sha256 } from '#platform/digest.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand, say } from '#platform/terminal.ts'
import {
  type Body,
  type DemoFile,
  type DemoService,
  download,
  fund,
  get,
  makeWallet,
  post,
  put,
  readAbout,
  signIn,
  until,
} from './demo-client.ts'
import { payApproved, payAutomatically } from './demo-expenses.ts'
import { isRunning, withOwnService } from './demo-service.ts'
import { print, printChapter, type Stage, tokenAbi, USDC, usdc } from './demo-stage.ts'

/** With the codes of the accountant's chart of accounts. */
const categories = [
  { code: '6100', name: 'Printing' },
  { code: '6200', name: 'Delivery' },
]

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
  await put(`${org}/categories`, manager, { categories })
  print('The manager sets the categories of expenses: 6100 Printing and 6200 Delivery.')
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
  const token = { address: about.tokenAddress, abi: tokenAbi }
  await ownerWallet.call({ ...token, functionName: 'approve', args: [vault.address, amount] })
  await ownerWallet.call({
    address: vault.address,
    abi: tokenAbi,
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

/** Like `npm run verify` with `--rpc`, every pin and the invoice. */
async function verifyEvidence(
  { rpc }: DemoService,
  { evidence, pins, invoice }: { evidence: Evidence; pins: Pins; invoice: DemoFile },
): Promise<void> {
  printChapter('The evidence of the first payment, verified on chain without the service')
  const witnesses = [createPaymentWitness(rpc)]
  const files = [{ name: invoice.name, sha256: sha256(invoice.bytes).toString('hex') }]
  const { verdict, findings } = await checkEvidence(evidence, { witnesses, pins, files })
  for (const { link, holds } of findings) print(`${holds ? 'ok ' : 'NO '} ${link}`)
  if (verdict !== 'verified') throw new StartupError(`The evidence is ${verdict}.`)
}

/** What the accountant imports, and its sums. */
async function exportPayments({ org, manager }: Stage): Promise<void> {
  printChapter('The payments as a file for the accountant, in the format of Xero')
  const lines = await download(`${org}/exports/payments.csv?format=xero`, manager)
  for (const line of lines.trimEnd().split('\r\n')) print(line)
  const { groups, total } = await get(`${org}/spending?by=category`, manager)
  const sums = groups.map(({ label, amountBaseUnits }: Body) => `${label} ${usdc(amountBaseUnits)}`)
  print(`By category: ${sums.join(', ')}; in total ${usdc(total)}.`)
}

async function runStory(helper: string): Promise<void> {
  const about = await readAbout(helper)
  const stage = await setUpMembers(helper, about)
  const { payee, pins } = await setUpTreasury(stage)
  const { detail, invoice } = await payApproved(stage, payee)
  await payAutomatically(stage, payee)
  await verifyEvidence(about, { evidence: detail.evidence, pins, invoice })
  await exportPayments(stage)
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
