import { getAddress, type Hex, isAddressEqual } from 'viem'
import { vaultInCode } from './vault-code.ts'

/** A vault as the service describes it. */
export type DescribedVault = {
  token: string
  vault: string
  owner: string
  chainId: number
  /** Where it matters how long changes wait. */
  changeDelaySeconds?: number
}

/**
 * Whether the code is the published vault of this token and owner. A counterfeit answers every
 * question rightly, and allowing it to take tokens is enough to lose them.
 */
export function isVaultOf(code: Hex, described: DescribedVault): boolean {
  const { token, vault, owner, chainId, changeDelaySeconds } = described
  const found = vaultInCode(code, { chainId, address: getAddress(vault) })
  return (
    found !== null &&
    isAddressEqual(found.token, getAddress(token)) &&
    isAddressEqual(found.owner, getAddress(owner)) &&
    (changeDelaySeconds === undefined || found.changeDelaySeconds === changeDelaySeconds)
  )
}
