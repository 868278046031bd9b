/** Vaults that no compiler made: the artifact's code with other values and preset storage. */
import { vaultImmutableReferences } from '@countersign/proof/vault-artifact.ts'
import { concatHex, type Hex, numberToHex, pad, size } from 'viem'

/** Every place of every immutable in the code. */
export const immutablePlaces = Object.entries(vaultImmutableReferences).flatMap(([name, places]) =>
  places.map(({ start, length }, index) => ({ name, index, start, end: start + length })),
)

/** Changes the last byte of the value at one place; all other places keep theirs. */
export function doctored(code: Hex, { end }: { end: number }): Hex {
  const at = end * 2
  const byte = Number.parseInt(code.slice(at, at + 2), 16) ^ 1
  return `0x${code.slice(2, at)}${byte.toString(16).padStart(2, '0')}${code.slice(at + 2)}`
}

export type Filled = readonly (readonly [slot: Hex, value: bigint])[]

/** OpenZeppelin's `nonReentrant` lock; its constructor sets it to 1. */
export const LOCK = '0x9b779b17422d0df92223018b32b4d1fa46e071723d6817e2486d003becc55f00'

/** Creation code that writes the storage and returns the code; `prefix` bytes go before it. */
export function creationOf(runtime: Hex, storage: Filled = [[LOCK, 1n]], prefix = 0): Hex {
  const writes = storage.map(([slot, value]) =>
    concatHex(['0x7f', numberToHex(value, { size: 32 }), '0x7f', pad(slot, { size: 32 }), '0x55']),
  )
  const written = concatHex(['0x', ...writes])
  const length = numberToHex(size(runtime), { size: 2 })
  const offset = numberToHex(prefix + size(written) + 12, { size: 2 })
  // Copies what follows these twelve bytes and returns it.
  return concatHex([written, '0x61', length, '0x80', '0x61', offset, '0x5f395ff3', '0x00', runtime])
}
