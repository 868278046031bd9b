/** A service, a wallet and a vault for tests of signing, each of which can be made to lie. */
import type { PreparedApproval, ShownApproval } from '@countersign/client/approvals.ts'
import { createClient } from '@countersign/client/client.ts'
import { canonicalHash, chainPaymentIdOf } from '@countersign/proof/digest.ts'
import { digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import {
  vaultAbi,
  vaultImmutableReferences,
  vaultRuntimeCode,
} from '@countersign/proof/vault-artifact.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  padHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainReader } from './vault-facts.ts'

export const approver = privateKeyToAccount(`0x${'11'.repeat(32)}`)
export const stranger = privateKeyToAccount(`0x${'22'.repeat(32)}`)
export const VAULT: Address = '0x619E4a9cBaA9E55Aeb825d8abc2140138d4c677e'
export const TOKEN: Address = '0x2aC0F866C3784644E308D717CD30265BD384a84B'
export const RECIPIENT: Address = '0x304E22bca613ecB8958be63F78F20496E3ef39E7'
export const CHAIN_ID = 31337
export const ORGANIZATION_HASH: Hex = `0x${'7d'.repeat(32)}`
export const DEADLINE = Math.floor(Date.now() / 1_000) + 3_600
const UUID = '01a1e596-61ec-7e43-b1ee-27890f2ed34'

/** The published code with values in its immutable places. */
export function codeOfVault(values: Partial<Record<string, Hex>> = {}): Hex {
  let digits = vaultRuntimeCode.slice(2)
  const filled: Record<string, Hex> = {
    owner: padHex(stranger.address, { size: 32 }),
    token: padHex(TOKEN, { size: 32 }),
    organizationHash: ORGANIZATION_HASH,
    cachedThis: padHex(VAULT, { size: 32 }),
    cachedChainId: padHex('0x7a69', { size: 32 }),
    ...values,
  }
  for (const [name, places] of Object.entries(vaultImmutableReferences)) {
    const value = (filled[name] ?? `0x${'ab'.repeat(32)}`).slice(2)
    for (const { start, length } of places) {
      digits = digits.slice(0, start * 2) + value + digits.slice((start + length) * 2)
    }
  }
  return `0x${digits.toLowerCase()}`
}

const revision = {
  revision: 1,
  vaultId: `${UUID}0`,
  purpose: 'Printing of 500 copies',
  recipientLabel: 'Printers Limited',
  recipientAddress: RECIPIENT,
  amountBaseUnits: '75000000',
  requestedMode: 'approved',
}
const output = { summary: 'fine', recommendation: 'approve', riskScore: 0, checks: [] }

export const shown = {
  expense: {
    id: `${UUID}1`,
    organizationId: `${UUID}2`,
    paymentId: `${UUID}3`,
    currentRevision: 1,
    state: 'awaiting_approval',
    revision,
    approvals: [],
    requiredApprovals: 1,
    signedApprovals: 0,
  },
  vault: {
    id: `${UUID}0`,
    organizationId: `${UUID}2`,
    address: VAULT,
    tokenAddress: TOKEN,
    chainId: CHAIN_ID,
    policy: {
      version: 3,
      approvedCap: '5000000000',
      expiresAt: '2099-01-01T00:00:00Z',
      paused: false,
      approverAddresses: [approver.address],
      recipientAddresses: [RECIPIENT],
    },
  },
  report: { organizationId: `${UUID}2`, expenseId: `${UUID}1`, expenseRevision: 1, output },
} as unknown as ShownApproval

/** What an honest service would prepare for these terms. */
export function preparedFor(
  changes: { recipient?: string; amount?: bigint; extraSeconds?: number } = {},
) {
  const terms = {
    chainId: CHAIN_ID,
    vaultAddress: VAULT.toLowerCase(),
    tokenAddress: TOKEN.toLowerCase(),
    recipientAddress: (changes.recipient ?? RECIPIENT).toLowerCase(),
    amount: changes.amount ?? 75_000_000n,
  }
  const content = {
    ...terms,
    approvalId: `${UUID}4`,
    approverAddress: approver.address.toLowerCase(),
    organizationHash: ORGANIZATION_HASH,
    chainPaymentId: chainPaymentIdOf({
      chainId: CHAIN_ID,
      organizationHash: ORGANIZATION_HASH,
      paymentId: `${UUID}3`,
    }),
    policyVersion: 3,
    reportHash: canonicalHash(output),
    expenseVersionHash: versionHashOf({
      ...terms,
      organizationId: `${UUID}2`,
      expenseId: `${UUID}1`,
      revision: 1,
      vaultId: `${UUID}0`,
      requestedMode: 'approved',
      purpose: revision.purpose,
    }),
    deadlineSeconds: DEADLINE + (changes.extraSeconds ?? 0),
  }
  return {
    ...typedDataOf(content),
    digest: digestOf(content),
    approvalId: content.approvalId,
    approverAddress: approver.address,
  } as unknown as PreparedApproval
}

/** A service that answers every request with one body. */
export const serviceWith = (body: unknown, status = 200) =>
  createClient({
    baseUrl: 'http://service.test',
    retry: { attemptsMax: 1 },
    fetch: async () =>
      new Response(JSON.stringify(body), {
        status,
        headers: { 'content-type': 'application/json' },
      }),
  })

type Chain = {
  code: Hex
  policyVersion: bigint
  isPaused: boolean
  allowedFrom: bigint
  isBlocked: boolean
  isRecipientApprover: boolean
  executor: Address
  requiredApprovals: bigint
  isApprover: boolean
  isPaid: boolean
  decimals: number
  symbol: string
  digest: Hex
  approverCode: Hex
}

const flag = (value: boolean) => encodeAbiParameters([{ type: 'bool' }], [value])
const number = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])

const policyOf = ({ executor, isPaused }: Chain) => ({
  executor,
  expiresAt: 4_070_908_800n,
  automaticEnabled: false,
  paused: isPaused,
  approvedCap: 5_000_000_000n,
  automaticCap: 0n,
  lifetimeCap: 0n,
  reserveFloor: 0n,
  periodSeconds: 0,
  periodCap: 0n,
  automaticPeriodCap: 0n,
  tiers: [],
})

/** The chain as a wallet would read it. */
export function chainWith(changes: Partial<Chain> = {}): ChainReader {
  const chain: Chain = {
    code: codeOfVault(),
    policyVersion: 3n,
    isPaused: false,
    allowedFrom: 1n,
    isBlocked: false,
    isRecipientApprover: false,
    executor: stranger.address,
    requiredApprovals: 1n,
    isApprover: true,
    isPaid: false,
    decimals: 6,
    symbol: 'USDC',
    digest: preparedFor().digest as Hex,
    approverCode: '0x',
    ...changes,
  }
  const vaultAnswer = (data: Hex): Hex => {
    const { functionName, args } = decodeFunctionData({ abi: vaultAbi, data })
    switch (functionName) {
      case 'policyVersion':
        return number(chain.policyVersion)
      case 'recipientOf':
        return encodeFunctionResult({
          abi: vaultAbi,
          functionName,
          result: { allowedFrom: chain.allowedFrom, blocked: chain.isBlocked },
        })
      case 'requiredApprovals':
        return number(chain.requiredApprovals)
      case 'isApprover':
        return flag(args[1] === RECIPIENT ? chain.isRecipientApprover : chain.isApprover)
      case 'paymentExecuted':
        return flag(chain.isPaid)
      case 'approvalDigest':
        return chain.digest
      default:
        return encodeFunctionResult({
          abi: vaultAbi,
          functionName: 'policy',
          result: policyOf(chain),
        })
    }
  }
  const DECIMALS = '0x313ce567'
  return {
    code: async (address) => ({
      ok: true,
      value: address === VAULT ? chain.code : chain.approverCode,
    }),
    call: async (to, data) => {
      if (to === VAULT) return { ok: true, value: vaultAnswer(data) }
      const symbol = encodeAbiParameters([{ type: 'string' }], [chain.symbol])
      return { ok: true, value: data === DECIMALS ? number(BigInt(chain.decimals)) : symbol }
    },
  }
}
