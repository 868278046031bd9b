/** What an approver signs, as the vault hashes it: EIP-712. Pure. */
import { type Address, type Hex, hashTypedData } from 'viem'

export const approvalDomain = ({ chainId, vault }: { chainId: number; vault: Address }) =>
  ({ name: 'CountersignVault', version: '1', chainId, verifyingContract: vault }) as const

const types = {
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
  hashTypedData({ domain: approvalDomain(vault), types, primaryType: 'PaymentApproval', message })
