/**
 * Measures deployment and every function on a chain in this process, with the smallest and the
 * largest policy, prints the table and writes it into docs/VAULT.md.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { vaultAbi, vaultCreationCode, vaultRuntimeCode } from '@countersign/proof/vault-artifact.ts'
import { network } from 'hardhat'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { testUsdcAbi, testUsdcCreationCode } from '#dev/test-usdc-artifact.ts'

const GAS_LIMIT = 16_777_216
const CODE_LIMIT = 24_576
const DOCUMENT = fileURLToPath(new URL('../docs/VAULT.md', import.meta.url))
const MARKERS = ['<!-- gas: npm run gas -->', '<!-- /gas -->'] as const

const fields = [
  { name: 'approvalId', type: 'bytes32' },
  { name: 'approver', type: 'address' },
  { name: 'organizationHash', type: 'bytes32' },
  { name: 'paymentId', type: 'bytes32' },
  { name: 'token', type: 'address' },
  { name: 'recipient', type: 'address' },
  { name: 'amount', type: 'uint256' },
  { name: 'policyVersion', type: 'uint64' },
  { name: 'reportHash', type: 'bytes32' },
  { name: 'expenseVersionHash', type: 'bytes32' },
  { name: 'deadline', type: 'uint64' },
] as const

const constructorTypes = [{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }] as const

const approver = privateKeyToAccount(pad('0x01'))
const organizationHash = pad('0x0c')
const { provider } = await network.create()

const rpc = <T>(method: string, ...params: unknown[]) =>
  provider.request({ method, params }) as Promise<T>

const [owner, executor] = await rpc<[Address, Address]>('eth_accounts')
const chainId = Number(await rpc<Hex>('eth_chainId'))

async function send(from: Address, to: Address | undefined, data: Hex) {
  const gas = numberToHex(GAS_LIMIT)
  const hash = await rpc<Hex>('eth_sendTransaction', { from, to, data, gas })
  const receipt = await rpc<{ gasUsed: Hex; status: Hex; contractAddress: Address }>(
    'eth_getTransactionReceipt',
    hash,
  )
  if (receipt.status !== '0x1') throw new Error(`A measured transaction failed: ${hash}`)
  return { gas: Number(receipt.gasUsed), contractAddress: receipt.contractAddress }
}

const people = (count: number, from: number): Address[] =>
  Array.from({ length: count }, (_, index) => pad(numberToHex(from + index), { size: 20 }))

type Row = readonly [label: string, gas: number]

async function measure(approvers: number, recipients: number): Promise<Row[]> {
  const token = (await send(owner, undefined, testUsdcCreationCode)).contractAddress
  const args = encodeAbiParameters(constructorTypes, [owner, token, organizationHash])
  const deployment = await send(owner, undefined, concatHex([vaultCreationCode, args]))
  const vault = deployment.contractAddress
  const usdc = (functionName: 'mint' | 'approve', to: Address) =>
    encodeFunctionData({ abi: testUsdcAbi, functionName, args: [to, 1_000_000n] })
  await send(owner, token, usdc('mint', owner))
  await send(owner, token, usdc('approve', vault))

  const config = policy(approvers, recipients)
  const recipient = config.recipients.at(-1) as Address
  const abi = vaultAbi
  const configure = (version: bigint) =>
    encodeFunctionData({ abi, functionName: 'configurePolicy', args: [version, config] })
  const steps: [string, Address, Hex][] = [
    ['configurePolicy, the first', owner, configure(0n)],
    ['configurePolicy, another', owner, configure(1n)],
    ['deposit', owner, encodeFunctionData({ abi, functionName: 'deposit', args: [500_000n] })],
    ['executeApproved, the first', executor, await approved(vault, token, payment(1, recipient))],
    ['executeApproved, another', executor, await approved(vault, token, payment(2, recipient))],
    ['executeAutomatic', executor, automatic(payment(3, recipient))],
    [
      'invalidateApproval',
      owner,
      encodeFunctionData({ abi, functionName: 'invalidateApproval', args: [organizationHash] }),
    ],
    ['withdraw', owner, encodeFunctionData({ abi, functionName: 'withdraw', args: [1_000n] })],
    ['emergencyPause', executor, encodeFunctionData({ abi, functionName: 'emergencyPause' })],
  ]
  const rows: Row[] = [['deployment', deployment.gas]]
  for (const [label, from, data] of steps) rows.push([label, (await send(from, vault, data)).gas])
  return rows
}

const policy = (approvers: number, recipients: number) => ({
  executor,
  expiresAt: 2n ** 40n,
  automaticEnabled: true,
  paused: false,
  approvedCap: 10_000n,
  automaticCap: 1_000n,
  lifetimeCap: 100_000n,
  reserveFloor: 10n,
  approvers: [...people(approvers - 1, 0x1000), approver.address],
  recipients: people(recipients, 0x2000),
})

type PaymentArgs = readonly [Hex, Address, bigint, bigint, Hex, Hex, bigint]

/** Hashes without a zero byte, so that calldata costs what it costs in life. */
const payment = (id: number, recipient: Address): PaymentArgs => {
  const hash = keccak256(numberToHex(id))
  return [hash, recipient, 1_000n, 2n, hash, hash, 2n ** 40n]
}

const automatic = (args: PaymentArgs): Hex =>
  encodeFunctionData({ abi: vaultAbi, functionName: 'executeAutomatic', args })

async function approved(vault: Address, token: Address, args: PaymentArgs): Promise<Hex> {
  const [paymentId, recipient, amount, policyVersion, reportHash, expenseVersionHash, deadline] =
    args
  const approvalId = pad('0xa0')
  const signature = await approver.signTypedData({
    domain: { name: 'CountersignVault', version: '1', chainId, verifyingContract: vault },
    types: { PaymentApproval: fields },
    primaryType: 'PaymentApproval',
    message: {
      approvalId,
      approver: approver.address,
      organizationHash,
      paymentId,
      token,
      recipient,
      amount,
      policyVersion,
      reportHash,
      expenseVersionHash,
      deadline,
    },
  })
  return encodeFunctionData({
    abi: vaultAbi,
    functionName: 'executeApproved',
    args: [...args, approvalId, approver.address, signature],
  })
}

const format = (value: number): string => value.toLocaleString('en-US')

async function report(): Promise<string> {
  const small = await measure(1, 1)
  const large = await measure(32, 256)
  const lines = small.map(([label, gas], index) => {
    const most = large[index]?.[1] ?? Number.POSITIVE_INFINITY
    if (Math.max(gas, most) >= GAS_LIMIT) throw new Error(`${label} needs too much gas: ${most}`)
    return `| ${label} | ${format(gas)} | ${format(most)} |`
  })
  const size = vaultRuntimeCode.length / 2 - 1
  if (size >= CODE_LIMIT) throw new Error(`The code is too large: ${size} bytes`)
  return [
    '| | 1 approver, 1 recipient | 32 approvers, 256 recipients |',
    '|---|---:|---:|',
    ...lines,
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
