/** Server wallets can neither approve nor own a vault, because the service holds their keys. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { encodePolicy } from '#adapters/chain/vault-codec.ts'
import { oneTreasury, stopOneTreasury } from '#test/http/one-treasury.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { makeServerWallet, type ServerWallet } from '#test/support/exports.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import {
  joinSigner,
  openSigningHouse,
  prepareAs,
  type Signer,
  type SigningHouse,
  signWith,
  submitAs,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { outcome } from '#test/support/steps.ts'
import {
  deployVault,
  type House,
  key,
  openHouse,
  preparePolicy,
  provisionExecutor,
  registerVault,
  type Treasury,
} from '#test/support/treasury.ts'
// With the same application and chain.
import '#test/http/contract-owner.ts'
import '#test/http/ledger-proofs-chain.ts'

const COULD_SIGN = /the service (holds its key and )?could sign for/i

let treasury: Treasury

beforeAll(async () => {
  treasury = await oneTreasury()
})
afterAll(stopOneTreasury)

const serverWalletOf = ({ owner, id }: Pick<House, 'owner' | 'id'>): Promise<ServerWallet> =>
  makeServerWallet(treasury.service, { realm: 'consumer', ...owner }, { organizationId: id })

const assign = ({ path, owner, ownerMembershipId }: House, walletId: string, role: string) =>
  treasury.service.call('POST', `${path}/wallet-roles`, {
    token: owner.token,
    body: { membershipId: ownerMembershipId, walletId, role },
  })

/** Writes a role from before such roles were refused. */
async function giveOldRole(
  { organizationId, membershipId }: { organizationId: string; membershipId: string },
  walletId: string,
  role = 'approver',
): Promise<string> {
  const id = randomUUID()
  await treasury.service.database.asOwner(
    `insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
       state, created_at)
     select $1, $2, $3, account_id, id, $5, 'active', now() from wallets where id = $4`,
    [id, organizationId, membershipId, walletId, role],
  )
  return id
}

describe('POST {org}/wallet-roles', () => {
  test('refuses a server wallet as approver with 409 state_conflict and says why', async () => {
    const house = await openHouse(treasury)
    const wallet = await serverWalletOf(house)
    const refused = await assign(house, wallet.id, 'approver')
    expect(outcome(refused)).toBe('409 state_conflict')
    expect(refused.body.error.message).toMatch(COULD_SIGN)
  })

  test('still lets a server wallet deposit', async () => {
    const house = await openHouse(treasury)
    const wallet = await serverWalletOf(house)
    expect(outcome(await assign(house, wallet.id, 'treasury_owner'))).toBe('201')
  })
})

describe('a vault', () => {
  test('is not prepared for an owner whose only owner wallet is a server wallet', async () => {
    const { service } = treasury
    const owner = await service.signIn()
    const { id, path } = (await service
      .call('POST', '/v1/consumer/organizations', { token: owner.token, body: { name: 'Acme' } })
      .then(({ body }) => ({ ...body, path: `/v1/consumer/organizations/${body.id}` }))) as House
    const members = await service.call('GET', `${path}/members`, { token: owner.token })
    const ownerMembershipId = members.body.members[0].membershipId
    const wallet = await serverWalletOf({ owner, id })
    const house = { id, path, owner, ownerMembershipId } as House
    expect(outcome(await assign(house, wallet.id, 'treasury_owner'))).toBe('201')
    const refused = await service.call('POST', `${path}/vault-deployments/prepare`, {
      token: owner.token,
      body: { label: 'Main' },
      headers: key(),
    })
    expect(outcome(refused)).toBe('409 treasury_owner_required')
    expect(refused.body.error.message).toMatch(COULD_SIGN)
  })

  test('that a server wallet owns is not registered', async () => {
    const house = await openHouse(treasury)
    const wallet = await serverWalletOf(house)
    await assign(house, wallet.id, 'treasury_owner')
    const prepared = await treasury.service.call(
      'POST',
      `${house.path}/vault-deployments/prepare`,
      {
        token: house.owner.token,
        body: { label: 'Main' },
        headers: key(),
      },
    )
    // The same contract with the server wallet as the owner.
    const data = prepared.body.transaction.data.replaceAll(
      house.ownerWallet.address.slice(2).toLowerCase(),
      wallet.address.slice(2).toLowerCase(),
    )
    const hash = await house.ownerWallet.send({ ...prepared.body.transaction, data })
    const { contractAddress } = await treasury.chain.client.waitForTransactionReceipt({ hash })
    const refused = await registerVault(treasury, house, {
      label: 'Main',
      address: contractAddress,
      deploymentTransactionHash: hash,
    })
    expect(outcome(refused)).toBe('409 vault_unverified')
    expect(refused.body.error.message).toMatch(COULD_SIGN)
  })
})

describe('a policy', () => {
  test('that would list an existing server wallet is refused with its address', async () => {
    const house = await openHouse(treasury)
    const vault = await deployVault(treasury, house)
    await provisionExecutor(treasury, house)
    const wallet = await serverWalletOf(house)
    const membershipId = house.ownerMembershipId
    const roleId = await giveOldRole({ organizationId: house.id, membershipId }, wallet.id)
    const refused = await preparePolicy(treasury, house, { vaultId: vault.id })
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toContain(wallet.address)
    await treasury.service.call('POST', `${house.path}/wallet-roles/${roleId}/revoke`, {
      token: house.owner.token,
    })
    const prepared = await preparePolicy(treasury, house, { vaultId: vault.id })
    expect(outcome(prepared)).toBe('201')
  })

  test('of a vault that a server wallet already owns is refused', async () => {
    const house = await openHouse(treasury)
    const vault = await deployVault(treasury, house)
    await provisionExecutor(treasury, house)
    const wallet = await serverWalletOf(house)
    await treasury.service.database.asOwner('update vaults set owner_address = $1 where id = $2', [
      wallet.address.toLowerCase(),
      vault.id,
    ])
    const refused = await preparePolicy(treasury, house, { vaultId: vault.id })
    expect(outcome(refused)).toBe('409 policy_violation')
    expect(refused.body.error.message).toMatch(COULD_SIGN)
  })

  test("with another account's server wallet as approver is stored and reported", async () => {
    const house = await openHouse(treasury)
    const vault = await deployVault(treasury, house)
    const executorAddress = await provisionExecutor(treasury, house)
    const other = await openHouse(treasury)
    const wallet = await serverWalletOf(other)
    const transaction = encodePolicy({
      chainId: 31_337,
      vaultAddress: vault.address,
      ownerAddress: house.ownerWallet.address,
      expectedVersion: 0,
      policy: {
        executorAddress,
        expiresAtSeconds: 4_070_908_800,
        automaticEnabled: false,
        paused: false,
        approvedCap: 1n,
        automaticCap: 1n,
        lifetimeCap: 8_000_000n,
        reserveFloor: 0n,
        ...withoutPeriod,
        approverAddresses: [wallet.address],
      },
      recipients: null,
    })
    await treasury.chain.mined(await house.ownerWallet.send(transaction))
    const reported = () =>
      treasury.service.database.asOwner(
        `select l.severity, a.data->'serverApprovers' as approvers
         from live_events l join audit_events a on a.aggregate_id = l.aggregate_id::text
         where l.code = 'policy_server_approver' and l.organization_id = $1`,
        [house.id],
      )
    await expect
      .poll(reported, { timeout: 20_000 })
      .toEqual([{ severity: 'action_required', approvers: [wallet.address] }])
    expect(other.id).not.toBe(house.id)
  })
})

describe('an approval', () => {
  let house: SigningHouse
  let signer: Signer
  let wallet: ServerWallet
  let roleId: string

  /** A member whose only approver wallet is a server wallet that the policy lists. */
  beforeAll(async () => {
    const { service } = treasury
    house = await openSigningHouse(service)
    signer = await joinSigner(service, house)
    const holder = { realm: 'consumer', ...signer.person } as const
    const organizationId = house.organization.id
    wallet = await makeServerWallet(service, holder, { organizationId })
    roleId = await giveOldRole({ organizationId, membershipId: signer.membershipId }, wallet.id)
    const approverAddresses = [
      wallet.address,
      signer.accounts[0].address,
      ...house.signer.accounts.map(({ address }) => address),
    ]
    await writePolicyVersion(service, house, {
      approverAddresses: approverAddresses.map((address) => address.toLowerCase()),
    })
  })

  // The worker may analyse an expense before the test advances it; then another is created.
  const awaiting = () =>
    vi.waitFor(() => expenseIn(treasury.service, house, 'awaiting_approval', {}), 30_000)

  test("is prepared for the holder's own wallet, not for the server wallet", async () => {
    const { status, body } = await prepareAs(treasury.service, house, await awaiting(), signer)
    expect(status).toBe(200)
    expect(body.approverAddress).toBe(signer.accounts[0].address)
  })

  test('already prepared for a server wallet is refused despite its valid signature', async () => {
    const { service } = treasury
    const expense = await awaiting()
    const { body } = await prepareAs(service, house, expense, signer)
    await service.database.asOwner('update approvals set wallet_role_id = $1 where id = $2', [
      roleId,
      body.approvalId,
    ])
    const signature = await signWith(signer.accounts[0], body)
    const { person } = signer
    const { approvalId } = body
    const refused = await submitAs(service, house, expense, { person, approvalId, signature })
    expect(outcome(refused)).toBe('409 state_conflict')
    expect(refused.body.error.message).toMatch(COULD_SIGN)
  })

  test('is refused with 409 state_conflict where the server wallet is the only one', async () => {
    const [ownRole = ''] = signer.walletRoleIds
    await treasury.service.call(
      'POST',
      `${house.organization.path}/wallet-roles/${ownRole}/revoke`,
      { token: house.organization.owner.token },
    )
    const refused = await prepareAs(treasury.service, house, await awaiting(), signer)
    expect(outcome(refused)).toBe('409 state_conflict')
    expect(refused.body.error.message).toMatch(COULD_SIGN)
  })
})
