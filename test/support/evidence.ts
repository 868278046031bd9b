/** Payments on a real chain with evidence built here: honest, or forged. */
import { randomBytes, randomUUID } from 'node:crypto'
import { canonicalHash, chainPaymentIdOf } from '@countersign/proof/digest.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import { checksummed, secondsToTimestamp } from '@countersign/proof/values.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import { type Address, type Hex, zeroAddress, zeroHash } from 'viem'
import {
  decodeVaultEvent,
  encodeDeployment,
  encodePayment,
  encodePolicy,
} from '#adapters/chain/vault-codec.ts'
import { startTestChain, type TestChain, type TestWallet, tokenAbi } from './chain.ts'

export const CHAIN_ID = 31_337
const GAS = '0x7a1200'
const DEADLINE = 3_900_000_000

export type Payer = {
  chain: TestChain
  owner: TestWallet
  approver: TestWallet
  executor: TestWallet
  recipient: Address
}

/** A vault, genuine or not, and the policy that its logs record. */
export type PayingVault = {
  address: Address
  organizationHash: Hex
  policy: ChainPolicy
  policyVersion: number
  policyTransactionHash: Hex
}

export type Terms = {
  amount?: bigint
  recipient?: Address
  mode?: 'approved' | 'automatic'
  deadlineSeconds?: number
  /** The claimed signer; its key signs. */
  approver?: Pick<TestWallet, 'address' | 'account'>
  /** Attachments, category, reference and due date; none by default. */
  details?: Pick<Evidence['revision'], 'attachments' | 'category' | 'reference' | 'dueDate'>
}

export const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`

export async function openPayer(): Promise<Payer> {
  const chain = await startTestChain()
  const [owner, executor] = [await chain.wallet({ baseUnits: 10n ** 12n }), await chain.wallet()]
  const [approver, { address: recipient }] = [await chain.wallet(), await chain.wallet({ wei: 0n })]
  return { chain, owner, approver, executor, recipient }
}

export const policyOf = (payer: Payer, more: Partial<ChainPolicy> = {}): ChainPolicy => ({
  executorAddress: payer.executor.address.toLowerCase(),
  expiresAtSeconds: 4_000_000_000,
  automaticEnabled: true,
  paused: false,
  approvedCap: 1_000n,
  automaticCap: 500n,
  lifetimeCap: 1_000_000n,
  reserveFloor: 0n,
  approverAddresses: [payer.approver.address.toLowerCase()],
  recipientAddresses: [payer.recipient.toLowerCase()],
  ...more,
})

export async function sent(
  { chain }: Payer,
  wallet: TestWallet,
  call: { to: Address | null; data: Hex },
) {
  const hash = await wallet.send({ ...call, gas: GAS })
  return chain.client.waitForTransactionReceipt({ hash })
}

export async function deploy(
  payer: Payer,
  { owner = payer.owner, token = payer.chain.tokenAddress, organizationHash = randomHash() } = {},
): Promise<{ address: Address; organizationHash: Hex }> {
  const { transaction } = encodeDeployment({
    chainId: CHAIN_ID,
    ownerAddress: owner.address,
    tokenAddress: token,
    organizationHash,
  })
  const { contractAddress } = await sent(payer, owner, { to: null, data: transaction.data as Hex })
  return { address: contractAddress as Address, organizationHash }
}

export async function configure(
  payer: Payer,
  vault: { address: Address; organizationHash: Hex; policyVersion?: number },
  { owner = payer.owner, policy = policyOf(payer) } = {},
): Promise<PayingVault> {
  const expectedVersion = vault.policyVersion ?? 0
  const { data } = encodePolicy({
    chainId: CHAIN_ID,
    vaultAddress: vault.address,
    ownerAddress: owner.address,
    expectedVersion,
    policy,
  })
  const receipt = await sent(payer, owner, { to: vault.address, data: data as Hex })
  if (receipt.status !== 'success') throw new Error('The policy was refused')
  const policyTransactionHash = receipt.transactionHash
  return { ...vault, policy, policyVersion: expectedVersion + 1, policyTransactionHash }
}

export async function fund({ chain, owner }: Payer, to: Address, amount = 100_000n): Promise<void> {
  const transfer = { address: chain.tokenAddress, abi: tokenAbi, functionName: 'transfer' }
  await chain.mined(await owner.call({ ...transfer, args: [to, amount] }))
}

/** Deployed, configured and funded. */
export async function openVault(
  payer: Payer,
  { policy = {}, ...made }: Parameters<typeof deploy>[1] & { policy?: Partial<ChainPolicy> } = {},
): Promise<PayingVault> {
  const deployed = await deploy(payer, made)
  const terms = { policy: policyOf(payer, policy), ...(made.owner && { owner: made.owner }) }
  const vault = await configure(payer, deployed, terms)
  await fund(payer, vault.address)
  return vault
}

const contentOf = (
  payer: Payer,
  vault: PayingVault,
  { mode, amount, recipient }: Required<Pick<Terms, 'mode' | 'amount' | 'recipient'>>,
) => ({
  organizationId: randomUUID(),
  expenseId: randomUUID(),
  revision: 1,
  vaultId: randomUUID(),
  vaultAddress: vault.address.toLowerCase(),
  chainId: CHAIN_ID,
  tokenAddress: payer.chain.tokenAddress.toLowerCase(),
  recipientAddress: recipient.toLowerCase(),
  amount,
  requestedMode: mode,
  purpose: 'Invoice 17 of the printers',
})

/** Consistent with itself; whether the chain agrees is another matter. */
export async function evidenceFor(
  payer: Payer,
  vault: PayingVault,
  terms: Terms = {},
): Promise<Evidence> {
  const { mode = 'approved', amount = 700n, deadlineSeconds = DEADLINE } = terms
  const { recipient = payer.recipient, approver = payer.approver } = terms
  const { organizationHash } = vault
  const content = contentOf(payer, vault, { mode, amount, recipient })
  const { amount: _amount, ...shared } = content
  const { details = {} } = terms
  const attachments = (details.attachments ?? []).map(({ sha256 }) => sha256)
  const versionHash = versionHashOf({ ...content, ...details, attachments })
  const output = { riskScore: 0, recommendation: 'approve', checks: [] }
  const reportHash = canonicalHash(output)
  const paymentId = randomUUID()
  const chainPaymentId = chainPaymentIdOf({ chainId: CHAIN_ID, organizationHash, paymentId })
  const signed = {
    ...content,
    approvalId: randomUUID(),
    approverAddress: approver.address.toLowerCase(),
    organizationHash,
    chainPaymentId,
    policyVersion: vault.policyVersion,
    reportHash,
    expenseVersionHash: versionHash,
    deadlineSeconds,
  }
  const digest = digestOf(signed)
  const isApproved = mode === 'approved'
  const asked = {
    vaultAddress: checksummed(vault.address),
    chainPaymentId,
    recipientAddress: checksummed(recipient),
    mode,
    amountBaseUnits: amount.toString(),
    policyVersion: vault.policyVersion,
    reportHash,
    expenseVersionHash: versionHash,
    approvalDigest: isApproved ? digest : zeroHash,
    approverAddress: isApproved ? checksummed(approver.address) : zeroAddress,
  }
  return {
    version: 1,
    revision: { ...shared, ...details, amountBaseUnits: amount.toString(), versionHash },
    report: { id: randomUUID(), reportHash, output },
    policy: statedPolicy(vault),
    approval: isApproved
      ? {
          id: signed.approvalId,
          approverAddress: checksummed(approver.address),
          digest,
          signature: await approver.account.sign({ hash: digest as Hex }),
          typedData: typedDataOf(signed),
        }
      : null,
    payment: {
      id: paymentId,
      organizationHash,
      chainPaymentId,
      mode,
      deadline: secondsToTimestamp(deadlineSeconds),
    },
    asked,
    event: null,
    matches: false,
  }
}

export const statedPolicy = (vault: PayingVault): NonNullable<Evidence['policy']> => {
  const { policy } = vault
  return {
    version: vault.policyVersion,
    executorAddress: checksummed(policy.executorAddress),
    approverAddresses: policy.approverAddresses.map(checksummed),
    recipientAddresses: policy.recipientAddresses.map(checksummed),
    approvedCap: policy.approvedCap.toString(),
    automaticCap: policy.automaticCap.toString(),
    lifetimeCap: policy.lifetimeCap.toString(),
    reserveFloor: policy.reserveFloor.toString(),
    expiresAt: secondsToTimestamp(policy.expiresAtSeconds),
    automaticEnabled: policy.automaticEnabled,
    chainTransactionHash: vault.policyTransactionHash,
  }
}

export type Place = { transactionHash: Hex; blockNumber: bigint; blockHash: Hex }

/** With the log that the bundle claims, in the given transaction. */
export const claimedIn = (evidence: Evidence, place: Place): Evidence => ({
  ...evidence,
  event: {
    ...evidence.asked,
    transactionHash: place.transactionHash,
    blockNumber: Number(place.blockNumber),
    blockHash: place.blockHash,
  },
  matches: true,
})

const callOf = ({ asked, approval, payment }: Evidence): Hex =>
  encodePayment({
    vaultAddress: String(asked.vaultAddress),
    chainPaymentId: payment.chainPaymentId,
    recipientAddress: String(asked.recipientAddress),
    mode: payment.mode,
    amount: BigInt(asked.amountBaseUnits ?? 0),
    policyVersion: Number(asked.policyVersion),
    reportHash: String(asked.reportHash),
    expenseVersionHash: String(asked.expenseVersionHash),
    approvalDigest: String(asked.approvalDigest),
    approverAddress: String(asked.approverAddress),
    deadlineSeconds: Math.floor(new Date(payment.deadline).getTime() / 1000),
    approval: approval && {
      approvalId: approval.id,
      approverAddress: approval.approverAddress,
      signature: approval.signature,
    },
  }).data as Hex

/** Pays by the executor as the evidence states; the receipt must carry the vault's own log. */
export async function payFor(payer: Payer, evidence: Evidence): Promise<Evidence> {
  const to = String(evidence.asked.vaultAddress) as Address
  const receipt = await sent(payer, payer.executor, { to, data: callOf(evidence) })
  const isLogged = receipt.logs.some((log) => decodeVaultEvent(log)?.name === 'PaymentExecuted')
  if (!isLogged) throw new Error('The vault refused the payment')
  return claimedIn(evidence, receipt)
}

export const paid = async (payer: Payer, vault: PayingVault, terms: Terms = {}) =>
  payFor(payer, await evidenceFor(payer, vault, terms))
