/** The three hashes that hardware wallets show for an approval. */
import { concatHex, type Hex, keccak256, numberToHex, padHex, stringToHex } from 'viem'
import { type LinkedApproval, MESSAGE_FIELDS } from './approval-link.ts'

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const APPROVAL_TYPE =
  'PaymentApproval(bytes32 approvalId,address approver,bytes32 organizationHash,bytes32 paymentId,address token,address recipient,uint256 amount,uint64 policyVersion,bytes32 reportHash,bytes32 expenseVersionHash,uint64 deadline)'

const textHash = (text: string): Hex => keccak256(stringToHex(text))

/** Every value of an approval fills one word of 32 bytes. */
const word = (value: string): Hex =>
  value.startsWith('0x')
    ? padHex(value.toLowerCase() as Hex, { size: 32 })
    : numberToHex(BigInt(value), { size: 32 })

export type ApprovalHashes = { domain: Hex; message: Hex; digest: Hex }

/**
 * EIP-712 by hand. The digest is also computed by the library and by the vault itself; three ways
 * that agree leave little room for a mistake.
 */
export function approvalHashes({ chainId, vault, message }: LinkedApproval): ApprovalHashes {
  const domain = keccak256(
    concatHex([
      textHash(DOMAIN_TYPE),
      textHash('CountersignVault'),
      textHash('1'),
      word(String(chainId)),
      word(vault),
    ]),
  )
  const struct = keccak256(
    concatHex([textHash(APPROVAL_TYPE), ...MESSAGE_FIELDS.map((field) => word(message[field]))]),
  )
  return { domain, message: struct, digest: keccak256(concatHex(['0x1901', domain, struct])) }
}
