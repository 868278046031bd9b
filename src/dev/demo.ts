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
  type DemoFile,
  type DemoService,
  fund,
  makeWallet,
  must,
  type Person,
  readAbout,
  signIn,
} from './demo-client.ts'
import { meetPeriodCap, payApproved, payAutomatically } from './demo-expenses.ts'
import { isRunning, withOwnService } from './demo-service.ts'
import { print, printChapter, type Stage, USDC, usdc } from './demo-stage.ts'
import { setUpTreasury } from './demo-treasury.ts'

/** With the codes of the accountant's chart of accounts. */
const categories = [
  { code: '6100', name: 'Printing' },
  { code: '6200', name: 'Delivery' },
]

async function setUpMembers(helper: string, about: DemoService): Promise<Stage> {
  printChapter('Four people sign in with the identity provider')
  const [ownerWallet, approverWallet] = [makeWallet(about), makeWallet(about)]
  const directorWallet = makeWallet(about)
  const at = { helper, api: about.api }
  const owner = await signIn(at, { name: 'owner', wallets: [ownerWallet] })
  const manager = await signIn(at, { name: 'manager', wallets: [approverWallet] })
  const director = await signIn(at, { name: 'director', wallets: [directorWallet] })
  const employee = await signIn(at, { name: 'employee' })
  await fund(helper, ownerWallet, { native: '1000000000000000000', token: String(500n * USDC) })
  print('The keys of their wallets stay in this terminal; the service never sees one.')

  printChapter('An organization with members and wallet roles')
  const made = await owner.client.call('createOrganization', { body: { name: 'Demo Limited' } })
  const path = { organizationId: must(made).id }
  const invited = [
    { person: manager, role: 'manager' },
    { person: director, role: 'manager' },
    { person: employee, role: 'employee' },
  ] as const
  for (const { person, role } of invited) {
    const invitation = must(await owner.client.call('createInvitation', { path, body: { role } }))
    const accepting = { path: { token: invitation.inviteToken } }
    must(await person.client.call('acceptInvitation', accepting))
  }
  await assignRole({ path, owner }, owner, 'treasury_owner')
  await assignRole({ path, owner }, manager, 'approver')
  await assignRole({ path, owner }, director, 'approver')
  print('The owner holds the treasury wallet; the manager and the director hold approver wallets.')
  must(await manager.client.call('setCategories', { path, body: { categories } }))
  print('The manager sets the categories of expenses: 6100 Printing and 6200 Delivery.')
  const supplier = makeWallet(about)
  const people = { owner, manager, director, employee }
  const wallets = { ownerWallet, approverWallet, directorWallet, supplier }
  return { about, path, ...people, ...wallets }
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
  await meetPeriodCap(stage, payee)
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
