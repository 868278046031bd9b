/** A funding control in API form. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { ControlRow } from './controls.store.ts'
import type { ControlState } from './funding-control.machine.ts'

export const ALLOWED_FUNCTION = 'deposit(uint256)'
export const NATIVE_VALUE = '0'

export const PROBE_NOT_DENIED = 'probe_not_denied'
/** The read-back is equal, but an earlier negative test failed: a denied one must verify it. */
export const PROBE_AWAITED = 'probe_awaited'

export type FundingControl = {
  id: string
  organizationId: string
  vaultId: string
  providerPolicyId: string
  signerId: string
  attachmentState: ControlState
  constraints: {
    chainId: number
    vaultAddress: string
    allowedFunction: typeof ALLOWED_FUNCTION
    maxAmountBaseUnits: string
    nativeValue: typeof NATIVE_VALUE
    expiresAt: string
  }
  expiresAt: string
  readbackAt: string | null
  failureCode: string | null
}

export const toFundingControl = (row: ControlRow): FundingControl => ({
  id: row.id,
  organizationId: row.organizationId,
  vaultId: row.vaultId,
  providerPolicyId: row.policyId,
  signerId: row.signerId,
  attachmentState: row.state,
  constraints: {
    chainId: row.chainId,
    vaultAddress: checksummed(row.vaultAddress),
    allowedFunction: ALLOWED_FUNCTION,
    maxAmountBaseUnits: row.maxAmount.toString(),
    nativeValue: NATIVE_VALUE,
    expiresAt: row.expiresAt,
  },
  expiresAt: row.expiresAt,
  readbackAt: row.readbackAt,
  failureCode: row.failureCode,
})

/** Not ended: it prevents another control. */
export const isCurrent = ({ state }: Pick<ControlRow, 'state'>): boolean =>
  state === 'pending' || state === 'attached' || state === 'verified'

export const isExpired = ({ expiresAt }: Pick<ControlRow, 'expiresAt'>, now: Date): boolean =>
  expiresAt <= now.toISOString()

export const isProbeAwaited = ({
  state,
  failureCode,
}: Pick<ControlRow, 'state' | 'failureCode'>): boolean =>
  state === 'attached' && failureCode === PROBE_AWAITED
