/**
 * Decodes and checks what an owner is about to sign: the transaction of a vault deployment or a
 * policy intent, or a bare one.
 */
import {
  type DecodedTransaction,
  decodeOwnerTransaction,
  UndecodableTransaction,
} from '@countersign/proof/owner-call.ts'
import {
  compareWithRequest,
  type Difference,
  type RequestedCall,
} from '@countersign/proof/owner-call-comparison.ts'
import { parseJsonTransaction, parseSerialized } from '@countersign/proof/owner-call-input.ts'
import { compareWithStatement } from '@countersign/proof/owner-call-statement.ts'
import { describeOwnerCall, type TokenUnits } from '@countersign/proof/owner-call-text.ts'

export type OwnerTransactionCheck =
  | {
      ok: true
      /** One line for each field, nothing left out: show them before the wallet opens. */
      lines: string[]
      /** Give the wallet this transaction, not the one that came in. */
      decoded: DecodedTransaction
    }
  /** Do not sign. */
  | {
      ok: false
      reason: 'undecodable' | 'differs'
      message: string
      differences: Difference[]
    }

const refusal = (
  reason: 'undecodable' | 'differs',
  message: string,
  differences: Difference[] = [],
): OwnerTransactionCheck => ({ ok: false, reason, message, differences })

/**
 * `transaction`: what the API returned (`prepareVaultDeployment`, `preparePolicy`), the object of
 * `eth_sendTransaction`, or a serialized transaction in hex. `requested`: every field of the call
 * that the owner asked for, from the owner's own input.
 */
export function checkOwnerTransaction(
  transaction: unknown,
  requested: RequestedCall,
  units?: TokenUnits,
): OwnerTransactionCheck {
  try {
    const { decoded, stated } = decode(transaction)
    const asked = compareWithRequest(decoded, requested)
    if (asked.length > 0) return refusal('differs', 'It does not do what was asked for.', asked)
    if (stated.length > 0) return refusal('differs', 'It does not do what the API states.', stated)
    return { ok: true, lines: describeOwnerCall(decoded, units), decoded }
  } catch (error) {
    if (!(error instanceof UndecodableTransaction)) throw error
    return refusal('undecodable', error.message)
  }
}

function decode(input: unknown): { decoded: DecodedTransaction; stated: Difference[] } {
  if (typeof input === 'string') {
    return { decoded: decodeOwnerTransaction(parseSerialized(input)), stated: [] }
  }
  const { transaction, statement } = parseJsonTransaction(input)
  const decoded = decodeOwnerTransaction(transaction)
  return { decoded, stated: statement === null ? [] : compareWithStatement(decoded, statement) }
}
