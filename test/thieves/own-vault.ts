/** A genuine vault contract owned by the attacker, and rows that claim it for the organization. */
import { randomUUID } from 'node:crypto'
import { organizationHash } from '@countersign/proof/digest.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import type pg from 'pg'
import { type Address, encodeDeployData, type Hex } from 'viem'
import { expect } from 'vitest'
import type { TestWallet } from '#test/support/chain.ts'
import type { PayingHouse } from '#test/support/payments.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'
import { deployedAt } from '#test/support/treasury.ts'
import type { StageHere } from './stage.ts'

/** Its code, token and organization are as expected; only its owner differs. */
export async function deployOwnVault(
  { chain, house }: StageHere,
  client: pg.Client,
  thief: TestWallet,
): Promise<Address> {
  const { rows } = await client.query('select salt from organizations where id = $1', [house.id])
  const hash = organizationHash({ organizationId: house.id, salt: rows[0].salt }) as Hex
  const data = encodeDeployData({
    abi: vaultAbi,
    bytecode: vaultCreationCode,
    args: [thief.address, chain.tokenAddress, hash, 0],
  })
  return deployedAt(house.treasury, await thief.send({ to: null, data, gas: '0x7a1200' }))
}

export type DirectPolicy = {
  address: Address
  /** The current version, which this policy replaces. */
  version: bigint
  cap: bigint
  automaticCap?: bigint
  lifetimeCap?: bigint
  reserveFloor?: bigint
  automaticEnabled?: boolean
  periodSeconds?: number
  periodCap?: bigint
  automaticPeriodCap?: bigint
}

/** Signs as a vault's owner without the service. A vault's first policy lists the recipient. */
export async function configureDirectly(
  { chain, house }: StageHere,
  owner: TestWallet,
  { address, version, cap, ...terms }: DirectPolicy,
): Promise<void> {
  const config = {
    executor: house.executor,
    expiresAt: 4_000_000_000n,
    automaticEnabled: true,
    paused: false,
    approvedCap: cap,
    automaticCap: cap,
    lifetimeCap: cap,
    reserveFloor: 0n,
    ...withoutPeriod,
    ...terms,
    approvers: [house.approverWallet.address],
  }
  const call =
    version === 0n
      ? {
          functionName: 'configurePolicyAndRecipients',
          args: [version, config, 0n, [house.recipient], []],
        }
      : { functionName: 'configurePolicy', args: [version, config] }
  const hash = await owner.call({ address, abi: vaultAbi, ...call })
  expect(await chain.mined(hash)).toBe('success')
}

/** Marked as verified, as an API process does after reading a vault back from the chain. */
export async function insertVaultRow(
  client: pg.Client,
  house: PayingHouse,
  { address, ownerAddress }: { address: string; ownerAddress: string },
): Promise<string> {
  const id = randomUUID()
  await client.query(
    `insert into vaults (id, organization_id, label, created_by_account_id, chain_id, address,
       token_address, owner_address, artifact_hash, deployment_transaction_hash, state, created_at,
       is_default)
     select $1, organization_id, 'Main', created_by_account_id, chain_id, lower($3), token_address,
       lower($4), artifact_hash, deployment_transaction_hash, 'verified', now(), false
     from vaults where id = $2`,
    [id, house.vault.id, address, ownerAddress],
  )
  return id
}
