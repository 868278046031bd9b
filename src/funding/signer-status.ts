/** The status of the funding signer and the reasons why it cannot deposit. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { FundingSigner } from '#ports/funding-provider.ts'
import type { ControlRow, DepositorRole } from './controls.store.ts'
import { ALLOWED_FUNCTION, isExpired, NATIVE_VALUE } from './funding-control.ts'

/** In the order in which they are listed. */
export const blockers = [
  'signer_not_configured',
  'no_vault',
  'vault_unverified',
  'control_missing',
  'control_unverified',
  'policy_expired',
  'allowance_missing',
  'wallet_unfunded',
  'provider_unavailable',
] as const
type Blocker = (typeof blockers)[number]

export type SignerStatus = {
  enabled: boolean
  signerId: string | null
  policyId: string | null
  chainId: number
  vaultAddress: string
  allowedFunction: typeof ALLOWED_FUNCTION
  maxAmountBaseUnits: string | null
  nativeValue: typeof NATIVE_VALUE
  expiresAt: string | null
  signerStatus: 'unavailable' | 'unverified' | 'attached' | 'not_attached'
  policyStatus: 'unavailable' | 'unverified' | 'verified' | 'invalid' | 'expired'
  evidenceStatus: 'live-unproven'
  blockers: Blocker[]
  walletRoles: DepositorRole[]
}

export type SignerFacts = {
  now: Date
  chainId: number
  /** The limit of a new control. */
  maxAmount: bigint
  /** The signer for the vault; undefined without a provider or a vault. */
  signer: FundingSigner | undefined
  isConfigured: boolean
  vault: { address: string; state: string } | undefined
  /** The vault's newest control, unless it is revoked. */
  control: ControlRow | undefined
  /** The control's wallet may still deposit for the organization. */
  isDepositor: boolean
  roles: readonly DepositorRole[]
}

export function toSignerStatus(facts: SignerFacts): SignerStatus {
  const { vault, control, signer, isConfigured } = facts
  const named = control && control.state !== 'failed' ? control : signer
  const maxAmount = control?.maxAmount ?? facts.maxAmount
  return {
    enabled: isConfigured,
    signerId: named?.signerId ?? null,
    policyId: named?.policyId ?? null,
    chainId: facts.chainId,
    vaultAddress: vault ? checksummed(vault.address) : '',
    allowedFunction: ALLOWED_FUNCTION,
    maxAmountBaseUnits: isConfigured ? maxAmount.toString() : null,
    nativeValue: NATIVE_VALUE,
    expiresAt: control?.expiresAt ?? signer?.expiresAt ?? null,
    signerStatus: signerStatusOf(facts),
    policyStatus: policyStatusOf(facts),
    evidenceStatus: 'live-unproven',
    blockers: blockersOf(facts),
    walletRoles: facts.roles.map((role) => ({ ...role, address: checksummed(role.address) })),
  }
}

function signerStatusOf({ isConfigured, control }: SignerFacts): SignerStatus['signerStatus'] {
  if (!isConfigured || control?.isProviderSilent) return 'unavailable'
  if (!control || control.state === 'failed') return 'not_attached'
  return control.state === 'pending' ? 'unverified' : 'attached'
}

function policyStatusOf(facts: SignerFacts): SignerStatus['policyStatus'] {
  const { isConfigured, control, now } = facts
  if (!isConfigured || !control || control.isProviderSilent) return 'unavailable'
  if (control.failureCode !== null) return 'invalid'
  if (isExpired(control, now)) return 'expired'
  return control.state === 'verified' ? 'verified' : 'unverified'
}

/** Blockers that depend on a missing earlier one are left out. */
function blockersOf(facts: SignerFacts): Blocker[] {
  const { vault, control, now } = facts
  const isUnfunded = control?.balance === 0n || control?.gasWei === 0n
  const judged: [Blocker, boolean | undefined][] = [
    ['signer_not_configured', !facts.isConfigured],
    ['no_vault', !vault],
    ['vault_unverified', vault && vault.state !== 'verified'],
    ['control_missing', vault && !control],
    ['control_unverified', control && (control.state !== 'verified' || !facts.isDepositor)],
    ['policy_expired', control && isExpired(control, now)],
    ['allowance_missing', control && (control.allowance ?? 0n) === 0n],
    ['wallet_unfunded', control && (control.balance === null || isUnfunded)],
    ['provider_unavailable', control?.isProviderSilent],
  ]
  return judged.flatMap(([blocker, holds]) => (holds ? [blocker] : []))
}
