import { digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import { describe, expect, it } from 'vitest'
import { approvalHashes } from './approval-hashes.ts'
import {
  decodeApproval,
  encodeApproval,
  type LinkedApproval,
  readTypedData,
} from './approval-link.ts'

const content = {
  chainId: 31337,
  vaultAddress: '0x619e4a9cbaa9e55aeb825d8abc2140138d4c677e',
  approvalId: '01a1e596-61ec-7e43-b1ee-27890f2ed349',
  approverAddress: '0x76e05b8aef2658a497781f4860814006498d2cc9',
  organizationHash: `0x${'7d'.repeat(32)}`,
  chainPaymentId: `0x${'5e'.repeat(32)}`,
  tokenAddress: '0x2ac0f866c3784644e308d717cd30265bd384a84b',
  recipientAddress: '0x304e22bca613ecb8958be63f78f20496e3ef39e7',
  amount: 1_850_000_000n,
  policyVersion: 1,
  reportHash: `0x${'e9'.repeat(32)}`,
  expenseVersionHash: `0x${'db'.repeat(32)}`,
  deadlineSeconds: 1_794_856_800,
}
const typedData = typedDataOf(content)
const approval: LinkedApproval = {
  chainId: typedData.domain.chainId,
  vault: typedData.domain.verifyingContract,
  message: typedData.message as LinkedApproval['message'],
}

describe('a link to an approval', () => {
  it('comes back as it was', () => {
    expect(decodeApproval(encodeApproval(approval))).toEqual(approval)
  })

  it('fits into a code that a camera reads', () => {
    expect(encodeApproval(approval).length).toBeLessThan(450)
  })

  it.each(['', 'AQ', '%%%', 'x'.repeat(401)])('refuses %j', (text) => {
    expect(decodeApproval(text)).toBeNull()
  })

  it('refuses one byte more or less, and another format', () => {
    const text = encodeApproval(approval)
    expect(decodeApproval(`${text}AAAA`)).toBeNull()
    expect(decodeApproval(text.slice(0, -4))).toBeNull()
    expect(decodeApproval(`B${text.slice(1)}`)).toBeNull()
  })
})

describe('typed data as text', () => {
  it('is read as the link is', () => {
    expect(readTypedData(JSON.stringify(typedData))).toEqual(approval)
  })

  it('is refused with another domain, another type, a missing or an additional field', () => {
    const { deadline: _left, ...shorter } = typedData.message
    const others = [
      { ...typedData, domain: { ...typedData.domain, name: 'Other' } },
      { ...typedData, primaryType: 'Permit' },
      { ...typedData, message: shorter },
      { ...typedData, message: { ...typedData.message, spender: '0x' } },
      { ...typedData, message: { ...typedData.message, amount: '-1' } },
    ]
    for (const other of others) expect(readTypedData(JSON.stringify(other))).toBeNull()
    expect(readTypedData('not json')).toBeNull()
    expect(readTypedData('null')).toBeNull()
  })
})

describe('hashes', () => {
  it("have the library's digest", () => {
    expect(approvalHashes(approval).digest).toBe(digestOf(content))
  })

  it('change with every field', () => {
    const digest = approvalHashes(approval).digest
    for (const field of Object.keys(approval.message)) {
      const value = approval.message[field as keyof typeof approval.message]
      const changed = value.startsWith('0x')
        ? `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`
        : String(BigInt(value) + 1n)
      const other = { ...approval, message: { ...approval.message, [field]: changed } }
      expect(approvalHashes(other).digest, field).not.toBe(digest)
    }
  })
})
