/** Asks a contract whether it accepts a signature (ERC-1271, ERC-6492). */
import { ZERO_ADDRESS } from '@countersign/proof/values.ts'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  isHex,
  numberToHex,
  type PublicClient,
  parseAbi,
} from 'viem'
import { revertOf } from './node-errors.ts'
import { SIGNATURE_GAS } from './vault-codec.ts'

const abi = parseAbi([
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
])
const MAGIC_VALUE = `0x1626ba7e${'00'.repeat(28)}`

type SignatureCheck = { address: string; digest: string; signature: string; blockNumber: bigint }

/** With the same call as the vault. */
export async function acceptsSignature(
  client: PublicClient,
  { address, digest, signature, blockNumber }: SignatureCheck,
): Promise<boolean> {
  const to = address as Address
  if (!(await client.getCode({ address: to, blockNumber }))) return false
  const args = [digest as Hex, signature as Hex] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
  // A payment's share for one signature: a contract that needs more could never approve one.
  const call = { to, data, gas: numberToHex(SIGNATURE_GAS) }
  try {
    const answer = await client.request({
      method: 'eth_call',
      params: [call, numberToHex(blockNumber)],
    })
    if (!isHex(answer)) throw new Error('The node answered eth_call with a value that is not hex')
    return answer.slice(0, MAGIC_VALUE.length).toLowerCase() === MAGIC_VALUE
  } catch (error) {
    if (revertOf(error)) return false
    throw error
  }
}

/** Bounds what the code of a stranger's wallet may cost a node. Deploying one takes a fraction. */
const WALLET_GAS = 10_000_000n

/**
 * Runs the reference validator of ERC-6492 without deploying it: it deploys the wallet first if the
 * signature says how, and asks it. viem's `verifyHash` would report a silent node as a refusal.
 */
export async function acceptsWalletSignature(
  client: PublicClient,
  { address, digest, signature, blockNumber }: SignatureCheck,
): Promise<boolean> {
  // The validator compares with the recovered signer, which is zero for an invalid signature.
  if (address === ZERO_ADDRESS) return false
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [address as Address, digest as Hex, signature as Hex],
  })
  try {
    const answer = await client.request({
      method: 'eth_call',
      params: [{ data, gas: numberToHex(WALLET_GAS) }, numberToHex(blockNumber)],
    })
    if (!isHex(answer)) throw new Error('The node answered eth_call with a value that is not hex')
    return /^0x0*1$/.test(answer)
  } catch (error) {
    if (revertOf(error)) return false
    throw error
  }
}
