/**
 * Compiles the vault and the test USDC in an empty folder and writes what the service needs of
 * them, so that starting it compiles nothing. With `--check` it only fails on a difference, and
 * takes what was built of exactly these sources before, where `COUNTERSIGN_BUILD` names a folder.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Hex, keccak256 } from 'viem'

type Reference = { start: number; length: number }

/** Places by the immutable's name: one value stands in all places of one name. */
type References = Record<string, Reference[]>

type Compiled = {
  abi: readonly unknown[]
  bytecode: Hex
  deployedBytecode: Hex
  /** By the compiler's number of the declaration. */
  immutableReferences: Record<string, Reference[]>
  buildInfoId: string
}

type Artifact = Pick<Compiled, 'abi' | 'bytecode' | 'deployedBytecode'> & { references: References }

type Output = {
  source: string
  contract: string
  prefix: string
  target: string
  words: string
  /** Whether the service compares code on the chain with it. */
  isVerified: boolean
}

const OUTPUTS: readonly Output[] = [
  {
    source: 'contracts/src/CountersignVault.sol',
    contract: 'CountersignVault',
    prefix: 'vault',
    target: 'packages/proof/src/vault-artifact.ts',
    words: 'The compiled vault.',
    isVerified: true,
  },
  {
    source: 'contracts/test/mocks/TestUSDC.sol',
    contract: 'TestUSDC',
    prefix: 'testUsdc',
    target: 'src/dev/test-usdc-artifact.ts',
    words: 'The compiled test USDC of development chains.',
    isVerified: false,
  },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const hardhat = fileURLToPath(new URL('./cli.js', import.meta.resolve('hardhat')))

async function compileAnew(): Promise<Artifact[]> {
  await mkdir(join(root, 'contracts/build'), { recursive: true })
  const folder = await mkdtemp(join(root, 'contracts/build/fresh-'))
  try {
    return await compile(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What the folder has of the same sources and settings is not compiled again. */
async function compile(folder: string): Promise<Artifact[]> {
  const sources = OUTPUTS.map(({ source }) => source)
  await promisify(execFile)(process.execPath, [hardhat, 'build', ...sources], {
    cwd: root,
    env: { ...process.env, COUNTERSIGN_BUILD: folder },
  })
  const read = async (...path: string[]) =>
    JSON.parse(await readFile(join(folder, 'artifacts', ...path), 'utf8'))
  return Promise.all(
    OUTPUTS.map(async ({ source, contract }) => {
      const compiled: Compiled = await read(source, `${contract}.json`)
      const info = await read('build-info', `${compiled.buildInfoId}.output.json`)
      return { ...compiled, references: references(compiled, namesIn(info.output.sources)) }
    }),
  )
}

/** Names of declared variables by their number, from the compiler's syntax trees. */
function namesIn(node: unknown, names = new Map<string, string>()): Map<string, string> {
  if (typeof node !== 'object' || node === null) return names
  const { nodeType, id, name } = node as Record<string, unknown>
  if (nodeType === 'VariableDeclaration') names.set(String(id), String(name))
  for (const part of Object.values(node)) namesIn(part, names)
  return names
}

function references(
  { immutableReferences }: Compiled,
  names: ReadonlyMap<string, string>,
): References {
  const named = Object.entries(immutableReferences).map(([id, places]) => {
    const name = names.get(id)?.replace(/^_/, '')
    if (name === undefined) throw new Error(`The immutable ${id} has no name.`)
    const sorted = places.map(({ start, length }) => ({ start, length }))
    return [name, sorted.sort((a, b) => a.start - b.start)] as const
  })
  const sorted = named.sort(([a], [b]) => (a < b ? -1 : 1))
  if (new Set(sorted.map(([name]) => name)).size < sorted.length) {
    throw new Error('Two immutables have one name.')
  }
  return Object.fromEntries(sorted)
}

/** The code as it is before the constructor writes its immutable values into it. */
function masked(code: Hex, places: readonly Reference[]): Hex {
  const bytes = Buffer.from(code.slice(2), 'hex')
  for (const { start, length } of places) bytes.fill(0, start, start + length)
  return `0x${bytes.toString('hex')}`
}

const literal = (value: unknown): string =>
  JSON.stringify(value, (key, item) => (key === 'internalType' ? undefined : item))
    .replaceAll(/"(\w+)":/g, '$1:')
    .replaceAll('"', "'")

const items = (values: readonly unknown[]): string =>
  values.map((value) => `  ${literal(value)},\n`).join('')

const groups = (named: References): string =>
  Object.entries(named)
    .map(([name, places]) => `  ${name}: ${literal(places)},\n`)
    .join('')

const render = (output: Output, artifact: Artifact): string =>
  renderCreation(output, artifact) + (output.isVerified ? renderRuntime(output, artifact) : '')

const renderCreation = ({ prefix, words }: Output, artifact: Artifact): string =>
  `// biome-ignore-all format: generated
/** ${words} Generated by \`npm run contracts\`; a test compares it with a fresh build. */

export const ${prefix}Abi = [
${items(artifact.abi)}] as const

/** Creation code without constructor arguments. */
export const ${prefix}CreationCode: \`0x\${string}\` =
  '${artifact.bytecode}'
`

function renderRuntime({ prefix }: Output, artifact: Artifact): string {
  const runtime = masked(artifact.deployedBytecode, Object.values(artifact.references).flat())
  return `
/** keccak256 of the creation code. */
export const ${prefix}ArtifactHash = '${keccak256(artifact.bytecode)}'

/** Code on the chain, with zeros where the constructor writes its immutable values. */
export const ${prefix}RuntimeCode: \`0x\${string}\` =
  '${runtime}'

/** Where each immutable value stands, in bytes. */
export const ${prefix}ImmutableReferences = {
${groups(artifact.references)}} as const

/** keccak256 of the runtime code with those places zero. */
export const ${prefix}MaskedRuntimeHash = '${keccak256(runtime)}'
`
}

const isCheck = process.argv.includes('--check')
const built = process.env.COUNTERSIGN_BUILD
const artifacts = await (isCheck && built ? compile(join(root, built)) : compileAnew())
for (const [index, output] of OUTPUTS.entries()) {
  const artifact = artifacts[index]
  if (artifact === undefined) throw new Error(`${output.contract} was not compiled.`)
  const file = join(root, output.target)
  const text = render(output, artifact)
  const size = artifact.deployedBytecode.length / 2 - 1
  if (!isCheck) {
    await writeFile(file, text)
    process.stdout.write(`${output.target}: ${size} bytes of code\n`)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${output.target} is not what the sources compile to: npm run contracts\n`)
    process.exitCode = 1
  }
}
