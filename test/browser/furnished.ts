import type { Address, Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import {
  type DemoService,
  type DemoWallet,
  fund,
  makeWallet,
  must,
  openSessionAs,
  type Person,
  readAbout,
  until,
} from '#dev/demo-client.ts'
import { makeInvoice } from '#dev/demo-invoice.ts'
import { tokenAbi, USDC } from '#dev/demo-stage.ts'
import type { Service } from '#test/processes/service.ts'

/** Signs in on the provider's page by the same name, and is the same person there. */
export type Colleague = Person & { name: string; key: Hex; wallet: DemoWallet }

export type Furnished = {
  about: DemoService
  /** Of every operation. */
  path: { organizationId: string }
  /** Of the organization's screens. */
  screens: string
  owner: Colleague
  approver: Colleague
  employee: Colleague
  vault: { id: string; address: Address }
  recipient: { id: string; label: string; address: Address }
}

const GAS_WEI = String(10n ** 18n)
const DEPOSIT = 5_000n * USDC
/** Enough for the deposits of a few vaults. */
const COINS = 4n * DEPOSIT

export const TERMS = {
  approvedCap: String(1_000n * USDC),
  automaticCap: String(50n * USDC),
  lifetimeCap: String(4_000n * USDC),
  reserveFloor: String(100n * USDC),
  expiresAt: '2099-01-01T00:00:00Z',
  automaticEnabled: true,
  paused: false,
}

type Place = { helper: string; about: DemoService }

export async function meet({ helper, about }: Place, name: string, coins = 0n): Promise<Colleague> {
  // As the development provider makes subjects of names.
  const subject = name.toLowerCase().replaceAll(' ', '-')
  const email = `${subject}@countersign.example`
  const person = await openSessionAs({ helper, api: about.api }, { subject, name, email })
  const key = generatePrivateKey()
  const wallet = makeWallet(about, key)
  await fund(helper, wallet, { native: GAS_WEI, token: String(coins) })
  return { ...person, name, key, wallet }
}

type Own = Pick<Furnished, 'path' | 'owner'>

export async function join({ path, owner }: Own, person: Person, role: 'manager' | 'employee') {
  const { inviteToken } = must(
    await owner.client.call('createInvitation', { path, body: { role } }),
  )
  must(await person.client.call('acceptInvitation', { path: { token: inviteToken } }))
}

export async function giveRole(
  { path, owner }: Own,
  { client, wallet, accountId }: Colleague,
  role: 'treasury_owner' | 'approver',
): Promise<void> {
  const asked = { body: { address: wallet.address } }
  const { challengeId, message } = must(await client.call('challengeWalletLink', asked))
  const signature = await wallet.signMessage(message)
  const linked = must(await client.call('linkWallet', { body: { challengeId, signature } }))
  const { members } = must(await owner.client.call('listMembers', { path }))
  const membershipId = members.find((one) => one.accountId === accountId)?.membershipId ?? ''
  const body = { membershipId, walletId: linked.id, role }
  must(await owner.client.call('assignWalletRole', { path, body }))
}

type Deposit = (vault: Address) => Promise<void>

const depositOf =
  ({ owner: { wallet }, about }: Pick<Furnished, 'owner' | 'about'>): Deposit =>
  async (vault) => {
    const token = { address: about.tokenAddress, abi: tokenAbi }
    await wallet.call({ ...token, functionName: 'approve', args: [vault, DEPOSIT] })
    await wallet.call({ address: vault, abi: tokenAbi, functionName: 'deposit', args: [DEPOSIT] })
  }

type NewVault = { label: string; changeDelaySeconds?: number }

/** Verified, and without a policy. */
export async function deployVault({ path, owner }: Own, body: NewVault) {
  const { client, wallet } = owner
  const deployment = must(await client.call('prepareVaultDeployment', { path, body }))
  const deployed = {
    path: { ...path, intentId: deployment.id },
    body: { transactionHash: await wallet.send(deployment.transaction) },
  }
  const { vault } = await until(
    () => client.call('confirmVaultDeployment', deployed),
    ({ state }) => state === 'confirmed',
    'the vault',
  )
  if (!vault) throw new Error('The deployment has no vault.')
  return { id: vault.id, address: vault.address as Address }
}

/** Without a deposit, unless there is something to pay. */
export async function openVault({ path, owner }: Own, body: NewVault, deposit?: Deposit) {
  const { client, wallet } = owner
  const { id, address } = await deployVault({ path, owner }, body)
  const own = { ...path, vaultId: id }
  await until(
    () => client.call('getExecutor', { path }),
    ({ binding }) => binding !== null && binding.nativeBalanceWei !== '0',
    'the executor and its gas',
  )
  const policy = must(await client.call('preparePolicy', { path: own, body: TERMS }))
  const signed = {
    path: { ...own, intentId: policy.id },
    body: { transactionHash: await wallet.send(policy.transaction) },
  }
  await deposit?.(address)
  await until(
    () => client.call('confirmPolicy', signed),
    ({ state }) => state === 'confirmed',
    'the policy',
  )
  await until(
    () => client.call('getVault', { path: own }),
    ({ balanceBaseUnits }) => balanceBaseUnits === String(deposit ? DEPOSIT : 0n),
    'the deposit',
  )
  return { id, address }
}

/**
 * An owner, an approver and an employee; a vault with a policy and 5,000 USDC; one recipient.
 * People are called after the organization: "Kestrel Owner", "Kestrel Approver" and so on.
 */
export async function furnish(
  { helper }: Pick<Service, 'helper'>,
  name: string,
): Promise<Furnished> {
  const about = await readAbout(helper)
  const place = { helper, about }
  const [owner, approver, employee] = await Promise.all([
    meet(place, `${name} Owner`, COINS),
    meet(place, `${name} Approver`),
    meet(place, `${name} Employee`),
  ])
  const made = must(await owner.client.call('createOrganization', { body: { name } }))
  const path = { organizationId: made.id }
  const own = { path, owner, about }
  must(await owner.client.call('provisionExecutor', { path }))
  await join(own, approver, 'manager')
  await join(own, employee, 'employee')
  await giveRole(own, owner, 'treasury_owner')
  await giveRole(own, approver, 'approver')
  const { address } = makeWallet(about)
  const payee = { label: 'Millgate Print', address, chainId: about.chainId }
  const { id } = must(await owner.client.call('addRecipient', { path, body: payee }))
  const vault = await openVault(own, { label: 'Main' }, depositOf(own))
  const recipient = { ...payee, id }
  const screens = `/organizations/${made.id}`
  return { about, path, screens, owner, approver, employee, vault, recipient }
}

type Wanted = { purpose?: string; usdc?: bigint }

let invoices = 0

/** Submitted by the employee with an invoice, and analysed. Returns its id. */
export async function expenseToReview(house: Furnished, wanted: Wanted = {}): Promise<string> {
  const { purpose = 'Printing of the annual report', usdc = 75n } = wanted
  const { path, vault, recipient } = house
  const { client } = house.employee
  invoices += 1
  const invoice = makeInvoice(`2026-${invoices}`, `${purpose}: ${usdc}.00 USDC`)
  const attachment = must(
    await client.call('uploadAttachment', {
      path,
      headers: { 'content-disposition': `attachment; filename=${invoice.name}` },
      contentType: invoice.mediaType,
      body: invoice.bytes,
    }),
  )
  const body = {
    vaultId: vault.id,
    recipientId: recipient.id,
    purpose,
    amountBaseUnits: String(usdc * USDC),
    requestedMode: 'approved' as const,
    attachmentIds: [attachment.id],
  }
  const { id, currentRevision } = must(await client.call('createExpense', { path, body }))
  const own = { ...path, expenseId: id }
  must(
    await client.call('submitExpense', { path: own, body: { expectedVersion: currentRevision } }),
  )
  await until(
    () => client.call('getExpense', { path: own }),
    ({ state }) => state === 'needs_review',
    'the analysis',
  )
  return id
}

/** Reviewed by the owner: the approver is the next to act. Returns its id. */
export async function expenseToSign(house: Furnished, wanted: Wanted = {}): Promise<string> {
  const id = await expenseToReview(house, wanted)
  const path = { ...house.path, expenseId: id }
  const action = 'advance_to_approval' as const
  const body = { expectedVersion: 1, action, reason: 'Ordered by us, and delivered' }
  must(await house.owner.client.call('reviewExpense', { path, body }))
  return id
}
