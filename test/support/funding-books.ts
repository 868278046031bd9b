/** A funding signer as rows only, as they would be with a chain. */
import { randomBytes } from 'node:crypto'
import { insertAction } from '#funding/actions.store.ts'
import {
  type ControlRow,
  findDepositor,
  insertControl,
  updateControlState,
} from '#funding/controls.store.ts'
import { asAttached } from '#funding/funding-provider.ts'
import { claimFundingLane } from '#funding/lane-store/lanes.store.ts'
import { insertTransaction } from '#funding/lane-store/transactions.store.ts'
import { insertWalletRole } from '#organizations/members.store.ts'
import { addSeconds } from '#platform/clock.ts'
import type { TestApp } from '#test/support/app.ts'
import { findVault } from '#treasury/vaults.store.ts'
import { insertServerWallet, updateWalletState } from '#wallets/server-wallets.store.ts'

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`
const DAY_SECONDS = 24 * 60 * 60

type Service = Pick<TestApp, 'ctx'>
type Member = { organizationId: string; membershipId: string; accountId: string }

export type FundingBooks = {
  walletId: string
  walletAddress: string
  walletRoleId: string
  controlId: string
  actionId: string
  signerId: string
  policyId: string
}

/** A server wallet of the member that may deposit. */
async function writeDepositor({ ctx }: Service, member: Member) {
  const { organizationId, accountId } = member
  const [walletId, walletRoleId, at] = [ctx.ids.next(), ctx.ids.next(), ctx.clock.now()]
  const wallet = { walletId, chainType: 'ethereum', isRepeat: false } as const
  const created = await ctx.walletProvider?.create(wallet)
  if (created?.outcome !== 'created') throw new Error('No wallet was made')
  const { address, reference } = created
  await ctx.db.transaction({ organizationId, accountId }, async (tx) => {
    await insertServerWallet(tx, {
      ...{ id: walletId, accountId, organizationId, chainType: 'ethereum', provider: 'local', at },
      ...{ fingerprint: randomBytes(32), purpose: 'Deposits', environment: 'development' },
      idempotencyKey: walletId,
    })
    const made = { address, nativeAddress: null, reference }
    const move = { from: 'provisioning', to: 'active' } as const
    await updateWalletState(tx, { walletId, accountId, ...move, made })
    const role = { id: walletRoleId, walletId, role: 'treasury_owner', at } as const
    await insertWalletRole(tx, { ...member, ...role })
  })
  return { walletId, walletRoleId, walletAddress: address }
}

async function writeControl({ ctx }: Service, member: Member, vaultId: string) {
  const { organizationId } = member
  const provider = ctx.fundingProvider
  if (!provider) throw new Error('No funding provider is configured')
  const at = ctx.clock.now()
  const { control, wallet } = await ctx.db.transaction({ organizationId }, async (tx) => {
    const vault = await findVault(tx, { organizationId, vaultId })
    const found = await findDepositor(tx, { organizationId, provider: provider.type })
    if (!vault || !found) throw new Error('There is no vault, or nobody deposits')
    const { signerId, policyId } = provider.signerOf({ vaultAddress: vault.address })
    const row = await insertControl(tx, {
      ...{ id: ctx.ids.next(), organizationId, vaultId, signerId, policyId: policyId ?? '', at },
      ...{ accountId: found.accountId, walletId: found.walletId, provider: provider.type },
      ...{ chainId: vault.chainId, vaultAddress: vault.address, maxAmount: 1_000n },
      expiresAt: addSeconds(at, DAY_SECONDS).toISOString(),
    })
    return { control: row, wallet: found }
  })
  const attached = await provider.attach(asAttached(control, wallet))
  if (attached.outcome !== 'attached') throw new Error('The policy was not attached')
  await ctx.db.transaction({ organizationId }, (tx) =>
    updateControlState(tx, {
      ...{ control, to: 'verified', reference: attached.reference, failureCode: null },
      ...{ readbackAt: at, at },
    }),
  )
  return control
}

/** A deposit that was signed and never sent, and that nothing here ends. */
async function writeDeposit({ ctx }: Service, control: ControlRow, accountId: string) {
  const { organizationId, id: controlId, vaultId, walletId } = control
  const [actionId, at] = [ctx.ids.next(), ctx.clock.now()]
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertAction(tx, {
      ...{ id: actionId, organizationId, vaultId, controlId, walletId, action: 'deposit' },
      ...{ amount: 5n, approvalTransactionHash: null, at },
      asked: { accountId, idempotencyKey: ctx.ids.next(), fingerprint: randomBytes(32) },
    })
    await claimFundingLane(tx, { organizationId, laneId: walletId, leaseMs: 0 })
    await insertTransaction(tx, {
      ...{
        id: ctx.ids.next(),
        organizationId,
        controlId,
        actionId,
        walletId,
        nonce: 0,
        feeRank: 0,
      },
      ...{ transactionHash: hex(32), raw: hex(100) },
    })
  })
  return actionId
}

export async function writeFunding(
  service: Service,
  { vaultId, ...member }: Member & { vaultId: string },
): Promise<FundingBooks> {
  const wallet = await writeDepositor(service, member)
  const control = await writeControl(service, member, vaultId)
  const actionId = await writeDeposit(service, control, member.accountId)
  const { id: controlId, signerId, policyId } = control
  return { ...wallet, controlId, actionId, signerId, policyId }
}
