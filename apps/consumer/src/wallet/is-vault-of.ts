import { getAddress, type Hex, isAddressEqual } from 'viem'
import { vaultInCode } from './vault-code.ts'

/** A vault as the service describes it. */
export type DescribedVault = { token: string; vault: string; owner: string; chainId: number }

/**
 * Whether the code is the published vault of this token and owner. A counterfeit answers every
 * question rightly, and allowing it to take tokens is enough to lose them.
 */
export function isVaultOf(code: Hex, { token, vault, owner, chainId }: DescribedVault): boolean {
  const found = vaultInCode(code, { chainId, address: getAddress(vault) })
  return (
    found !== null &&
    isAddressEqual(found.token, getAddress(token)) &&
    isAddressEqual(found.owner, getAddress(owner))
  )
}
