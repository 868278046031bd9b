/**
 * `FundingProvider` of the local keystore. The policy is sealed like a key, bound to its wallet and
 * control, and the signer checks every transaction against it by decoding the bytes to be signed.
 * So changing rows in the database cannot widen what may be signed.
 */
import { type Address, type Hex, keccak256, serializeTransaction } from 'viem'
import { privateKeyToAddress, signTransaction } from 'viem/accounts'
import { encodeApproval } from '#adapters/chain/token-codec.ts'
import { addSeconds, type Clock } from '#platform/clock.ts'
import type {
  AskedControl,
  AttachedControl,
  ControlDifference,
  FundingProvider,
  FundingSigner,
  FundingTerms,
  Readback,
  SigningProvider,
} from '#ports/funding-provider.ts'
import type { Fees, VaultCall } from '#ports/payment-node.ts'
import type { HeldWallet } from '#ports/wallet-provider.ts'
import { type DepositPolicy, depositRefusalOf } from './deposit-policy.ts'
import { type MasterKeys, open, seal } from './keystore.ts'
import { walletKeyName } from './local-wallets.ts'

const SIGNER_ID = 'countersign-keystore'
const APPROVAL_GAS = 120_000n

type FundingLimits = { chainId: number; maxAmount: bigint; lifetimeSeconds: number }

export type LocalFundingOptions = {
  keys: MasterKeys
  clock: Clock
  /** Upper limits of every policy, whatever a row requests. */
  limits: FundingLimits
  /** The development faucet. Elsewhere the owner sends gas. */
  fundGas?: (input: { address: string }) => Promise<void>
}

/** The authenticated name of the sealed policy. */
export const fundingPolicyName = ({
  controlId,
  walletId,
}: {
  controlId: string
  walletId: string
}): string => `funding:${walletId}:${controlId}`

export function createLocalFunding({
  keys,
  clock,
  limits,
  fundGas = async () => {},
}: LocalFundingOptions): FundingProvider {
  const signing: SigningProvider = {
    kind: 'signs',
    async sign({ call, nonce, fees, ...control }) {
      const policy = openPolicy(keys, control)
      if (!policy) return { outcome: 'denied', code: 'policy_unreadable' }
      const transaction = transactionOf({ chainId: control.rule.chainId, call, nonce, fees })
      const code = depositRefusalOf(policy, serializeTransaction(transaction), clock.now())
      if (code) return { outcome: 'denied', code }
      return { outcome: 'signed', ...(await signWith(keys, control.wallet, transaction)) }
    },
    async approvalCall({ tokenAddress: vaultAddress, ...control }) {
      const policy = openPolicy(keys, control)
      if (!policy) return { outcome: 'denied', code: 'policy_unreadable' }
      const { vaultAddress: spender, maxAmount } = policy
      const amount = maxAmount < limits.maxAmount ? maxAmount : limits.maxAmount
      const data = encodeApproval({ spender, amount })
      return { outcome: 'allowed', call: { vaultAddress, data, gasLimit: APPROVAL_GAS } }
    },
    async signApproval({ nonce, fees, ...control }) {
      const allowed = await signing.approvalCall(control)
      if (allowed.outcome === 'denied') return allowed
      const { chainId } = limits
      const transaction = transactionOf({ chainId, call: allowed.call, nonce, fees })
      return { outcome: 'signed', ...(await signWith(keys, control.wallet, transaction)) }
    },
    fundGas,
  }
  return {
    ...localFundingTerms,
    async attach(control) {
      const code = mismatchOf(control) ?? excessOf(control, limits, clock.now())
      if (code) return { outcome: 'refused', code }
      const name = fundingPolicyName({ ...control, walletId: control.wallet.walletId })
      const secret = Buffer.from(JSON.stringify(toText(policyOf(control))))
      return { outcome: 'attached', reference: seal(keys.current, { name, secret }) }
    },
    readBack: async (control) => readBack(keys, control, clock.now()),
    // The sealed policy is stored with the control, and only verified controls are used.
    async detach() {},
    async probe(action) {
      const answer = await signing.sign({ ...action, nonce: 0, fees: NO_FEES })
      return answer.outcome === 'denied' ? answer : { outcome: 'passed' }
    },
    ...signing,
  }
}

/** For processes that hold no keys. */
export const localFundingTerms: FundingTerms = {
  type: 'local',
  isOnePolicyPerWallet: false,
  signerOf: (vault) => signerOf(vault),
}

const NO_FEES: Fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }

const signerOf = ({ vaultAddress }: { vaultAddress: string }): FundingSigner => ({
  signerId: SIGNER_ID,
  policyId: `deposit-into-${vaultAddress}`,
  expiresAt: null,
})

/** There is one local signer, and one policy per vault. */
function mismatchOf({ signerId, policyId, rule }: AskedControl): string | undefined {
  const own = signerOf(rule)
  if (signerId !== own.signerId) return 'signer_missing'
  return policyId === own.policyId ? undefined : 'policy_missing'
}

/** The request comes from a row, so it is compared with the configured limits. */
function excessOf(
  { rule }: AskedControl,
  limits: FundingLimits,
  now: Date,
): ControlDifference | undefined {
  if (rule.chainId !== limits.chainId) return 'policy_chain_differs'
  if (rule.maxAmount > limits.maxAmount) return 'policy_amount_differs'
  const end = addSeconds(now, limits.lifetimeSeconds).toISOString()
  return rule.expiresAt > end ? 'policy_expiry_differs' : undefined
}

const policyOf = ({ signerId, policyId, rule }: AskedControl): DepositPolicy => ({
  signerId,
  policyId,
  ...rule,
})

const toText = (policy: DepositPolicy) => ({ ...policy, maxAmount: policy.maxAmount.toString() })

/** Undefined if it was sealed for another control or wallet, or was tampered with. */
function openPolicy(keys: MasterKeys, control: AttachedControl): DepositPolicy | undefined {
  const name = fundingPolicyName({ ...control, walletId: control.wallet.walletId })
  try {
    const box = open(keys, { name, box: control.reference })
    const policy = JSON.parse(box.toString()) as ReturnType<typeof toText>
    return { ...policy, maxAmount: BigInt(policy.maxAmount) }
  } catch {
    return undefined
  }
}

function readBack(keys: MasterKeys, control: AttachedControl, now: Date): Readback {
  const policy = openPolicy(keys, control)
  if (!policy) return { outcome: 'different', code: 'policy_missing' }
  const asked = policyOf(control)
  const differs = (name: keyof DepositPolicy) => policy[name] !== asked[name]
  if (differs('signerId')) return { outcome: 'different', code: 'signer_missing' }
  if (differs('policyId')) return { outcome: 'different', code: 'override_policy_differs' }
  const isRuleDifferent = (['chainId', 'vaultAddress', 'maxAmount', 'expiresAt'] as const).some(
    differs,
  )
  if (isRuleDifferent) return { outcome: 'different', code: 'policy_rule_differs' }
  const isExpired = policy.expiresAt <= now.toISOString()
  return isExpired ? { outcome: 'different', code: 'policy_expired' } : { outcome: 'equal' }
}

type Unsigned = ReturnType<typeof transactionOf>

const transactionOf = (input: { chainId: number; call: VaultCall; nonce: number; fees: Fees }) =>
  ({
    type: 'eip1559',
    chainId: input.chainId,
    nonce: input.nonce,
    ...input.fees,
    gas: input.call.gasLimit,
    to: input.call.vaultAddress as Address,
    data: input.call.data as Hex,
    value: 0n,
  }) as const

/** The plaintext key exists only in this function and is overwritten afterwards. */
async function signWith(keys: MasterKeys, wallet: HeldWallet, transaction: Unsigned) {
  const secret = open(keys, { name: walletKeyName(wallet), box: wallet.reference })
  try {
    const privateKey: Hex = `0x${secret.toString('hex')}`
    if (privateKeyToAddress(privateKey).toLowerCase() !== wallet.address) {
      throw new Error('The stored key belongs to another address than this wallet')
    }
    const raw = await signTransaction({ privateKey, transaction })
    return { raw, transactionHash: keccak256(raw) }
  } finally {
    secret.fill(0)
  }
}
