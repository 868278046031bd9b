/** What a test reads and does without the service: on the chain, and in the rows. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import type { TestWallet } from './chain.ts'
import type { PayingHouse } from './payments.ts'

/** The vault's payments, from its own logs. */
export async function executions(house: PayingHouse): Promise<string[]> {
  const logs = await house.treasury.chain.client.getContractEvents({
    address: house.vault.address,
    abi: vaultAbi,
    eventName: 'PaymentExecuted',
    fromBlock: 0n,
  })
  return logs.map(({ args }) => args.paymentId ?? '')
}

export type ApprovalInRows = { state: string; cancelled: boolean; end_code: string | null }

/** Approvals are visible only in the rows; `liftOwnersRowSecurity` must have been called. */
export async function approvalInRows(house: PayingHouse, id: string): Promise<ApprovalInRows> {
  const [row] = await house.treasury.service.database.asOwner<ApprovalInRows>(
    'select state, cancelled_at is not null as cancelled, end_code from approvals where id = $1',
    [id],
  )
  if (!row) throw new Error(`There is no approval ${id}`)
  return row
}

/** Pauses or unpauses the test USDC as its administrator. */
export const pauseToken = async ({ treasury: { chain } }: PayingHouse, isPaused: boolean) => {
  const value = `0x${(isPaused ? '1' : '0').padStart(64, '0')}`
  await chain.request('hardhat_setStorageAt', chain.tokenAddress, '0x0', value)
}

/** Gas for a wallet that has none. */
export const giveGas = ({ treasury: { chain } }: PayingHouse, address: string) =>
  chain.request('hardhat_setBalance', address, '0xde0b6b3a7640000')

export const invalidateOnChain = (house: PayingHouse, wallet: TestWallet, digest: string) =>
  wallet.call({
    address: house.vault.address,
    abi: vaultAbi,
    functionName: 'invalidateApproval',
    args: [digest],
  })
