/** Approvers with their own keys, over a treasury as rows only: no chain is used. */
import type { Hex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { findActiveBinding } from '#executor/executor.store.ts'
import { findPolicy, insertPolicy, type PolicyRow } from '#treasury/policies.store.ts'
import { insertProposal } from '#treasury/proposals.store.ts'
import { addToVault, findVault } from '#treasury/vaults.store.ts'
import { type Answer, joinOrganization, type Person, type TestApp } from './app.ts'
import { type ExpenseHouse, openExpenseHouse, type POLICY } from './expenses.ts'
import { membershipOf } from './steps.ts'

export type Signer = {
  person: Person
  membershipId: string
  /** Oldest role first. */
  accounts: [PrivateKeyAccount, ...PrivateKeyAccount[]]
  walletRoleIds: string[]
}

export const addressesOf = (...signers: Signer[]): string[] =>
  signers.flatMap(({ accounts }) => accounts.map(({ address }) => address.toLowerCase()))

/** A member with approver wallets; no policy lists them yet. */
export async function joinSigner(
  service: TestApp,
  { organization }: Pick<ExpenseHouse, 'organization'>,
  { wallets = 1, role = 'employee' as 'employee' | 'manager' } = {},
): Promise<Signer> {
  const account = () => privateKeyToAccount(generatePrivateKey())
  const accounts = [account(), ...Array.from({ length: wallets - 1 }, account)] as const
  const linked = accounts.map(({ address }) => ({ address, kind: 'external' as const }))
  const signedIn = await service.signIn(undefined, linked)
  const person = await joinOrganization(service, organization, { role, person: signedIn })
  const member = await membershipOf(service, organization, person)
  const { membershipId } = member
  const walletRoleIds: string[] = []
  for (const { address } of accounts) {
    const walletId = member.wallets.find((wallet) => wallet.address === address)?.id
    const given = await service.call('POST', `${organization.path}/wallet-roles`, {
      token: organization.owner.token,
      body: { membershipId, walletId, role: 'approver' },
    })
    expect(given.status).toBe(201)
    walletRoleIds.push(given.body.id)
  }
  return { person, membershipId, accounts: [...accounts], walletRoleIds }
}

/** The next version, like the one before except for the given terms. */
export async function writePolicyVersion(
  { ctx }: TestApp,
  { organization, vaultId }: ExpenseHouse,
  terms: Partial<PolicyRow>,
): Promise<void> {
  const { id: organizationId } = organization
  const key = { organizationId, vaultId }
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const vault = await findVault(tx, key)
    const version = (vault?.policyVersion ?? 0) + 1
    const before = await findPolicy(tx, { ...key, version: version - 1 })
    const executor = await findActiveBinding(tx, organizationId)
    if (!before || !executor) throw new Error('There is no policy to begin from')
    const own = { id: ctx.ids.next(), version, executorAddress: executor.address, paused: false }
    const at = ctx.clock.now()
    const timeSeconds = Math.floor(at.getTime() / 1000)
    await insertPolicy(tx, { ...before, ...own, ...terms, blockNumber: version, timeSeconds, at })
    await addToVault(tx, { ...key, policyVersion: version })
  })
}

/** A policy that waits beside the one in force, and would lower its cap. */
export async function writeProposal(
  { ctx }: TestApp,
  { organization, vaultId }: ExpenseHouse,
  activatesAt: string,
): Promise<void> {
  const key = { organizationId: organization.id, vaultId }
  await ctx.db.transaction({ organizationId: organization.id }, async (tx) => {
    const version = (await findVault(tx, key))?.policyVersion ?? 0
    const inForce = await findPolicy(tx, { ...key, version })
    if (!inForce) throw new Error('There is no policy to replace')
    const { expiresAt: _expiry, ...terms } = inForce
    const policy = { ...terms, approvedCap: inForce.approvedCap - 1n, expiresAtSeconds: 4e9 }
    const hash = `0x${'77'.repeat(32)}`
    await insertProposal(tx, {
      ...{ ...key, id: ctx.ids.next(), proposalId: hash, expectedVersion: version, policy },
      ...{ isPrepared: true, transactionHash: hash, blockNumber: 50, logIndex: 0 },
      activatesAtSeconds: Math.floor(Date.parse(activatesAt) / 1000),
      timeSeconds: Math.floor(ctx.clock.now().getTime() / 1000),
      at: ctx.clock.now(),
    })
  })
}

export type SigningHouse = ExpenseHouse & { signer: Signer }

/** A house whose policy lists one approver, who submits nothing. */
export async function openSigningHouse(
  service: TestApp,
  terms: Partial<typeof POLICY & PolicyRow> = {},
): Promise<SigningHouse> {
  const { balance, ...policy } = terms
  const house = await openExpenseHouse(service, balance === undefined ? {} : { balance })
  const signer = await joinSigner(service, house)
  await writePolicyVersion(service, house, { approverAddresses: addressesOf(signer), ...policy })
  return { ...house, signer }
}

type Known = { id: string; currentRevision: number }

export const prepareAs = (
  { call }: Pick<TestApp, 'call'>,
  { organization }: ExpenseHouse,
  { id, currentRevision }: Known,
  { person }: Pick<Signer, 'person'>,
  more: object = {},
): Promise<Answer> =>
  call('POST', `${organization.path}/expenses/${id}/approvals/prepare`, {
    token: person.token,
    body: { expectedVersion: currentRevision, ...more },
  })

export const signWith = (
  account: PrivateKeyAccount,
  { domain, types, primaryType, message }: Answer['body'],
): Promise<Hex> => {
  const { EIP712Domain: _domain, ...own } = types
  return account.signTypedData({ domain, types: own, primaryType, message })
}

export const submitAs = (
  { call }: Pick<TestApp, 'call'>,
  { organization }: ExpenseHouse,
  { id, currentRevision }: Known,
  { person, approvalId, signature }: { person: Person; approvalId: string; signature: string },
): Promise<Answer> =>
  call('POST', `${organization.path}/expenses/${id}/approvals/submit-signature`, {
    token: person.token,
    body: { expectedVersion: currentRevision, approvalId, signature },
  })

/** Prepared, signed and submitted: the money is reserved. */
export async function signAs(
  service: Pick<TestApp, 'call'>,
  house: ExpenseHouse,
  expense: Known,
  { person, accounts: [account] }: Signer,
): Promise<Answer> {
  const { status, body } = await prepareAs(service, house, expense, { person })
  expect(status).toBe(200)
  const signature = await signWith(account, body)
  return submitAs(service, house, expense, { person, approvalId: body.approvalId, signature })
}
