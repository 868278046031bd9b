/** docs/GUIDE.md, run as a reader would: against `npm start`, as requests and as a program. */
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  parseAbi,
  type TransactionRequest,
  type TypedDataDefinition,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cleanUp, freePort, makeFolder, ROOT, runScript } from '#test/processes/processes.ts'
import { makePlace } from '#test/processes/service.ts'
import { blocks, codeOf, names, program } from './guide-page.ts'
import { fill, type GuideWallet, runRequests, type Values } from './guide-requests.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

const PROGRAM_WITHIN_MS = 120_000

/** Defined here, because `viem/chains` loads hundreds of others. */
const foundry = defineChain({
  id: 31_337,
  name: 'Foundry',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
})

type Service = { helper: string; api: string; rpc: string }

const run = promisify(execFile)
let service: Service
let folder: string

beforeAll(async () => {
  folder = await makeFolder()
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const started = runScript('src/dev/start.ts', (await makePlace()).env)
  await started.says(/Ctrl-C/)
  const [, helper = ''] = await started.says(/Helper\s+(http:\S+)/)
  service = { helper, ...((await (await fetch(helper)).json()) as Omit<Service, 'helper'>) }
})
afterAll(cleanUp)

/** The addresses of the page, as they are in this run. */
const placed = (text: string): string =>
  text
    .replaceAll('http://127.0.0.1:4000', service.api)
    .replaceAll('http://127.0.0.1:4001', service.helper)
    .replaceAll('http://127.0.0.1:8545', service.rpc)

function makeWallet(): GuideWallet & { address: string } {
  const account = privateKeyToAccount(generatePrivateKey())
  const transport = http(service.rpc)
  const wallet = createWalletClient({ account, chain: foundry, transport })
  const chain = createPublicClient({ chain: foundry, transport, pollingInterval: 50 })
  const mined = async (hash: Hex): Promise<Hex> => {
    await chain.waitForTransactionReceipt({ hash })
    return hash
  }
  const abi = parseAbi(['function approve(address, uint256)', 'function deposit(uint256)'])
  return {
    address: account.address,
    sign: (what) =>
      typeof what === 'string'
        ? account.signMessage({ message: what })
        : account.signTypedData(what as TypedDataDefinition),
    async send(given) {
      const { to = null, data } = given as TransactionRequest
      return mined(await wallet.sendTransaction({ to, data: data as Hex }))
    },
    async call(address, functionName, args) {
      const call = { address, abi, functionName, args }
      await mined(await wallet.writeContract(call as never))
    },
  }
}

/** Runs an `npm run verify` of the page and returns its exit code. */
async function verify(command: string, values: Values): Promise<number | null> {
  const words = fill(placed(command), values).replaceAll('\\\n', ' ').trim().split(/\s+/)
  const args = words.slice(4).map((word) => (/^\w+\.\w+$/.test(word) ? join(folder, word) : word))
  const verifying = runScript('src/cli/verify.ts', {}, args)
  const { code } = await verifying.ended
  expect(verifying.stdout() + verifying.stderr()).not.toMatch(/^NO /m)
  return code
}

const verifications = () => codeOf('sh').filter((code) => code.startsWith('npm run verify -- '))

test('shows every step once as requests and once as code', () => {
  const steps = new Map<string, string[]>()
  for (const { heading, language } of blocks.filter(({ heading }) => /^## \d/.test(heading))) {
    if (language !== 'sh') steps.set(heading, [...(steps.get(heading) ?? []), language])
  }
  expect(steps.size).toBe(16)
  for (const [heading, languages] of steps) expect(languages, heading).toEqual(['http', 'ts'])
})

test('has requests that lead to a payment whose evidence is verified on the chain', async () => {
  const [owner, manager, supplier] = [makeWallet(), makeWallet(), makeWallet()]
  const values: Values = {
    ...Object.fromEntries(Object.entries(names).map(([name, value]) => [name, placed(value)])),
    ownerAddress: owner.address,
    managerAddress: manager.address,
    supplierAddress: supplier.address,
  }
  for (const block of codeOf('http'))
    await runRequests(block, { values, wallets: { owner, manager } })
  await writeFile(join(folder, 'bundle.json'), JSON.stringify(values.bundle))
  expect(await verify(verifications()[0] ?? '', values)).toBe(0)
})

test('has code without casts, which a reader would copy', () => {
  expect(codeOf('ts').filter((code) => /\bas (?!const\b)[A-Z(]|\w!\.|: any\b/.test(code))).toEqual(
    [],
  )
})

test('has code that compiles', async () => {
  await writeFile(join(folder, 'guide.ts'), program())
  const compilerOptions = {
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    noUnusedLocals: false,
  }
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['guide.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const compiled = run(process.execPath, [tsc, '-p', folder]).catch(({ stdout }) => ({ stdout }))
  expect((await compiled).stdout).toBe('')
})

test('has code that leads to the same, and recipes that work', async () => {
  const port = String(await freePort())
  const file = join(folder, 'program.ts')
  await writeFile(file, placed(program()).replaceAll('4900', port))
  const options = { cwd: folder, timeout: PROGRAM_WITHIN_MS }
  const { stdout, stderr } = await run(process.execPath, [file], options).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  expect(stderr).toBe('')
  expect(stdout).toContain('risk 0 of 100, approve')
  expect(stdout).toContain('Paid: the supplier has 75000000 base units')
  expect(stdout).toContain('The evidence is consistent []')
  expect(stdout).toContain('Welcome to Acme')
  expect(stdout).toContain('Event: expense.changed')
  expect(stdout).toContain('The stream is live')
  expect(stdout).toContain('Once more: expense.changed')
  expect(stdout).toMatch(/Exported the key of 0x\w{40}: true/)
  expect(stdout).toContain('Webhook: integration.changed webhook_ping')
  expect(stdout).toMatch(/,-75\.00,Printers Limited,Printing of 500 copies/)
  expect(await verify(verifications()[1] ?? '', {})).toBe(3)
})
