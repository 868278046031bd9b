/** Calls to the vault by the holder of a key, sent to the chain without the service. */
import { randomBytes } from 'node:crypto'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  createWalletClient,
  encodeAbiParameters,
  type Hex,
  http,
  parseAbiParameters,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { PayingHouse } from '#test/support/payments.ts'

type Call = { functionName: string; args?: readonly unknown[] }

/** `success`, or the error with which the vault reverts. */
export async function callVault(
  { vault, treasury: { chain } }: PayingHouse,
  account: PrivateKeyAccount,
  { functionName, args = [] }: Call,
): Promise<string> {
  const call = { address: vault.address, abi: vaultAbi, functionName, args } as never
  try {
    await chain.client.simulateContract({ ...(call as object), account } as never)
  } catch (error) {
    const reverted =
      error instanceof BaseError && error.walk((e) => e instanceof ContractFunctionRevertedError)
    if (!(reverted instanceof ContractFunctionRevertedError)) throw error
    return reverted.data?.errorName ?? 'reverted'
  }
  const transport = http(chain.rpcUrl)
  const wallet = createWalletClient({ account, chain: chain.client.chain, transport })
  return chain.mined(await wallet.writeContract(call))
}

export const accountOf = (key: Uint8Array): PrivateKeyAccount =>
  privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)

type Terms = { amount: bigint; recipient?: Address; version?: bigint }

const approvalsAbi = parseAbiParameters([
  'Approval[] approvals',
  'struct Approval { bytes32 approvalId; address approver; bytes signature; }',
])

const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`
const DEADLINE = 4_000_000_000n

const paymentOf = (house: PayingHouse, { amount, recipient, version = 1n }: Terms) =>
  [
    ...[randomHash(), recipient ?? house.recipient, amount, version],
    ...[randomHash(), randomHash(), DEADLINE],
  ] as const

/** Values of the sender's choice: the vault checks them against the policy alone. */
export const payAutomatic = (house: PayingHouse, sender: PrivateKeyAccount, terms: Terms) =>
  callVault(house, sender, { functionName: 'executeAutomatic', args: paymentOf(house, terms) })

/** Signed by `signer` in the name of the approver that the policy lists. */
export const payApproved = (
  house: PayingHouse,
  { sender, signer }: { sender: PrivateKeyAccount; signer: PrivateKeyAccount },
  terms: Terms,
): Promise<string> =>
  pay(house, sender, terms, [{ account: signer, approver: house.approverWallet.address }])

/** Signed by each of them in their own name. */
export const payWithApprovals = (
  house: PayingHouse,
  { sender, signers }: { sender: PrivateKeyAccount; signers: readonly PrivateKeyAccount[] },
  terms: Terms,
): Promise<string> =>
  pay(
    house,
    sender,
    terms,
    signers
      .map((account) => ({ account, approver: account.address }))
      .toSorted((a, b) => (a.approver.toLowerCase() < b.approver.toLowerCase() ? -1 : 1)),
  )

type Signing = { account: PrivateKeyAccount; approver: Address }

async function pay(
  house: PayingHouse,
  sender: PrivateKeyAccount,
  terms: Terms,
  signings: readonly Signing[],
): Promise<string> {
  const payment = paymentOf(house, terms)
  const approvals = await Promise.all(
    signings.map(async ({ account, approver }) => {
      const approvalId = randomHash()
      const digest = await house.treasury.chain.client.readContract({
        address: house.vault.address,
        abi: vaultAbi,
        functionName: 'approvalDigest',
        args: [approvalId, approver, ...payment] as never,
      })
      return { approvalId, approver, signature: await account.sign({ hash: digest as Hex }) }
    }),
  )
  const args = [...payment, encodeAbiParameters(approvalsAbi, [approvals])]
  return callVault(house, sender, { functionName: 'executeApproved', args })
}
