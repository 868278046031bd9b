/** A treasury as rows only, as they would be with a chain. */
import { randomBytes } from 'node:crypto'
import { toStoredExecution } from '@countersign/proof/execution.ts'
import { findActiveBinding, insertBinding, insertProvisioning } from '#executor/executor.store.ts'
import { upsertExecutorHealth } from '#health/health.store.ts'
import { insertProof } from '#ledger-proofs/ledger-proofs.store.ts'
import { insertMembership } from '#organizations/members.store.ts'
import { insertAttempts, insertReceipts } from '#payments/lane-store/attempts.store.ts'
import { addSeconds } from '#platform/clock.ts'
import { saveSubscription } from '#push/push.store.ts'
import { insertCase, insertMessage, insertNote } from '#support/support.store.ts'
import type { TestApp } from '#test/support/app.ts'
import { writeListed } from '#test/support/listed-recipients.ts'
import { insertPolicy } from '#treasury/policies.store.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'
import { addToVault, insertVault, insertVaultPayment } from '#treasury/vaults.store.ts'
import { insertExport } from '#wallets/exports.store.ts'
import { insertChallenge } from '#wallets/link-challenges.store.ts'
import { insertDelivery } from '#webhooks/deliveries.store.ts'

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`

export type Vaults = { ids: string[]; addresses: string[] }

/** Verified vaults; the first is the default. */
export async function writeVaults(
  { ctx }: Pick<TestApp, 'ctx'>,
  organizationId: string,
  count = 2,
): Promise<Vaults> {
  const vaults: Vaults = { ids: [], addresses: [] }
  await ctx.db.transaction({ organizationId }, async (tx) => {
    for (let n = 0; n < count; n += 1) {
      const { id, address } = await insertVault(tx, {
        id: ctx.ids.next(),
        organizationId,
        label: `Vault ${n + 1}`,
        createdByAccountId: null,
        chainId: ctx.chain.chainId,
        address: hex(20),
        tokenAddress: ctx.chain.tokenAddress,
        ownerAddress: hex(20),
        artifactHash: ctx.chain.artifactHash,
        deploymentTransactionHash: hex(32),
        changeDelaySeconds: 0,
        state: 'verified',
        at: ctx.clock.now(),
      })
      vaults.ids.push(id)
      vaults.addresses.push(address)
    }
  })
  return vaults
}

/** Addresses that the policy lists; random otherwise. */
type Named = { executorAddress?: string; approverAddresses?: string[]; recipientAddress?: string }

/** A first policy of the vault and a payment under it; a few times its caps remain. */
export async function writePolicy(
  { ctx }: Pick<TestApp, 'ctx'>,
  { organizationId, vaultId, ...named }: { organizationId: string; vaultId: string } & Named,
): Promise<void> {
  const key = { organizationId, vaultId }
  const { executorAddress = hex(20), approverAddresses = [hex(20)] } = named
  const { recipientAddress = hex(20) } = named
  const transactionHash = hex(32)
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertPolicy(tx, {
      ...key,
      id: ctx.ids.next(),
      version: 1,
      executorAddress,
      approverAddresses,
      ...NO_LIMITS,
      ...{ approvedCap: 1000n, automaticCap: 100n, lifetimeCap: 10_000n, reserveFloor: 0n },
      expiresAt: '2099-01-01T00:00:00.000Z',
      automaticEnabled: true,
      paused: false,
      chainTransactionHash: transactionHash,
      blockNumber: 1,
      timeSeconds: 1_700_000_000,
      at: ctx.clock.now(),
    })
    await writeListed(tx, { ...key, addresses: [recipientAddress] })
    await insertVaultPayment(tx, {
      ...key,
      chainPaymentId: hex(32),
      recipientAddress,
      mode: 'approved',
      amount: 5n,
      transactionHash,
      blockNumber: 2,
      timeSeconds: 1_700_000_000,
    })
    await addToVault(tx, { ...key, balance: 9_995n, spent: 5n, policyVersion: 1 })
  })
}

export type Executor = { bindingId: string; address: string; provisioningId: string }

export async function writeExecutor(
  { ctx }: Pick<TestApp, 'ctx'>,
  organizationId: string,
): Promise<Executor> {
  const [bindingId, provisioningId] = [ctx.ids.next(), ctx.ids.next()]
  const address = hex(20)
  const at = ctx.clock.now()
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertProvisioning(tx, { id: provisioningId, organizationId, at })
    await insertBinding(tx, {
      id: bindingId,
      organizationId,
      providerType: 'local',
      paysOwnGas: true,
      address,
      chainId: ctx.chain.chainId,
      reference: randomBytes(32),
      at,
    })
  })
  return { bindingId, address, provisioningId }
}

/** What a vault has logged, of another payment. */
const execution = () =>
  toStoredExecution({
    ...{ vaultAddress: hex(20), recipientAddress: hex(20), approverAddresses: [hex(20)] },
    ...{ chainPaymentId: hex(32), approvalDigests: [hex(32)] },
    ...{ reportHash: hex(32), expenseVersionHash: hex(32) },
    mode: 'approved',
    amount: 90n,
    policyVersion: 1,
  })

/** An attempt of a payment and its receipt. */
export async function writeAttempt(
  { ctx }: Pick<TestApp, 'ctx'>,
  { organizationId, paymentId }: { organizationId: string; paymentId: string },
): Promise<void> {
  const transactionHash = hex(32)
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const lane = await findActiveBinding(tx, organizationId)
    if (!lane) throw new Error('There is no executor')
    const attempt = {
      id: ctx.ids.next(),
      paymentId,
      nonce: 0,
      feeRank: 0,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      transactionHash,
      raw: hex(100),
      callHash: hex(32),
    }
    await insertAttempts(tx, { organizationId, lane, attempts: [attempt] })
    const receipt = {
      paymentId,
      transactionHash,
      blockNumber: 3,
      blockHash: hex(32),
      logIndex: 0,
      gasUsed: 100_000n,
      effectiveGasPrice: 1n,
      execution: execution(),
      at: ctx.clock.now(),
    }
    insertReceipts(tx, { organizationId, receipts: [receipt] })
  })
}

/** The executor's last health, and a proof prepared by an operator. */
export async function writeProof(
  { ctx }: Pick<TestApp, 'ctx'>,
  { organizationId, accountId }: { organizationId: string; accountId: string },
): Promise<string> {
  const [id, at] = [ctx.ids.next(), ctx.clock.now()]
  const verdict = { severity: 'healthy', code: null, summary: 'Fine.', latencyMs: null } as const
  const intent = { intentHash: hex(32), intentJson: '{}', kind: 'deployment' } as const
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await upsertExecutorHealth(tx, { organizationId, verdict, at })
    await insertProof(tx, { id, organizationId, accountId, ...intent, at })
  })
  return id
}

/** A delivery of a webhook that has not been attempted yet. */
export const writeDelivery = (
  { ctx }: Pick<TestApp, 'ctx'>,
  webhook: { organizationId: string; webhookId: string },
): Promise<void> =>
  ctx.db.transaction({ organizationId: webhook.organizationId }, (tx) =>
    insertDelivery(tx, {
      ...webhook,
      id: ctx.ids.next(),
      eventId: ctx.ids.next(),
      kind: 'payment.changed',
      at: ctx.clock.now(),
    }),
  )

/** A case with a message and a note, both by the opener, because there is no operator. */
export async function writeCase(
  { ctx }: Pick<TestApp, 'ctx'>,
  {
    organizationId,
    accountId,
    paymentId,
  }: { organizationId: string; accountId: string; paymentId: string },
): Promise<string> {
  const id = ctx.ids.next()
  const at = ctx.clock.now()
  await ctx.db.transaction({ organizationId }, async (tx) => {
    await insertCase(tx, {
      id,
      organizationId,
      openedByAccountId: accountId,
      expenseId: null,
      paymentId,
      subject: 'Where is it?',
      priority: 2,
      at,
    })
    await insertMessage(tx, {
      id: ctx.ids.next(),
      organizationId,
      supportCaseId: id,
      authorAccountId: accountId,
      body: 'It was due on Monday.',
      at,
    })
    await insertNote(tx, {
      id: ctx.ids.next(),
      organizationId,
      supportCaseId: id,
      authorAccountId: accountId,
      body: 'We are looking.',
      stateAfter: null,
      visibleToCustomer: false,
      at,
    })
  })
  return id
}

/** A request to export the key of a wallet of any kind. */
async function writeExport(
  { ctx }: Pick<TestApp, 'ctx'>,
  { accountId, walletId }: { accountId: string; walletId: string },
): Promise<void> {
  const at = ctx.clock.now()
  const request = { id: ctx.ids.next(), accountId, walletId, recipientKeyHash: randomBytes(32) }
  await ctx.db.transaction({ accountId }, (tx) =>
    insertExport(tx, { ...request, expiresAt: at, at }),
  )
}

async function writeDevice(
  { ctx }: Pick<TestApp, 'ctx'>,
  { accountId }: { accountId: string },
): Promise<void> {
  const id = ctx.ids.next()
  const keys = { p256dh: randomBytes(65), auth: randomBytes(16) }
  const device = { id, accountId, endpoint: `https://push.example/${id}`, deviceLabel: 'Phone' }
  await ctx.db.transaction({ accountId }, (tx) =>
    saveSubscription(tx, { ...device, ...keys, expiresAt: null, at: ctx.clock.now() }),
  )
}

/** What an account has of its own: a device and an export request. */
export async function writeHoldings(
  service: Pick<TestApp, 'ctx'>,
  { accountId, walletIds }: { accountId: string; walletIds: string[] },
): Promise<void> {
  await writeExport(service, { accountId, walletId: walletIds[0] ?? '' })
  await writeDevice(service, { accountId })
  await writeChallenge(service, accountId)
}

async function writeChallenge({ ctx }: Pick<TestApp, 'ctx'>, accountId: string): Promise<void> {
  const at = ctx.clock.now()
  const row = { id: ctx.ids.next(), accountId, address: hex(20), message: 'Link this wallet.' }
  await ctx.db.transaction({ accountId }, (tx) =>
    insertChallenge(tx, { ...row, at, expiresAt: addSeconds(at, 600) }),
  )
}

/** Somebody who accepted an invitation and whom an owner has not confirmed yet. */
export async function writePendingMember(
  { ctx, signIn }: Pick<TestApp, 'ctx' | 'signIn'>,
  { id: organizationId }: { id: string },
): Promise<string> {
  const { accountId } = await signIn()
  const id = ctx.ids.next()
  const terms = { role: 'employee', state: 'pending', at: ctx.clock.now() } as const
  await ctx.db.transaction({ organizationId }, (tx) =>
    insertMembership(tx, { id, organizationId, accountId, ...terms }),
  )
  return id
}
