/** `ExecutorProvider` with a key that is kept here, encrypted. */
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { ExecutorProvider } from '#ports/executor-provider.ts'
import { seal } from './keystore.ts'

export type LocalExecutorOptions = {
  masterKey: Uint8Array
  /** The embedded default's faucet; elsewhere the owner sends gas. */
  fundGas?: (input: { address: string }) => Promise<void>
}

export const createLocalExecutor = ({
  masterKey,
  fundGas = async () => {},
}: LocalExecutorOptions): ExecutorProvider => ({
  type: 'local',
  async provision({ organizationId }) {
    const key = generatePrivateKey()
    const address = privateKeyToAddress(key)
    const secret = Buffer.from(key.slice(2), 'hex')
    const name = `executor:${organizationId}:${address.toLowerCase()}`
    return { address, reference: seal(masterKey, { name, secret }) }
  },
  fundGas,
})
