/** `eth_sendTransaction` of the Privy emulator: checked by a policy, signed, and really sent. */
import { randomUUID } from 'node:crypto'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type {
  Books,
  EmulatedTransaction,
  EmulatedWallet,
  Outcome,
} from '#test/support/privy-books.ts'
import { type Asked, allows } from '#test/support/privy-policies.ts'
import { type Json, type Refusal, refusal } from '#test/support/privy-shapes.ts'

type Transaction = Partial<
  Record<
    | 'to'
    | 'data'
    | 'value'
    | 'chain_id'
    | 'nonce'
    | 'gas_limit'
    | 'max_fee_per_gas'
    | 'max_priority_fee_per_gas',
    string | number
  >
>

const DENIED = refusal(400, 'RPC request denied due to policy violation', 'policy_violation')

/** The wallet's policy applies to an owner, a signer's own policy to the signer. */
function policiesFor(
  { signsFor }: Books,
  wallet: EmulatedWallet,
  keys: ReadonlySet<string>,
): string[] {
  if (wallet.owner_id === null || signsFor(wallet.owner_id, keys)) return wallet.policy_ids
  const signer = wallet.additional_signers.find(({ signer_id: id }) => signsFor(id, keys))
  return signer?.override_policy_ids ?? []
}

function judged(
  books: Books,
  { wallet, body, keys }: Sending,
): { asked: Asked; transaction: Transaction } | Refusal {
  const ids = policiesFor(books, wallet, keys)
  const { caip2, method, params } = body as {
    caip2: string
    method: string
    params: { transaction: Transaction }
  }
  const { transaction } = params
  const chainId = Number(caip2.split(':')[1])
  if (transaction.chain_id !== undefined && Number(transaction.chain_id) !== chainId) {
    return refusal(400, 'chain_id is not that of caip2')
  }
  const asked: Asked = {
    ...{ method, chainId },
    to: String(transaction.to),
    value: BigInt(transaction.value ?? 0),
    data: (transaction.data ?? '0x') as Hex,
    now: Math.floor(Date.now() / 1000),
  }
  const policies = ids.map((id) => books.findPolicy(id))
  const isAllowed = policies.every((policy) => policy !== undefined && allows(policy, asked))
  return isAllowed ? { asked, transaction } : DENIED
}

export type Sending = { wallet: EmulatedWallet; body: Json; keys: ReadonlySet<string> }

export async function sendTransaction(
  books: Books,
  rpcUrl: string | undefined,
  sending: Sending,
): Promise<Outcome> {
  const verdict = judged(books, sending)
  if ('status' in verdict) return verdict
  const reference = (sending.body.reference_id as string) ?? null
  if (reference !== null && books.transactions.some((sent) => sent.reference_id === reference)) {
    return refusal(400, 'reference_id must be unique')
  }
  const { wallet, body } = sending
  try {
    const hash = await broadcast(rpcUrl, wallet, verdict)
    const sent: EmulatedTransaction = {
      id: randomUUID(),
      caip2: String(body.caip2),
      created_at: Date.now(),
      status: 'broadcasted',
      transaction_hash: hash,
      wallet_id: wallet.id,
      reference_id: reference,
    }
    books.transactions.push(sent)
    const { id: transaction_id, caip2, reference_id } = sent
    const data = { hash, caip2, transaction_id, ...(reference !== null && { reference_id }) }
    return { status: 200, body: { method: 'eth_sendTransaction', data } }
  } catch (error) {
    const isPoor = /insufficient funds|exceeds the balance/i.test(String(error))
    const code = isPoor ? 'insufficient_funds' : 'transaction_broadcast_failure'
    return refusal(400, 'The transaction was not sent', code)
  }
}

/** What the request omits is asked of the node, as Privy does. */
async function broadcast(
  rpcUrl: string | undefined,
  { privateKey }: EmulatedWallet,
  { asked, transaction }: { asked: Asked; transaction: Transaction },
): Promise<Hex> {
  const chain = {
    id: asked.chainId,
    name: 'of the test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl ?? 'http://127.0.0.1:1'] } },
  }
  const account = privateKeyToAccount(privateKey as Hex)
  const client = createWalletClient({
    account,
    chain,
    transport: http(undefined, { retryCount: 0 }),
  })
  const { nonce, gas_limit: gas, max_fee_per_gas: fee, max_priority_fee_per_gas: tip } = transaction
  const request = await client.extend(publicActions).prepareTransactionRequest({
    to: asked.to as Hex,
    data: asked.data,
    value: asked.value,
    ...(nonce !== undefined && { nonce: Number(nonce) }),
    ...(gas !== undefined && { gas: BigInt(gas) }),
    ...(fee !== undefined && { maxFeePerGas: BigInt(fee) }),
    ...(tip !== undefined && { maxPriorityFeePerGas: BigInt(tip) }),
  })
  const serializedTransaction = await account.signTransaction(request as never)
  return client.sendRawTransaction({ serializedTransaction })
}
