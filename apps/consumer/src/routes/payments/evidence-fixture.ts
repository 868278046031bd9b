/** The evidence of a payment for tests: honest, with as many signatures as are asked for. */
import { canonicalHash, chainPaymentIdOf } from '@countersign/proof/digest.ts'
import type { Evidence, EvidenceApproval } from '@countersign/proof/evidence.ts'
import { digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const UUID = '01a1e596-61ec-7e43-b1ee-27890f2ed34'
const ADDRESS = (digit: string) => `0x${digit.repeat(40)}`
const HASH = (digits: string) => `0x${digits.repeat(32)}`
const DEADLINE = '2026-11-18T12:00:00.000Z'

const accounts = ['11', '22', '33']
  .map((digits) => privateKeyToAccount(`0x${digits.repeat(32)}`))
  .sort((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))

const fields = {
  organizationId: `${UUID}1`,
  expenseId: `${UUID}2`,
  revision: 1,
  vaultId: `${UUID}3`,
  vaultAddress: ADDRESS('a'),
  chainId: 31_337,
  tokenAddress: ADDRESS('b'),
  recipientAddress: ADDRESS('c'),
  requestedMode: 'approved' as const,
  purpose: 'Printing of 500 copies',
}
const amount = 700n
const output = { summary: 'fine', recommendation: 'approve', riskScore: 0, checks: [] }
const organizationHash = HASH('7d')

const content = {
  ...fields,
  amount,
  organizationHash,
  chainPaymentId: chainPaymentIdOf({
    chainId: fields.chainId,
    organizationHash,
    paymentId: `${UUID}4`,
  }),
  policyVersion: 3,
  reportHash: canonicalHash(output),
  expenseVersionHash: versionHashOf({ ...fields, amount, attachments: [] }),
  deadlineSeconds: Date.parse(DEADLINE) / 1_000,
}

async function signedBy(account: (typeof accounts)[number], id: string): Promise<EvidenceApproval> {
  const own = { ...content, approvalId: id, approverAddress: account.address.toLowerCase() }
  const digest = digestOf(own)
  const signature = await account.sign({ hash: digest as Hex })
  return { id, approverAddress: account.address, digest, signature, typedData: typedDataOf(own) }
}

/** `required` of the policy, `signed` of the payment. Only a complete one is on the chain. */
export async function evidenceWith(required: number, signed = required): Promise<Evidence> {
  const approvals = await Promise.all(
    accounts.slice(0, signed).map((account, index) => signedBy(account, `${UUID}${index + 5}`)),
  )
  const asked = {
    vaultAddress: fields.vaultAddress,
    chainPaymentId: content.chainPaymentId,
    recipientAddress: fields.recipientAddress,
    mode: 'approved' as const,
    amountBaseUnits: amount.toString(),
    policyVersion: 3,
    reportHash: content.reportHash,
    expenseVersionHash: content.expenseVersionHash,
    approvalDigests: approvals.map(({ digest }) => digest),
    approverAddresses: approvals.map(({ approverAddress }) => approverAddress),
  }
  const isPaid = signed === required
  const event = { ...asked, transactionHash: HASH('ab'), blockNumber: 12, blockHash: HASH('cd') }
  return {
    version: 2,
    revision: {
      ...fields,
      amountBaseUnits: amount.toString(),
      versionHash: content.expenseVersionHash,
    },
    report: { id: `${UUID}9`, reportHash: content.reportHash, output },
    policy: policyFor(required),
    recipient: {
      recipientsVersion: 2,
      allowedFrom: '2026-11-01T00:00:00.000Z',
      transactionHash: HASH('ef'),
    },
    approval: approvals[0] ?? null,
    approvals,
    payment: {
      id: `${UUID}4`,
      organizationHash,
      chainPaymentId: content.chainPaymentId,
      mode: 'approved',
      deadline: DEADLINE,
    },
    asked,
    event: isPaid ? event : null,
    matches: isPaid,
  }
}

const policyFor = (required: number): NonNullable<Evidence['policy']> => ({
  version: 3,
  executorAddress: ADDRESS('d'),
  approverAddresses: accounts.map(({ address }) => address),
  approvedCap: '1000',
  automaticCap: '100',
  lifetimeCap: '100000',
  reserveFloor: '0',
  periodSeconds: 86_400,
  periodCap: '5000',
  automaticPeriodCap: '500',
  tiers: required > 1 ? [{ above: '500', approvals: required }] : [],
  expiresAt: '2027-11-18T12:00:00.000Z',
  automaticEnabled: true,
  chainTransactionHash: HASH('12'),
  proposal: null,
})
