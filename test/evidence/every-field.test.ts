/** Every field of a bundle, changed by one: offline, or with a node where only the chain tells. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { verifyEvidence } from '@countersign/proof/verify-evidence.ts'
import { beforeAll, expect, test } from 'vitest'
import { paid } from '#test/support/evidence.ts'
import {
  activate,
  openVault,
  policyOf,
  propose,
  tieredBy,
  waitUntil,
} from '#test/support/paying-vaults.ts'
import { withChangedField } from './changed-field.ts'
import { PERIOD, useStage } from './stage.ts'
import { verdictsBy } from './verdicts.ts'

const stage = useStage()
const { check, expectRefused } = verdictsBy(() => stage.proxy.url)

/** Signed by two, under a policy that has waited, in a period with caps. */
let evidence: Evidence

const attachment = (digit: string) => ({
  name: 'receipt.pdf',
  mediaType: 'application/pdf',
  sizeBytes: 1_000,
  sha256: digit.repeat(64),
})

beforeAll(async () => {
  const { payer } = stage
  const first = await openVault(payer, { changeDelaySeconds: 3_600 })
  const policy = policyOf(payer, { ...tieredBy(payer), ...PERIOD })
  const proposal = await propose(payer, first, policy)
  await waitUntil(payer, proposal.activatesAtSeconds)
  const vault = await activate(payer, first, { policy, proposal })
  const details = {
    attachments: [attachment('a'), attachment('b')],
    category: '6670',
    reference: 'INV-17',
    dueDate: '2099-12-31',
  }
  evidence = await paid(payer, vault, { details })
})

/** The check that must fail for each field that is covered. */
const fields: [path: string, link: string][] = [
  ['revision.organizationId', 'revision hash from its fields'],
  ['revision.expenseId', 'revision hash from its fields'],
  ['revision.revision', 'revision hash from its fields'],
  ['revision.vaultId', 'revision hash from its fields'],
  ['revision.chainId', 'revision hash from its fields'],
  ['revision.purpose', 'revision hash from its fields'],
  ['revision.amountBaseUnits', 'revision hash from its fields'],
  ['revision.recipientAddress', 'revision hash from its fields'],
  ['revision.vaultAddress', 'revision hash from its fields'],
  ['revision.tokenAddress', 'revision hash from its fields'],
  ['revision.attachments.0.sha256', 'revision hash from its fields'],
  ['revision.attachments.1.sha256', 'revision hash from its fields'],
  ['revision.category', 'revision hash from its fields'],
  ['revision.reference', 'revision hash from its fields'],
  ['revision.dueDate', 'revision hash from its fields'],
  ['revision.versionHash', 'revision hash from its fields'],
  ['report.reportHash', 'report hash from its output'],
  ['report.output.riskScore', 'report hash from its output'],
  ['policy.version', 'asked: policy version'],
  ['approval.id', 'first signature among all'],
  ['approval.approverAddress', 'first signature among all'],
  ['approval.digest', 'first signature among all'],
  ['approval.signature', 'first signature among all'],
  ...[0, 1].flatMap((index): [string, string][] => [
    [`approvals.${index}.id`, 'digest from what was to be signed'],
    [`approvals.${index}.approverAddress`, 'digest from what was to be signed'],
    [`approvals.${index}.digest`, 'digest from what was to be signed'],
    [`approvals.${index}.signature`, "signature by the approver's key"],
    [`approvals.${index}.typedData.message.amount`, 'what was shown to be signed'],
    [`approvals.${index}.typedData.domain.chainId`, 'what was shown to be signed'],
  ]),
  ['payment.id', 'payment id on the chain from the payment'],
  ['payment.organizationHash', 'payment id on the chain from the payment'],
  ['payment.chainPaymentId', 'payment id on the chain from the payment'],
  ['payment.deadline', 'digest from what was to be signed'],
  ...[
    ...['vaultAddress', 'chainPaymentId', 'recipientAddress', 'amountBaseUnits'],
    ...['policyVersion', 'reportHash', 'expenseVersionHash'],
    ...['approvalDigests.0', 'approvalDigests.1', 'approverAddresses.0', 'approverAddresses.1'],
  ].flatMap((name): [string, string][] => [
    [`asked.${name}`, "the vault's log says what was asked"],
    [`event.${name}`, "the vault's log says what was asked"],
  ]),
]

test('the evidence itself is verified', async () => {
  expect((await check(evidence)).verdict).toBe('verified')
})

test.each(fields)('%s changed by one fails "%s" offline', async (path, link) => {
  const findings = await verifyEvidence(withChangedField(evidence, path))
  const failed = findings.filter(({ holds }) => !holds).map((finding) => finding.link)
  expect(failed).toContain(link)
})

const TERMS = 'chain: the policy matches the bundle'

/** Fields that no hash of the bundle covers. */
const onChain: [path: string, link: string][] = [
  ...[
    ...['executorAddress', 'approverAddresses.0', 'approvedCap', 'automaticCap', 'lifetimeCap'],
    ...['reserveFloor', 'periodSeconds', 'periodCap', 'automaticPeriodCap', 'tiers.0.above'],
    ...['tiers.1.above', 'tiers.1.approvals', 'expiresAt', 'automaticEnabled'],
  ].map((name): [string, string] => [`policy.${name}`, TERMS]),
  ['policy.chainTransactionHash', 'chain: the policy was configured'],
  ['policy.proposal.id', 'chain: the policy waited'],
  ['policy.proposal.transactionHash', 'chain: the policy waited'],
  ['policy.proposal.activatesAt', 'chain: the policy waited'],
  ['recipient.recipientsVersion', 'chain: the recipient was allowed'],
  ['recipient.allowedFrom', 'chain: the recipient was allowed'],
  ['recipient.transactionHash', 'chain: the recipient was allowed'],
  ['event.transactionHash', 'chain: transaction'],
  ['event.blockNumber', 'chain: block number'],
  ['event.blockHash', 'chain: block hash'],
]

test.each(onChain)('%s changed by one fails "%s" with a node', async (path, link) => {
  await expectRefused(withChangedField(evidence, path), [link])
})
