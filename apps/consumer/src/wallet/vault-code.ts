/** What the code at an address says, if it is the code of the published vault. */
import {
  vaultImmutableReferences,
  vaultMaskedRuntimeHash,
} from '@countersign/proof/vault-artifact.ts'
import { type Address, getAddress, type Hex, keccak256 } from 'viem'

export type VaultInCode = {
  owner: Address
  token: Address
  organizationHash: Hex
  changeDelaySeconds: number
}

type Immutable = keyof typeof vaultImmutableReferences
type Place = { start: number; length: number }

const DIGITS = 2

const digitsAt = (digits: string, { start, length }: Place): string =>
  digits.slice(start * DIGITS, (start + length) * DIGITS)

function masked(digits: string): string {
  let rest = digits
  for (const places of Object.values(vaultImmutableReferences)) {
    for (const { start, length } of places) {
      const zeros = '00'.repeat(length)
      rest = rest.slice(0, start * DIGITS) + zeros + rest.slice((start + length) * DIGITS)
    }
  }
  return rest
}

/** A value stands in several places of the code; all must say the same. */
function immutable(digits: string, name: Immutable): string | null {
  const values = vaultImmutableReferences[name].map((place) => digitsAt(digits, place))
  return new Set(values).size === 1 ? (values[0] ?? null) : null
}

const addressIn = (word: string): Address => getAddress(`0x${word.slice(24)}`)

/**
 * Null unless the code is the published vault's, made for this address and chain. A counterfeit can
 * answer every question rightly and obey someone else.
 */
export function vaultInCode(
  code: Hex,
  { chainId, address }: { chainId: number; address: Address },
): VaultInCode | null {
  const digits = code.slice(2).toLowerCase()
  if (keccak256(`0x${masked(digits)}`) !== vaultMaskedRuntimeHash) return null
  const [owner, token, organization, itself, chain, delay] = (
    [
      'owner',
      'token',
      'organizationHash',
      'cachedThis',
      'cachedChainId',
      'changeDelaySeconds',
    ] as const
  ).map((name) => immutable(digits, name))
  if (!owner || !token || !organization || !itself || !chain || !delay) return null
  if (addressIn(itself) !== getAddress(address) || BigInt(`0x${chain}`) !== BigInt(chainId)) {
    return null
  }
  return {
    owner: addressIn(owner),
    token: addressIn(token),
    organizationHash: `0x${organization}`,
    changeDelaySeconds: Number(BigInt(`0x${delay}`)),
  }
}
