/** A vault with a policy on a real chain, and a real executor key that may pay from it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { uuidToBytes32 } from '@countersign/proof/digest.ts'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, type Hex, parseAbiParameters, parseGwei } from 'viem'
import { encodeDeployment } from '#adapters/chain/vault-codec.ts'
import { createPaymentNodes } from '#adapters/chain/viem-payment-nodes.ts'
import { createLocalExecutor } from '#adapters/local/local-executor.ts'
import type { PaymentOrder } from '#ports/chain.ts'
import type { SignedTransaction } from '#ports/executor-provider.ts'
import type { Fees, PaymentNode, VaultCall } from '#ports/payment-node.ts'
import { type Bench, openBench, type Sent, type Signer } from '#test/chain/bench.ts'
import type { TestChain, TestWallet } from '#test/support/chain.ts'
import { withoutPeriod } from '#test/support/policy-terms.ts'

export const CHAIN_ID = 31_337
const FAR = 4_000_000_000

/** Calls of an owner or approver that a test makes itself. */
type OneCall =
  | 'emergencyPause'
  | 'invalidateApproval'
  | 'blockRecipient'
  | 'unblockRecipient'
  | 'revokeApprover'
  | 'changeRecipients'

/** Who signs, and the approver in whose name. */
type OrderSigner = Signer & { inTheNameOf?: string }

export type Payer = {
  bench: Bench
  approver: TestWallet
  /** The executor's address. */
  address: string
  vault: Address
  nodeAt(url: string, options?: { confirmations?: number; timeoutMs?: number }): PaymentNode
  policyOf(terms?: Partial<ChainPolicy>): ChainPolicy
  /** Lists the recipient too unless it is listed. */
  configure(terms?: Partial<ChainPolicy>, vault?: Address): Promise<void>
  /** Another vault, for a token of the test. */
  addVault(tokenAddress: Address, changeDelaySeconds?: number): Promise<Address>
  /** An automatic payment of 100 to the listed recipient, with the given changes. */
  order(change?: Partial<PaymentOrder>): Promise<PaymentOrder>
  /** The same with a signature of the approver's own key, or of the given signers. */
  signedOrder(
    change?: Partial<PaymentOrder>,
    signers?: readonly OrderSigner[],
  ): Promise<PaymentOrder>
  sign(call: VaultCall, more: { nonce: number; fees?: Fees }): Promise<SignedTransaction>
  /** Signed with the next nonce, sent and mined. */
  pay(order: PaymentOrder): Promise<Omit<Sent, 'raw'> & SignedTransaction>
  callVault(signer: Signer, functionName: OneCall, args?: readonly unknown[]): Promise<Sent>
  nextNonce(): Promise<number>
}

/** The last argument of `executeApproved`. */
export const approvalsAbi = parseAbiParameters([
  'Approval[] approvals',
  'struct Approval { bytes32 approvalId; address approver; bytes signature; }',
])

export const randomHash = (): Hex => `0x${randomBytes(32).toString('hex')}`

export const FEES: Fees = {
  maxFeePerGas: parseGwei('20'),
  maxPriorityFeePerGas: parseGwei('1'),
}

const vaultAt = (address: string) => ({ address: address as Address, abi: vaultAbi })

export async function openPayer(real: TestChain): Promise<Payer> {
  const bench = await openBench(real)
  const approver = await real.wallet()
  const watched = await bench.addVault()
  await bench.deposit(watched, 10_000n)
  const vault = watched.address as Address
  const executor = await openExecutor(real)
  const parts = { real, bench, approver, vault, address: executor.address }
  return {
    bench,
    approver,
    vault,
    ...executor,
    ...ownerActs(parts),
    ...orders(parts),
    nodeAt: (url, { confirmations = 1, timeoutMs = 5_000 } = {}) => {
      const options = { chainId: CHAIN_ID, rpcUrls: [url], confirmations, timeoutMs }
      const [node] = createPaymentNodes(options)
      if (!node) throw new Error('There is no node')
      return node
    },
    async pay(paid) {
      const nonce = await executor.nextNonce()
      const signed = await executor.sign(bench.chain.paymentCall(paid), { nonce })
      return { ...signed, ...(await bench.resend(signed.raw as Hex)) }
    },
  }
}

async function openExecutor(
  real: TestChain,
): Promise<Pick<Payer, 'address' | 'sign' | 'nextNonce'>> {
  const organizationId = randomUUID()
  const executor = createLocalExecutor({ masterKey: randomBytes(32) })
  const key = await executor.provision({ organizationId, provisioningId: randomUUID() })
  const { reference } = key
  const address = key.address.toLowerCase()
  await real.request('hardhat_setBalance', address, '0xde0b6b3a7640000')
  return {
    address,
    sign: (call, { nonce, fees = FEES }) =>
      executor.sign({ organizationId, address, reference, chainId: CHAIN_ID, nonce, fees, call }),
    nextNonce: () =>
      real.client.getTransactionCount({ address: address as Address, blockTag: 'pending' }),
  }
}

type Parts = Pick<Payer, 'bench' | 'approver' | 'vault' | 'address'> & { real: TestChain }

function ownerActs({
  real,
  bench,
  approver,
  vault,
  address,
}: Parts): Pick<Payer, 'policyOf' | 'configure' | 'addVault' | 'callVault'> {
  const { owner, recipient, send } = bench
  const policyOf: Payer['policyOf'] = (terms = {}) => ({
    executorAddress: address,
    expiresAtSeconds: FAR,
    automaticEnabled: true,
    paused: false,
    approvedCap: 1_000n,
    automaticCap: 500n,
    lifetimeCap: 1_000_000n,
    reserveFloor: 0n,
    ...withoutPeriod,
    approverAddresses: [approver.address.toLowerCase()],
    ...terms,
  })
  return {
    policyOf,
    async configure(terms = {}, at = vault) {
      const { allowedFrom } = await real.client.readContract({
        ...vaultAt(at),
        functionName: 'recipientOf',
        args: [recipient],
      })
      const first = { expectedRecipientsVersion: 0, add: [recipient.toLowerCase()], remove: [] }
      const { data } = bench.chain.policyConfiguration({
        recipients: allowedFrom === 0n ? first : null,
        vaultAddress: at,
        ownerAddress: owner.address,
        expectedVersion: await bench.versionOf({ address: at, fromBlock: 0 }),
        policy: policyOf(terms),
      })
      const { status } = await send(owner, { to: at, data: data as Hex })
      if (status !== 'success') throw new Error('The policy was refused')
    },
    async addVault(tokenAddress, changeDelaySeconds = 0) {
      const { transaction } = encodeDeployment({
        chainId: CHAIN_ID,
        tokenAddress,
        ownerAddress: owner.address,
        organizationHash: randomHash(),
        changeDelaySeconds,
      })
      const deployed = await send(owner, { to: null, data: transaction.data as Hex })
      return deployed.contractAddress?.toLowerCase() as Address
    },
    callVault: (signer, functionName, args = []) =>
      send(signer, {
        to: vault,
        data: encodeFunctionData({ abi: vaultAbi, functionName, args } as never),
      }),
  }
}

function orders({ real, bench, approver, vault }: Parts): Pick<Payer, 'order' | 'signedOrder'> {
  const order: Payer['order'] = async (change = {}) => ({
    vaultAddress: vault,
    chainPaymentId: randomHash(),
    recipientAddress: bench.recipient.toLowerCase(),
    mode: 'automatic',
    amount: 100n,
    policyVersion: await bench.versionOf({ address: change.vaultAddress ?? vault, fromBlock: 0 }),
    reportHash: randomHash(),
    expenseVersionHash: randomHash(),
    approvalDigests: [],
    approverAddresses: [],
    deadlineSeconds: FAR,
    approvals: [],
    ...change,
  })
  const approve = async (plain: PaymentOrder, { account, inTheNameOf }: OrderSigner) => {
    const approvalId = randomUUID()
    const approverAddress = (inTheNameOf ?? account.address).toLowerCase()
    const digest = await real.client.readContract({
      ...vaultAt(plain.vaultAddress),
      functionName: 'approvalDigest',
      args: [
        uuidToBytes32(approvalId),
        approverAddress as Address,
        plain.chainPaymentId as Hex,
        plain.recipientAddress as Address,
        plain.amount,
        BigInt(plain.policyVersion),
        plain.reportHash as Hex,
        plain.expenseVersionHash as Hex,
        BigInt(plain.deadlineSeconds),
      ],
    })
    const signature = await account.sign({ hash: digest })
    return { digest, approval: { approvalId, approverAddress, signature } }
  }
  return {
    order,
    async signedOrder(change = {}, signers = [approver]) {
      const plain = await order({ mode: 'approved', ...change })
      const made = await Promise.all(signers.map((signer) => approve(plain, signer)))
      const signed = made.toSorted((a, b) =>
        a.approval.approverAddress < b.approval.approverAddress ? -1 : 1,
      )
      return {
        ...plain,
        approvalDigests: signed.map(({ digest }) => digest),
        approverAddresses: signed.map(({ approval }) => approval.approverAddress),
        approvals: signed.map(({ approval }) => approval),
      }
    },
  }
}
