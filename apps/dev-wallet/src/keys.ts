/** The wallet's key: one for each signed-in account, in this browser's storage. */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { accountId, askFaucet, demoKey, rpc, WalletError } from './gateway.ts'

const keyName = (id: string): string => `countersign-dev-wallet:${id}`

/** The person's wallet; made, and given test coins, when it is first asked for. The demo's people
 * have theirs already. */
export async function ownAccount(): Promise<PrivateKeyAccount> {
  const id = await accountId()
  if (id === undefined) throw new WalletError(4100, 'Sign in first.')
  // One tab at a time, so that two do not make two keys.
  return navigator.locks.request(keyName(id), async () => {
    const kept = localStorage.getItem(keyName(id))
    if (kept !== null) return privateKeyToAccount(kept as `0x${string}`)
    const given = await demoKey()
    const key = given ?? generatePrivateKey()
    localStorage.setItem(keyName(id), key)
    const account = privateKeyToAccount(key)
    if (given === null) await askFaucet(account.address)
    return account
  })
}

/** The development chain can be started anew, while the browser keeps its key. */
export async function refill(address: string): Promise<void> {
  const balance = BigInt(await rpc<string>('eth_getBalance', [address, 'latest']))
  if (balance === 0n) await askFaucet(address)
}
