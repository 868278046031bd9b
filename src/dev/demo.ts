/**
 * `npm run demo` runs the whole story in the terminal, over HTTP only. It uses the service on
 * DEV_PORT, or starts one in a temporary folder and stops it afterwards.
 */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import type { Pins } from '@countersign/proof/evidence-pins.ts'
import type { Address } from 'viem'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { readDevConfig, readEnvironment } from '#platform/config/config.ts'
import { sha256 } from '#platform/digest.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand, say } from '#platform/terminal.ts'
import {
  type DemoFile,
  type DemoService,
  fund,
  makeWallet,
  must,
  type Person,
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
  const made = await owner.client.call('createOrganization', { body: { name: 'Demo Limited' } })
  const path = { organizationId: must(made).id }
  const invited = [
    { person: manager, role: 'manager' },
    { person: employee, role: 'employee' },
  ] as const
  for (const { person, role } of invited) {
    const invitation = must(await owner.client.call('createInvitation', { path, body: { role } }))
    const accepting = { path: { token: invitation.inviteToken } }
    must(await person.client.call('acceptInvitation', accepting))
  }
  await assignRole({ path, owner }, owner, 'treasury_owner')
  await assignRole({ path, owner }, manager, 'approver')
  print('The owner holds the treasury wallet, the manager the approver wallet.')
  must(await manager.client.call('setCategories', { path, body: { categories } }))
  print('The manager sets the categories of expenses: 6100 Printing and 6200 Delivery.')
  const supplier = makeWallet(about)
  return { about, path, owner, manager, employee, ownerWallet, approverWallet, supplier }
}

async function assignRole(
  { path, owner }: Pick<Stage, 'path' | 'owner'>,
  { accountId, wallets: [wallet] }: Person,
  role: 'treasury_owner' | 'approver',
): Promise<void> {
  const { members } = must(await owner.client.call('listMembers', { path }))
  const member = members.find((one) => one.accountId === accountId)
  const body = { membershipId: member?.membershipId ?? '', walletId: wallet?.id ?? '', role }
  must(await owner.client.call('assignWalletRole', { path, body }))
}

type Vault = { id: string; address: Address; organizationHash: string }

async function deployVault({ path, owner: { client }, ownerWallet }: Stage): Promise<Vault> {
  printChapter("A vault on chain, deployed from the owner's own wallet")
  const label = { label: 'Main' }
  const deployment = must(await client.call('prepareVaultDeployment', { path, body: label }))
  const transactionHash = await ownerWallet.send(deployment.transaction)
  const confirming = {
    path: { ...path, intentId: deployment.id },
    body: { transactionHash },
  }
  const { vault } = await until(
    () => client.call('confirmVaultDeployment', confirming),
    ({ state }) => state === 'confirmed',
    'the vault',
  )
  if (!vault) throw new StartupError('The deployment has no vault.')
  print(`${vault.address}: its code, owner, token and organization are verified on chain.`)
  const { organizationHash } = deployment
  return { id: vault.id, address: vault.address as Address, organizationHash }
}

/** Returns the recipient's id. */
async function setUpPolicy(stage: Stage, { id: vaultId }: Vault): Promise<string> {
  const { about, path, ownerWallet, supplier } = stage
  const { client } = stage.owner
  printChapter('An executor, a recipient and a policy that the owner signs')
  must(await client.call('provisionExecutor', { path }))
  await until(
    () => client.call('getExecutor', { path }),
    ({ binding }) => binding !== null && binding.nativeBalanceWei !== '0',
    'the executor and its gas',
  )
  const payee = {
    label: 'Printers Limited',
    address: supplier.address,
    chainId: about.chainId,
  }
  const recipient = must(await client.call('addRecipient', { path, body: payee }))
  const terms = {
    approvedCap: String(100n * USDC),
    automaticCap: String(20n * USDC),
    lifetimeCap: String(400n * USDC),
    reserveFloor: String(50n * USDC),
    expiresAt: '2099-01-01T00:00:00Z',
    automaticEnabled: true,
    paused: false,
  }
  const preparing = { path: { ...path, vaultId }, body: terms }
  const { id, changes, transaction } = must(await client.call('preparePolicy', preparing))
  print(`Before signing, the owner sees the changes: ${changes?.recipients.added.length}`)
  print(`new recipient, ${changes?.approvers.added.length} new approver, and the caps.`)
  const transactionHash = await ownerWallet.send(transaction)
  const confirming = { path: { ...path, vaultId, intentId: id }, body: { transactionHash } }
  await until(
    () => client.call('confirmPolicy', confirming),
    ({ state }) => state === 'confirmed',
    'the policy',
  )
  print('Caps: 100 USDC per signed payment, 20 automatic, 400 in total; 50 stay in reserve.')
  return recipient.id
}

async function deposit(stage: Stage, { address: vault }: Vault): Promise<void> {
  const { about, path, owner, ownerWallet } = stage
  printChapter('A deposit into the vault')
  const amount = 300n * USDC
  const abi = tokenAbi
  const token = { address: about.tokenAddress, abi }
  await ownerWallet.call({ ...token, functionName: 'approve', args: [vault, amount] })
  await ownerWallet.call({ address: vault, abi, functionName: 'deposit', args: [amount] })
  const overview = await until(
    () => owner.client.call('getTreasuryOverview', { path }),
    ({ balanceBaseUnits }) => balanceBaseUnits === String(amount),
    'the deposit',
  )
  print(`The service shows ${usdc(overview.balanceBaseUnits ?? 0n)}, as the chain does.`)
}

async function setUpTreasury(stage: Stage) {
  const vault = await deployVault(stage)
  const recipientId = await setUpPolicy(stage, vault)
  await deposit(stage, vault)
  const pins: Pins = {
    vault: vault.address,
    owner: stage.ownerWallet.address,
    organizationHash: vault.organizationHash,
    token: stage.about.tokenAddress,
  }
  return { payee: { vaultId: vault.id, recipientId }, pins }
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
async function exportPayments({ path, manager: { client } }: Stage): Promise<void> {
  printChapter('The payments as a file for the accountant, in the format of Xero')
  const query = { format: 'xero' } as const
  const lines = must(await client.call('exportPayments', { path, query, as: 'text' }))
  for (const line of lines.trimEnd().split('\r\n')) print(line)
  const spending = { path, query: { by: 'category' } } as const
  const { groups, total } = must(await client.call('getSpending', spending))
  const sums = groups.map(({ label, amountBaseUnits }) => `${label} ${usdc(amountBaseUnits)}`)
  print(`By category: ${sums.join(', ')}; in total ${usdc(total)}.`)
}

async function runStory(helper: string): Promise<void> {
  const about = await readAbout(helper)
  const stage = await setUpMembers(helper, about)
  const { payee, pins } = await setUpTreasury(stage)
  const { payment, invoice } = await payApproved(stage, payee)
  await payAutomatically(stage, payee)
  await verifyEvidence(about, { evidence: payment.evidence as Evidence, pins, invoice })
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
  return `\nDone in ${seconds} s. Every step used the client, as an application would.`
}

await runCommand(main)
