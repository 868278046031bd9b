import {
  vaultArtifactHash,
  vaultCreationCode,
  vaultImmutableReferences,
  vaultMaskedRuntimeHash,
  vaultRuntimeCode,
} from '@countersign/proof/vault-artifact.ts'
import { keccak256 } from 'viem'
import { expect, test } from 'vitest'

test('the hashes are those of the code', () => {
  expect(keccak256(vaultCreationCode)).toBe(vaultArtifactHash)
  expect(keccak256(vaultRuntimeCode)).toBe(vaultMaskedRuntimeHash)
})

test('the runtime code is in the creation code and zero where values are written', () => {
  const runtime = vaultRuntimeCode.slice(2)
  expect(vaultCreationCode).toContain(runtime)
  expect(Object.keys(vaultImmutableReferences)).toContain('owner')
  for (const { start, length } of Object.values(vaultImmutableReferences).flat()) {
    expect(runtime.slice(start * 2, (start + length) * 2)).toBe('00'.repeat(length))
  }
})

test('the code fits the limit of the chain', () => {
  expect(vaultRuntimeCode.length / 2 - 1).toBeLessThan(24_576)
})
