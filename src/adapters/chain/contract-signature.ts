/** Asks a contract whether it takes a signature (ERC-1271), exactly as the vault will. */
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
const YES = `0x1626ba7e${'00'.repeat(28)}`

type Asked = { address: string; digest: string; signature: string; blockNumber: bigint }

export async function acceptsSignature(
  client: PublicClient,
  { address, digest, signature, blockNumber }: Asked,
): Promise<boolean> {
  const to = address as Address
  if (!(await client.getCode({ address: to, blockNumber }))) return false
  const args = [digest as Hex, signature as Hex] as const
  const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args })
  // A contract that needs more than a payment has could never approve one.
  const call = { to, data, gas: numberToHex(PAYMENT_GAS) }
  try {
    const answer = await client.request({
      method: 'eth_call',
      params: [call, numberToHex(blockNumber)],
    })
    if (!isHex(answer)) throw new Error('The node has answered a call with no bytes')
    return answer.slice(0, YES.length).toLowerCase() === YES
  } catch (error) {
    if (revertOf(error)) return false
    throw error
  }
}
