/** `ExecutorProvider` with a key that is kept here, encrypted. */
import { type Address, type Hex, keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import type { ExecutorProvider, SignedTransaction } from '#ports/executor-provider.ts'
import { type MasterKeys, open, seal } from './keystore.ts'

export type LocalExecutorOptions = {
  masterKey: Uint8Array
  /** While keys are sealed anew. */
  previousKey?: Uint8Array | undefined
  /** The embedded default's faucet; elsewhere the owner sends gas. */
  fundGas?: (input: { address: string }) => Promise<void>
}

/** What its box is sealed under. */
export const executorKeyName = ({
  organizationId,
  address,
}: {
  organizationId: string
  address: string
}): string => `executor:${organizationId}:${address.toLowerCase()}`

export const createLocalExecutor = ({
  masterKey,
  previousKey,
  fundGas = async () => {},
}: LocalExecutorOptions): ExecutorProvider => ({
  type: 'local',
  async provision({ organizationId }) {
    const key = generatePrivateKey()
    const address = privateKeyToAddress(key)
    const secret = Buffer.from(key.slice(2), 'hex')
    const name = executorKeyName({ organizationId, address })
    return { address, reference: seal(masterKey, { name, secret }) }
  },
  fundGas,
  sign: (input) => sign({ current: masterKey, previous: previousKey }, input),
})

async function sign(
  masterKeys: MasterKeys,
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
  const name = executorKeyName({ organizationId, address })
  const secret = open(masterKeys, { name, box: reference })
  try {
    const account = privateKeyToAccount(`0x${secret.toString('hex')}`)
    if (account.address.toLowerCase() !== address.toLowerCase()) {
      throw new Error('The key of this executor belongs to another address')
    }
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      ...fees,
      gas: call.gasLimit,
      to: call.vaultAddress as Address,
      data: call.data as Hex,
      value: 0n,
    })
    return { raw, transactionHash: keccak256(raw) }
  } finally {
    secret.fill(0)
  }
}
