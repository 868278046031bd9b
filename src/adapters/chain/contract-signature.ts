/** Asks a contract whether it accepts a signature (ERC-1271), with the same call as the vault. */
import {
  type Address,
  encodeFunctionData,
  type Hex,
  isHex,
  numberToHex,
  type PublicClient,
  parseAbi,
} from 'viem'
import { revertOf } from './node-errors.ts'
import { PAYMENT_GAS } from './vault-codec.ts'

const abi = parseAbi([
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
])
const MAGIC_VALUE = `0x1626ba7e${'00'.repeat(28)}`

type SignatureCheck = { address: string; digest: string; signature: string; blockNumber: bigint }

export async function acceptsSignature(
  client: PublicClient,
  { address, digest, signature, blockNumber }: SignatureCheck,
): Promise<boolean> {
  const to = address as Address
  if (!(await client.getCode({ address: to, blockNumber }))) return false
  const args = [digest as Hex, signature as Hex] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
  // The gas limit of a payment: a contract that needs more could never approve one.
  const call = { to, data, gas: numberToHex(PAYMENT_GAS) }
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
