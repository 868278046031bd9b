/**
 * Measures deployment and every function on a chain in this process, with and without periods and
 * tiers and at their limits, prints the tables and writes them into docs/VAULT.md.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { vaultAbi, vaultRuntimeCode } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  keccak256,
} from 'viem'
import {
  approvedCall,
  deployVault,
  executor,
  GAS_LIMIT,
  owner,
  paymentOf,
  people,
  policyOf,
  send,
  signers,
  strayToken,
  type Tier,
  type Vault,
  wait,
} from './gas-chain.ts'

const CODE_LIMIT = 24_576
const DOCUMENT = fileURLToPath(new URL('../docs/VAULT.md', import.meta.url))
const MARKERS = ['<!-- gas: npm run gas -->', '<!-- /gas -->'] as const
const PERIOD = 30 * 86_400

/** The vault before this one, measured in the same way at commit 76f4a7d9, with 4 approvers. */
const BEFORE: Readonly<Record<string, number>> = {
  deployment: 2_563_997,
  'policy with 10 recipients': 453_110,
  'policy with 256 recipients': 6_280_322,
  'one recipient more, 256 listed': 6_203_534,
  "a vault's first payment, 1 signature": 124_157,
  'approved payment, 1 signature': 107_045,
  'automatic payment': 93_496,
}
const MOST: Readonly<Record<string, number>> = {
  'one recipient more, 256 listed': 0.01,
  'approved payment, 1 signature': 1.15,
}

const RECIPIENTS = people(500, 0x2000)
const TIERS: readonly Tier[] = [
  { above: 1_000n, approvals: 2 },
  { above: 2_000n, approvals: 4 },
]
const abi = vaultAbi
const approvers = signers.slice(0, 4).map(({ address }) => address)
const plain = policyOf({ approvers, tiers: [], periodSeconds: 0 })
const limited = policyOf({ approvers, tiers: TIERS, periodSeconds: PERIOD })
const largest = policyOf({
  approvers: [...people(24, 0x1000), ...signers.map(({ address }) => address)],
  tiers: [...TIERS, { above: 3_000n, approvals: 6 }, { above: 4_000n, approvals: 8 }],
  periodSeconds: PERIOD,
})

type Policy = typeof plain
type Figures = Record<string, number>

const configure = (version: bigint, policy: Policy): Hex =>
  encodeFunctionData({ abi, functionName: 'configurePolicy', args: [version, policy] })

const setUp = (policy: Policy, add: readonly Address[]): Hex =>
  encodeFunctionData({
    abi,
    functionName: 'configurePolicyAndRecipients',
    args: [0n, policy, 0n, add, []],
  })

const change = (version: bigint, add: readonly Address[], remove: readonly Address[]): Hex =>
  encodeFunctionData({ abi, functionName: 'changeRecipients', args: [version, add, remove] })

/** What the vault before this one could do as well. */
async function compare(policy: Policy): Promise<Figures> {
  const vault = await deployVault(0)
  const call = async (from: Address, data: Hex) => (await send(from, vault.address, data)).gas
  const figures: Figures = { deployment: vault.deployment }
  figures['policy with 10 recipients'] = await call(owner, setUp(policy, RECIPIENTS.slice(0, 10)))
  await call(owner, configure(1n, policy))
  await call(owner, encodeFunctionData({ abi, functionName: 'deposit', args: [500_000n] }))
  figures["a vault's first payment, 1 signature"] = await pay(vault, 1, 900n, 1)
  figures['approved payment, 1 signature'] = await pay(vault, 2, 900n, 1)
  if (policy.tiers.length > 0) {
    figures['approved payment, 2 signatures'] = await pay(vault, 3, 1_001n, 2)
    figures['approved payment, 4 signatures'] = await pay(vault, 4, 2_001n, 4)
  }
  figures['automatic payment'] = await pay(vault, 5, 900n, 0)
  const { address } = await deployVault(0)
  const first = await send(owner, address, setUp(policy, RECIPIENTS.slice(0, 256)))
  figures['policy with 256 recipients'] = first.gas
  const more = await send(owner, address, change(1n, RECIPIENTS.slice(256, 257), []))
  figures['one recipient more, 256 listed'] = more.gas
  return figures
}

async function pay(vault: Vault, id: number, amount: bigint, signatures: number): Promise<number> {
  const [recipient] = RECIPIENTS as [Address]
  const args = paymentOf(id, { recipient, amount, version: 2n })
  const data =
    signatures === 0
      ? encodeFunctionData({ abi, functionName: 'executeAutomatic', args })
      : await approvedCall(vault, args, signatures)
  return (await send(executor, vault.address, data)).gas
}

type Step = readonly [label: string, from: Address, data: Hex]

/** Every other call, in an order in which each succeeds. */
async function others(): Promise<Figures> {
  const { address } = await deployVault(3_600)
  const stray = await strayToken(address)
  const [supplier, another] = RECIPIENTS as [Address, Address]
  const id = proposalId(1n, limited)
  const steps: Step[] = [
    ['first policy and its recipient', owner, setUp(limited, [supplier])],
    ['configurePolicy that waits', owner, configure(1n, limited)],
    ['veto', owner, encodeFunctionData({ abi, functionName: 'veto', args: [id] })],
    ['', owner, configure(1n, limited)],
    ['changeRecipients, one more', owner, change(1n, [another], [])],
    ['changeRecipients, one less', owner, change(2n, [], [another])],
    ['blockRecipient', owner, block(supplier)],
    [
      'unblockRecipient',
      owner,
      encodeFunctionData({ abi, functionName: 'unblockRecipient', args: [supplier] }),
    ],
    ['emergencyPause', executor, encodeFunctionData({ abi, functionName: 'emergencyPause' })],
    ['unpause', owner, encodeFunctionData({ abi, functionName: 'unpause', args: [1n] })],
    ['deposit', owner, encodeFunctionData({ abi, functionName: 'deposit', args: [500_000n] })],
    ['withdraw', owner, encodeFunctionData({ abi, functionName: 'withdraw', args: [1_000n] })],
    ['rescue', owner, encodeFunctionData({ abi, functionName: 'rescue', args: [stray, 1_000n] })],
    [
      'invalidateApproval',
      owner,
      encodeFunctionData({ abi, functionName: 'invalidateApproval', args: [id] }),
    ],
  ]
  const figures = await run(address, steps)
  await wait(3_600)
  const activate = encodeFunctionData({
    abi,
    functionName: 'activatePolicy',
    args: [1n, limited],
  })
  const [approver] = approvers as [Address]
  const revoke = encodeFunctionData({ abi, functionName: 'revokeApprover', args: [approver] })
  const rest = await run(address, [
    ['activatePolicy', executor, activate],
    ['revokeApprover', owner, revoke],
  ])
  return { ...figures, ...rest }
}

/** 32 approvers, 4 tiers, 500 changes of recipients and 8 signatures. */
async function atTheLimits(): Promise<Figures> {
  const vault = await deployVault(0)
  const figures = await run(vault.address, [
    ['first policy and 500 recipients', owner, setUp(largest, RECIPIENTS)],
    ['configurePolicy', owner, configure(1n, largest)],
    ['changeRecipients, 500 less', owner, change(1n, [], RECIPIENTS)],
    ['changeRecipients, 500 more', owner, change(2n, RECIPIENTS, [])],
    ['', owner, encodeFunctionData({ abi, functionName: 'deposit', args: [500_000n] })],
  ])
  return { ...figures, 'approved payment, 8 signatures': await pay(vault, 6, 4_001n, 8) }
}

async function run(vault: Address, steps: readonly Step[]): Promise<Figures> {
  const figures: Figures = {}
  for (const [label, from, data] of steps) {
    const { gas } = await send(from, vault, data)
    if (label !== '') figures[label] = gas
  }
  return figures
}

const block = (recipient: Address): Hex =>
  encodeFunctionData({ abi, functionName: 'blockRecipient', args: [recipient] })

/** As the vault computes it: the hash of the call's arguments. */
function proposalId(version: bigint, policy: Policy): Hex {
  const { inputs } = getAbiItem({ abi, name: 'configurePolicy' })
  return keccak256(encodeAbiParameters(inputs, [version, policy]))
}

const format = (value: number | undefined): string => value?.toLocaleString('en-US') ?? '–'

/** A tenth of a percent; a hundredth below 1 %. */
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`

function comparison(without: Figures, withBoth: Figures): string[] {
  return Object.keys(withBoth).map((label) => {
    const [before, after] = [BEFORE[label], withBoth[label] ?? 0]
    const share = before === undefined ? 1 : after / before
    if (share > (MOST[label] ?? Number.POSITIVE_INFINITY)) {
      throw new Error(`${label} costs ${percent(share)} of what it did`)
    }
    const cells = [before, without[label], after].map(format)
    return `| ${label} | ${cells.join(' | ')} | ${before ? percent(share) : '–'} |`
  })
}

const rows = (figures: Figures): string[] =>
  Object.entries(figures).map(([label, gas]) => {
    if (gas >= GAS_LIMIT) throw new Error(`${label} needs too much gas: ${gas}`)
    return `| ${label} | ${format(gas)} |`
  })

async function report(): Promise<string> {
  const size = vaultRuntimeCode.length / 2 - 1
  if (size >= CODE_LIMIT) throw new Error(`The code is too large: ${size} bytes`)
  return [
    '| 4 approvers | Vault before | Now, period and tiers off | Now, both on | On, of before |',
    '|---|---:|---:|---:|---:|',
    ...comparison(await compare(plain), await compare(limited)),
    '',
    '| Other calls | Gas |',
    '|---|---:|',
    ...rows(await others()),
    '',
    '| At the limits: 32 approvers, 4 tiers, 500 changes | Gas |',
    '|---|---:|',
    ...rows(await atTheLimits()),
    '',
    `Limit of a transaction: ${format(GAS_LIMIT)} gas (EIP-7825). Code: ${format(size)} of at most`,
    `${format(CODE_LIMIT)} bytes.`,
  ].join('\n')
}

const table = await report()
process.stdout.write(`${table}\n`)
const [head, rest = ''] = (await readFile(DOCUMENT, 'utf8')).split(MARKERS[0])
const tail = rest.split(MARKERS[1])[1] ?? ''
await writeFile(DOCUMENT, `${head}${MARKERS[0]}\n${table}\n${MARKERS[1]}${tail}`)
