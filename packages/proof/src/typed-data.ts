/** What an approver signs: every field that decides the payment, and its digest. Pure. */
import { type Address, type Hex, hashTypedData, recoverAddress } from 'viem'
import { uuidToBytes32 } from './digest.ts'
import { checksummed } from './values.ts'

const APPROVAL_TYPES = {
  PaymentApproval: [
    { name: 'approvalId', type: 'bytes32' },
    { name: 'approver', type: 'address' },
    { name: 'organizationHash', type: 'bytes32' },
    { name: 'paymentId', type: 'bytes32' },
    { name: 'token', type: 'address' },
    { name: 'recipient', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'policyVersion', type: 'uint64' },
    { name: 'reportHash', type: 'bytes32' },
    { name: 'expenseVersionHash', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
} as const

/** Addresses are lower case. */
export type ApprovalContent = {
  chainId: number
  vaultAddress: string
  approvalId: string
  approverAddress: string
  organizationHash: string
  chainPaymentId: string
  tokenAddress: string
  recipientAddress: string
  amount: bigint
  policyVersion: number
  reportHash: string
  expenseVersionHash: string
  deadlineSeconds: number
}

export type TypedData = {
  domain: { name: string; version: string; chainId: number; verifyingContract: Address }
  types: Record<string, { name: string; type: string }[]>
  primaryType: 'PaymentApproval'
  message: Record<string, string>
}

const DOMAIN_TYPE = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** Ready for `eth_signTypedData_v4`: numbers as decimal strings. */
export const typedDataOf = (content: ApprovalContent): TypedData => ({
  domain: approvalDomain({
    chainId: content.chainId,
    vault: checksummed(content.vaultAddress) as Address,
  }),
  types: { EIP712Domain: DOMAIN_TYPE, PaymentApproval: [...APPROVAL_TYPES.PaymentApproval] },
  primaryType: 'PaymentApproval',
  message: {
    approvalId: uuidToBytes32(content.approvalId),
    approver: checksummed(content.approverAddress),
    organizationHash: content.organizationHash,
    paymentId: content.chainPaymentId,
    token: checksummed(content.tokenAddress),
    recipient: checksummed(content.recipientAddress),
    amount: content.amount.toString(),
    policyVersion: content.policyVersion.toString(),
    reportHash: content.reportHash,
    expenseVersionHash: content.expenseVersionHash,
    deadline: content.deadlineSeconds.toString(),
  },
})

export const approvalDomain = ({ chainId, vault }: { chainId: number; vault: Address }) =>
  ({ name: 'CountersignVault', version: '1', chainId, verifyingContract: vault }) as const

/** The message as the vault's own types have it. */
export type PaymentApproval = {
  approvalId: Hex
  approver: Address
  organizationHash: Hex
  paymentId: Hex
  token: Address
  recipient: Address
  amount: bigint
  policyVersion: bigint
  reportHash: Hex
  expenseVersionHash: Hex
  deadline: bigint
}

export const approvalDigest = (
  vault: { chainId: number; vault: Address },
  message: PaymentApproval,
): Hex =>
  hashTypedData({
    domain: approvalDomain(vault),
    types: APPROVAL_TYPES,
    primaryType: 'PaymentApproval',
    message,
  })

export const digestOf = (content: ApprovalContent): string =>
  approvalDigest(
    { chainId: content.chainId, vault: content.vaultAddress as Address },
    {
      approvalId: uuidToBytes32(content.approvalId),
      approver: content.approverAddress as Address,
      organizationHash: content.organizationHash as Hex,
      paymentId: content.chainPaymentId as Hex,
      token: content.tokenAddress as Address,
      recipient: content.recipientAddress as Address,
      amount: content.amount,
      policyVersion: BigInt(content.policyVersion),
      reportHash: content.reportHash as Hex,
      expenseVersionHash: content.expenseVersionHash as Hex,
      deadline: BigInt(content.deadlineSeconds),
    },
  )

const LENGTH_65 = 2 + 65 * 2
const HALF_ORDER = BigInt('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0')

/** As the vault does it first: 65 bytes, the lower s, v 27 or 28. Undefined for any other. */
export async function signerOf(digest: string, signature: string): Promise<string | undefined> {
  if (signature.length !== LENGTH_65) return undefined
  const [s, v] = [BigInt(`0x${signature.slice(66, 130)}`), signature.slice(130)]
  if (s > HALF_ORDER || (v !== '1b' && v !== '1c')) return undefined
  try {
    const signer = await recoverAddress({ hash: digest as Hex, signature: signature as Hex })
    return signer.toLowerCase()
  } catch {
    return undefined
  }
}
