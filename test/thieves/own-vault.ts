/** A true vault contract that belongs to the thief, and rows that call it the organization's. */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type Address, encodeDeployData, type Hex } from 'viem'
import { expect } from 'vitest'
import { vaultAbi, vaultCreationCode } from '#adapters/vault-artifact.ts'
import { organizationHash } from '#platform/digest.ts'
import type { TestWallet } from '#test/support/chain.ts'
import type { PayingHouse } from '#test/support/payments.ts'
import { deployedAt } from '#test/support/treasury.ts'
import type { Stage } from './stage.ts'

/** Its code, token and organization are what the service expects; only its owner is another. */
export async function deployOwnVault(
  { chain, house }: Stage,
  client: pg.Client,
  thief: TestWallet,
): Promise<Address> {
  const { rows } = await client.query('select salt from organizations where id = $1', [house.id])
  const hash = organizationHash({ organizationId: house.id, salt: rows[0].salt }) as Hex
  const data = encodeDeployData({
    abi: vaultAbi,
    bytecode: vaultCreationCode,
    args: [thief.address, chain.tokenAddress, hash],
  })
  return deployedAt(house.treasury, await thief.send({ to: null, data, gas: '0x4c4b40' }))
}

const ENORMOUS = 10n ** 15n

/** A policy with caps that no honest owner would sign. */
export async function configureOwnVault(
  { chain, house }: Stage,
  thief: TestWallet,
  address: Address,
): Promise<void> {
  const { address: approver } = await chain.wallet({ wei: 0n })
  const config = {
    executor: house.executor,
    expiresAt: 4_000_000_000n,
    automaticEnabled: true,
    paused: false,
    approvedCap: ENORMOUS,
    automaticCap: ENORMOUS,
    lifetimeCap: ENORMOUS,
    reserveFloor: 0n,
    approvers: [approver],
    recipients: [house.recipient],
  }
  const args = [0n, config]
  const hash = await thief.call({ address, abi: vaultAbi, functionName: 'configurePolicy', args })
  expect(await chain.mined(hash)).toBe('success')
}

/** Called verified, as an API process writes it once it has read a vault back from the chain. */
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
