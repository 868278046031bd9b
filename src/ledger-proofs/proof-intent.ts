/** The request for a proof, and the intent that a hardware wallet signs. Pure. */
import { canonicalJson, textHash } from '@countersign/proof/digest.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import { ZERO_ADDRESS } from '@countersign/proof/values.ts'
import { AppError } from '#platform/errors.ts'
import type { PreparedTransaction } from '#ports/chain.ts'

export type ProofKind = 'deployment' | 'funding' | 'configure' | 'approval'

/** Addresses are lower case, as the contract requires for these bodies. */
export type ProofRequest = {
  kind: ProofKind
  signer: string
  owner: string
  vault?: string
  executor?: string
  recipient?: string
  paymentIntentId?: string
}

type OptionalField = 'vault' | 'executor' | 'recipient' | 'paymentIntentId'

/** Fields that the kind neither needs nor compares are ignored and not stored. */
const fields: Record<ProofKind, { needs: OptionalField[]; compares: OptionalField[] }> = {
  deployment: { needs: [], compares: [] },
  funding: { needs: ['vault'], compares: [] },
  configure: { needs: ['vault', 'executor', 'recipient'], compares: [] },
  approval: { needs: ['paymentIntentId'], compares: ['vault', 'recipient'] },
}

export const invalid = (message: string) => new AppError('validation_failed', { message })

export function requireFields(request: ProofRequest): void {
  const { kind } = request
  const { needs, compares } = fields[kind]
  const missing = needs.find((name) => request[name] === undefined)
  if (missing) throw invalid(`\`${missing}\` is required for the kind ${kind}.`)
  const used = ['signer', 'owner', ...needs, ...compares] as const
  const zero = used.find((name) => request[name] === ZERO_ADDRESS)
  if (zero) throw invalid(`\`${zero}\` must not be the zero address.`)
  if (kind === 'configure' && request.signer !== request.owner) {
    throw invalid('`signer` must be the owner: only the owner can configure the vault.')
  }
}

/** The value of a field that `requireFields` has checked. */
export const given = (request: ProofRequest, name: OptionalField): string => {
  const value = request[name]
  if (value === undefined) throw new Error(`The field ${name} was not required`)
  return value
}

type ToSign = { transaction: PreparedTransaction } | { typedData: TypedData; digest: string }

export type ProofIntent = {
  version: 1
  kind: ProofKind
  organizationId: string
  signer: string
  owner: string
} & ToSign

/** The stored text and its hash, so that anyone can verify what they were shown. */
export function sealIntent(intent: ProofIntent): { intentJson: string; intentHash: string } {
  const intentJson = canonicalJson(intent)
  return { intentJson, intentHash: textHash(intentJson) }
}

export const readIntent = (intentJson: string): ProofIntent => JSON.parse(intentJson)
