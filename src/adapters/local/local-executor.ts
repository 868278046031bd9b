/** `SigningExecutor` with an encrypted key in the local keystore. */
import { type Address, type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAddress, signTransaction } from 'viem/accounts'
import type { SignedTransaction, SigningExecutor } from '#ports/executor-provider.ts'
import { type MasterKeys, open, seal } from './keystore.ts'

export type LocalExecutorOptions = {
  masterKey: Uint8Array
  /** Set during a key rotation. */
  previousKey?: Uint8Array | undefined
  /** The development faucet. Elsewhere the owner sends gas. */
  fundGas?: (input: { address: string }) => Promise<void>
}

/** The authenticated name of the sealed key. */
export const executorKeyName = ({
  organizationId,
  address,
}: {
  organizationId: string
  address: string
}): string => `executor:${organizationId}:${address.toLowerCase()}`

export function createLocalExecutor({
  masterKey,
  previousKey,
  fundGas = async () => {},
}: LocalExecutorOptions): SigningExecutor {
  /** Addresses by opened box, because deriving an address from a key is slow. */
  const addresses = new WeakMap<Uint8Array, string>()
  const masterKeys = { current: masterKey, previous: previousKey }
  return {
    type: 'local',
    check: async () => 'ready',
    async provision({ organizationId }) {
      const key = generatePrivateKey()
      const address = privateKeyToAddress(key)
      const secret = Buffer.from(key.slice(2), 'hex')
      const name = executorKeyName({ organizationId, address })
      return { address, reference: seal(masterKey, { name, secret }) }
    },
    fundGas,
    holdsKey: async (input) => holdsKey(masterKeys, input),
    sign: (input) => sign({ masterKeys, addresses }, input),
  }
}

function holdsKey(
  masterKeys: MasterKeys,
  { organizationId, address, reference }: Parameters<SigningExecutor['holdsKey']>[0],
): boolean {
  try {
    const name = executorKeyName({ organizationId, address })
    const secret = open(masterKeys, { name, box: reference })
    const found = privateKeyToAddress(`0x${secret.toString('hex')}`)
    secret.fill(0)
    return found.toLowerCase() === address.toLowerCase()
  } catch {
    return false
  }
}

async function sign(
  { masterKeys, addresses }: { masterKeys: MasterKeys; addresses: WeakMap<Uint8Array, string> },
  {
    organizationId,
    address,
    reference,
    chainId,
    nonce,
    fees,
    call,
  }: Parameters<SigningExecutor['sign']>[0],
): Promise<SignedTransaction> {
  const name = executorKeyName({ organizationId, address })
  const secret = open(masterKeys, { name, box: reference })
  try {
    const privateKey: Hex = `0x${secret.toString('hex')}`
    const owner = addresses.get(reference) ?? privateKeyToAddress(privateKey).toLowerCase()
    if (owner !== address.toLowerCase()) {
      throw new Error('The stored key belongs to another address than this executor')
    }
    addresses.set(reference, owner)
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
