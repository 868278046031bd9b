/** A chain in this process, vaults on it, and the data of the calls that `npm run gas` measures. */
import { approvalDigest } from '@countersign/proof/typed-data.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import { network } from 'hardhat'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  pad,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { testUsdcAbi, testUsdcCreationCode } from '#dev/test-usdc-artifact.ts'

export const GAS_LIMIT = 16_777_216

const constructorTypes = [
  { type: 'address' },
  { type: 'address' },
  { type: 'bytes32' },
  { type: 'uint32' },
] as const

const approvalsType = [
  {
    type: 'tuple[]',
    components: [
      { name: 'approvalId', type: 'bytes32' },
      { name: 'approver', type: 'address' },
      { name: 'signature', type: 'bytes' },
    ],
  },
] as const

const organizationHash = pad('0x0c')
const { provider } = await network.create()

const rpc = <T>(method: string, ...params: unknown[]) =>
  provider.request({ method, params }) as Promise<T>

export const [owner, executor] = await rpc<[Address, Address]>('eth_accounts')
const chainId = Number(await rpc<Hex>('eth_chainId'))

type Sent = { gas: number; contractAddress: Address }

export async function send(from: Address, to: Address | undefined, data: Hex): Promise<Sent> {
  const gas = numberToHex(GAS_LIMIT)
  const hash = await rpc<Hex>('eth_sendTransaction', { from, to, data, gas })
  const receipt = await rpc<{ gasUsed: Hex; status: Hex; contractAddress: Address }>(
    'eth_getTransactionReceipt',
    hash,
  )
  if (receipt.status !== '0x1') throw new Error(`A measured transaction failed: ${hash}`)
  return { gas: Number(receipt.gasUsed), contractAddress: receipt.contractAddress }
}

/** The next block comes so much later. */
export const wait = (seconds: number): Promise<unknown> => rpc('evm_increaseTime', seconds)

/** Addresses as they are in life: without zero bytes to speak of, which calldata has cheaper. */
export const people = (count: number, from: number): Address[] =>
  Array.from({ length: count }, (_, index) =>
    getAddress(`0x${keccak256(numberToHex(from + index)).slice(26)}`),
  )

/** Ascending by address, as the vault takes their signatures. */
export const signers: readonly PrivateKeyAccount[] = Array.from({ length: 8 }, (_, index) =>
  privateKeyToAccount(keccak256(numberToHex(0x100 + index))),
).sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))

export type Vault = { address: Address; token: Address; deployment: number }

/** With 500,000 base units of the token allowed to it, and some of another token in it. */
export async function deployVault(changeDelaySeconds: number): Promise<Vault> {
  const token = (await send(owner, undefined, testUsdcCreationCode)).contractAddress
  const args = [owner, token, organizationHash, changeDelaySeconds] as const
  const code = concatHex([vaultCreationCode, encodeAbiParameters(constructorTypes, args)])
  const { contractAddress: address, gas } = await send(owner, undefined, code)
  await send(owner, token, usdc('mint', owner))
  await send(owner, token, usdc('approve', address))
  return { address, token, deployment: gas }
}

/** Another token, of which the vault has some. */
export async function strayToken(vault: Address): Promise<Address> {
  const { contractAddress } = await send(owner, undefined, testUsdcCreationCode)
  await send(owner, contractAddress, usdc('mint', vault))
  return contractAddress
}

const usdc = (functionName: 'mint' | 'approve', to: Address): Hex =>
  encodeFunctionData({ abi: testUsdcAbi, functionName, args: [to, 1_000_000n] })

export type Tier = { above: bigint; approvals: number }
type Terms = { approvers: readonly Address[]; tiers: readonly Tier[]; periodSeconds: number }

export const policyOf = ({ approvers, tiers, periodSeconds }: Terms) => ({
  executor,
  expiresAt: 2n ** 40n,
  automaticEnabled: true,
  paused: false,
  approvedCap: 10_000n,
  automaticCap: 1_000n,
  lifetimeCap: 100_000n,
  reserveFloor: 10n,
  periodSeconds,
  periodCap: periodSeconds === 0 ? 0n : 90_000n,
  automaticPeriodCap: periodSeconds === 0 ? 0n : 50_000n,
  tiers,
  approvers,
})

type PaymentArgs = readonly [Hex, Address, bigint, bigint, Hex, Hex, bigint]

/** Its hashes have no zero bytes to speak of. */
export function paymentOf(
  id: number,
  { recipient, amount, version }: { recipient: Address; amount: bigint; version: bigint },
): PaymentArgs {
  const hash = keccak256(numberToHex(id))
  return [hash, recipient, amount, version, hash, hash, 2n ** 40n]
}

/** `executeApproved` with the signatures of the first `count` signers. */
export async function approvedCall(
  { address, token }: Vault,
  args: PaymentArgs,
  count: number,
): Promise<Hex> {
  const [paymentId, recipient, amount, policyVersion, reportHash, expenseVersionHash, deadline] =
    args
  const approvals = signers.slice(0, count).map(async (signer) => {
    const approvalId = keccak256(signer.address)
    const message = { approvalId, approver: signer.address, organizationHash, paymentId, token }
    const hash = approvalDigest(
      { chainId, vault: address },
      {
        ...message,
        recipient,
        amount,
        policyVersion,
        reportHash,
        expenseVersionHash,
        deadline,
      },
    )
    const signature = await signer.sign({ hash })
    return { approvalId, approver: signer.address, signature }
  })
  const encoded = encodeAbiParameters(approvalsType, [await Promise.all(approvals)])
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'executeApproved',
    args: [...args, encoded],
  })
}
