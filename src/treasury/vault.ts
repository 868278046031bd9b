/** The vault as the API returns it, and whether it may be used. Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import type { VaultRow } from './vaults.store.ts'

/** What the follower derives from the logs. */
type Derived = 'balance' | 'spentTotal' | 'policyVersion' | 'recipientsVersion' | 'pauseNumber'

export type VaultRecord = Omit<VaultRow, 'state' | Derived> & { status: VaultRow['state'] }

export const toVaultRecord = ({
  state,
  balance: _balance,
  spentTotal: _spentTotal,
  policyVersion: _policyVersion,
  recipientsVersion: _recipientsVersion,
  pauseNumber: _pauseNumber,
  ...vault
}: VaultRow): VaultRecord => ({
  ...vault,
  address: checksummed(vault.address),
  tokenAddress: checksummed(vault.tokenAddress),
  ownerAddress: checksummed(vault.ownerAddress),
  status: state,
})

export function requireVisible(label: string): void {
  if (isVisible(label)) return
  throw new AppError('validation_failed', { message: '`label` must have a visible character.' })
}

export function requireUsable(vault: Pick<VaultRow, 'state' | 'archivedAt'>): void {
  if (vault.archivedAt !== null) throw new AppError('vault_archived')
  if (vault.state !== 'verified') throw new AppError('vault_unverified')
}
