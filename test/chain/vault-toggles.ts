/** Calls of an owner that turn something on or off again, and whether the database agrees. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { Address } from 'viem'
import { expect } from 'vitest'
import type { TestChain } from '#test/support/chain.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { listVaultRecipients } from '#treasury/vault-recipients.store.ts'
import type { Bench, Sent } from './bench.ts'
import {
  type Ledger,
  organizationOf,
  type Snapshot,
  vaultIdOf,
  type WatchedVault,
} from './ledger.ts'

export const SUPPLIER = `0x${'5a'.repeat(20)}`
export const OTHER = `0x${'5b'.repeat(20)}`

export type VaultToggles = {
  pauseOrUnpause(vault: WatchedVault): Promise<Sent>
  listOrStrike(vault: WatchedVault, account: string): Promise<Sent>
  blockOrUnblock(vault: WatchedVault, account: string): Promise<Sent>
  /** A new policy names the approver again. */
  revokeOrRestore(vault: WatchedVault): Promise<Sent>
  /** The list of recipients and the pauses are as the vault itself answers. */
  expectAgreement(ledger: Ledger, vault: WatchedVault, snapshot: Snapshot): Promise<void>
}

const at = ({ address }: WatchedVault) => ({ address: address as Address, abi: vaultAbi })

export function vaultToggles({ client }: TestChain, bench: Bench): VaultToggles {
  const read = (vault: WatchedVault, functionName: 'pauseNumber' | 'recipientsVersion') =>
    client.readContract({ ...at(vault), functionName })
  const recipientOf = (vault: WatchedVault, account: string) => {
    const args = [account as Address] as const
    return client.readContract({ ...at(vault), functionName: 'recipientOf', args })
  }
  return {
    async pauseOrUnpause(vault) {
      if (!(await bench.isPaused(vault))) return bench.pause(vault)
      return bench.callVault(vault, 'unpause', [await read(vault, 'pauseNumber')])
    },
    async listOrStrike(vault, account) {
      const { allowedFrom } = await recipientOf(vault, account)
      return bench.changeRecipients(vault, { [allowedFrom === 0n ? 'add' : 'remove']: [account] })
    },
    async blockOrUnblock(vault, account) {
      const { blocked } = await recipientOf(vault, account)
      return bench.callVault(vault, blocked ? 'unblockRecipient' : 'blockRecipient', [account])
    },
    async revokeOrRestore(vault) {
      const version = await bench.versionOf(vault)
      const { address: approver } = bench.approver
      const args = [BigInt(version), approver] as const
      const isApprover = { ...at(vault), functionName: 'isApprover', args } as const
      if (!(await client.readContract(isApprover))) return bench.configure(vault, version)
      return bench.callVault(vault, 'revokeApprover', [approver])
    },
    async expectAgreement(ledger, vault, { vaults }) {
      expect(vaults.find(({ address }) => address === vault.address)).toMatchObject({
        recipients_version: Number(await read(vault, 'recipientsVersion')),
        pause_number: Number(await read(vault, 'pauseNumber')),
      })
      const { policy, standings } = await readRows(ledger, vault, await bench.versionOf(vault))
      expect(policy?.paused ?? false).toBe(await bench.isPaused(vault))
      for (const account of [SUPPLIER, OTHER, bench.recipient.toLowerCase()]) {
        const { allowedFrom, blocked } = await recipientOf(vault, account)
        const known = standings.find(({ address }) => address === account)
        const seconds = known?.allowedFrom ? Date.parse(known.allowedFrom) / 1000 : 0
        expect([seconds > 0, known?.blocked ?? false]).toEqual([allowedFrom > 0n, blocked])
        // Earlier where the chain's clock is ahead of ours and the recipient counts at once.
        expect(seconds).toBeLessThanOrEqual(Number(allowedFrom))
      }
    },
  }
}

function readRows({ db }: Ledger, { address }: WatchedVault, version: number) {
  const key = { organizationId: organizationOf(address), vaultId: vaultIdOf(address) }
  return db.transaction(key, async (tx) => ({
    policy: await findPolicy(tx, { ...key, version }),
    standings: await listVaultRecipients(tx, key),
  }))
}
