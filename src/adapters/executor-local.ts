/** `ExecutorProvider` with a key that is kept here, encrypted. */
import { type Address, type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAddress, signTransaction } from 'viem/accounts'
import type { ExecutorProvider, SignedTransaction } from '#ports/executor-provider.ts'
import { open, seal } from './keystore.ts'

export type LocalExecutorOptions = {
  masterKey: Uint8Array
  /** The embedded default's faucet; elsewhere the owner sends gas. */
  fundGas?: (input: { address: string }) => Promise<void>
}

const nameOf = ({ organizationId, address }: { organizationId: string; address: string }): string =>
  `executor:${organizationId}:${address.toLowerCase()}`

export function createLocalExecutor({
  masterKey,
  fundGas = async () => {},
}: LocalExecutorOptions): ExecutorProvider {
  /** Boxes whose key was seen to be that of the address: to find that out takes a while. */
  const seen = new WeakMap<Uint8Array, string>()
  return {
    type: 'local',
    async provision({ organizationId }) {
      const key = generatePrivateKey()
      const address = privateKeyToAddress(key)
      const secret = Buffer.from(key.slice(2), 'hex')
      const name = nameOf({ organizationId, address })
      return { address, reference: seal(masterKey, { name, secret }) }
    },
    fundGas,
    holdsKey: async (input) => holdsKey(masterKey, input),
    sign: (input) => sign({ masterKey, seen }, input),
  }
}

function holdsKey(
  masterKey: Uint8Array,
  { organizationId, address, reference }: Parameters<ExecutorProvider['holdsKey']>[0],
): boolean {
  try {
    const secret = open(masterKey, { name: nameOf({ organizationId, address }), box: reference })
    const found = privateKeyToAddress(`0x${secret.toString('hex')}`)
    secret.fill(0)
    return found.toLowerCase() === address.toLowerCase()
  } catch {
    return false
  }
}

async function sign(
  { masterKey, seen }: { masterKey: Uint8Array; seen: WeakMap<Uint8Array, string> },
  {
    organizationId,
    address,
    reference,
    chainId,
    nonce,
    fees,
    call,
  }: Parameters<ExecutorProvider['sign']>[0],
): Promise<SignedTransaction> {
  const secret = open(masterKey, { name: nameOf({ organizationId, address }), box: reference })
  try {
    const privateKey: Hex = `0x${secret.toString('hex')}`
    const owner = seen.get(reference) ?? privateKeyToAddress(privateKey).toLowerCase()
    if (owner !== address.toLowerCase()) {
      throw new Error('The key of this executor belongs to another address')
    }
    seen.set(reference, owner)
    const transaction = {
      type: 'eip1559',
      chainId,
      nonce,
      ...fees,
      gas: call.gasLimit,
      to: call.vaultAddress as Address,
      data: call.data as Hex,
      value: 0n,
    } as const
    const raw = await signTransaction({ privateKey, transaction })
    return { raw, transactionHash: keccak256(raw) }
  } finally {
    secret.fill(0)
  }
}
