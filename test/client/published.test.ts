/** The packages as they are published: packed, unpacked elsewhere, compiled against and run. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..', '..')
const NAMES = ['proof', 'client'] as const

/** What the packages depend on. */
const DEPENDENCIES = ['viem', 'canonicalize', 'openapi-fetch', 'eventsource-parser']

/** What the examples take for granted. */
const GIVEN = `
import type { Client } from '@countersign/client'
import type { DecodedPolicy } from '@countersign/proof/owner-call'
import type { Address, Hex, LocalAccount } from 'viem'
declare global {
  const client: Client
  const accountId: string, organizationId: string, vaultId: string
  const recipientId: string, expenseId: string
  const address: string, vaultAddress: string, hex: Hex
  const account: LocalAccount
  const evidence: unknown
  const request: Request
  const stored: { cursor(): Promise<string>; keep(cursor: string): void }
  const wantedPolicy: DecodedPolicy
  const terms: Record<'approvedCap' | 'automaticCap' | 'lifetimeCap' | 'reserveFloor', string>
  const wallet: { sendTransaction(given: { to: Address | null; data: Hex }): Promise<Hex> }
  function accessToken(): Promise<string>
  function signIn(): void
  function verified(request: Request): unknown
  const form: Record<'complain' | 'reload', (message: string) => void> & {
    key: string
    explain(code: string, message: string): void
    retryIn(milliseconds: number): void
    apologise(requestId: string | null): void
  }
}
`

const OPTIONS = {
  strict: true,
  noEmit: true,
  // TypeScript's own libraries; those of the packages are checked.
  skipDefaultLibCheck: true,
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
}

let folder: string

const unpackedAt = (name: string) => join(folder, 'node_modules', '@countersign', name)

async function pack(): Promise<void> {
  const packages = NAMES.flatMap((name) => ['-w', `@countersign/${name}`])
  const packing = ['pack', ...packages, '--pack-destination', folder, '--silent']
  await run('npm', packing, { cwd: ROOT })
}

async function install(name: string): Promise<void> {
  const target = unpackedAt(name)
  await mkdir(target, { recursive: true })
  const archive = readdirSync(folder).find((file) => file.startsWith(`countersign-${name}-`))
  await run('tar', ['-xzf', join(folder, archive ?? ''), '-C', target, '--strip-components=1'])
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-published-'))
  await mkdir(join(folder, 'node_modules'))
  for (const name of DEPENDENCIES) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  await pack()
  for (const name of NAMES) await install(name)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
}, 300_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(NAMES)('%s', (name) => {
  test('has its licence, its README, and nothing but built modules', () => {
    const at = unpackedAt(name)
    expect(readdirSync(at).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
    const files = readdirSync(join(at, 'dist'))
    expect(files.filter((file) => !/\.(?:js|d\.ts)$/.test(file))).toEqual([])
    expect(files.filter((file) => /test/.test(file))).toEqual([])
  })

  test('has modules that load, and that import no source', async () => {
    const modules = readdirSync(join(unpackedAt(name), 'dist')).filter((file) =>
      file.endsWith('.js'),
    )
    const lines = modules.map((file) => `await import('@countersign/${name}/${file.slice(0, -3)}')`)
    const script = join(folder, `load-${name}.mjs`)
    await writeFile(script, lines.join('\n'))
    await run(process.execPath, [script])
    for (const file of readdirSync(join(unpackedAt(name), 'dist'))) {
      const text = await readFile(join(unpackedAt(name), 'dist', file), 'utf8')
      expect(text, file).not.toMatch(/from ['"][^'"]+(?<!\.d)\.ts['"]|from ['"]node:/)
    }
  })
})

test('both have a README whose examples compile', async () => {
  const at = join(folder, 'examples')
  await mkdir(at)
  await writeFile(join(at, 'given.ts'), GIVEN)
  for (const name of NAMES) {
    const readme = await readFile(join(unpackedAt(name), 'README.md'), 'utf8')
    const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
    expect(examples.length).toBeGreaterThan(1)
    for (const [index, code] of examples.entries()) {
      await writeFile(join(at, `${name}-${index}.ts`), `${code}\nexport {}\n`)
    }
  }
  await writeFile(join(at, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }))
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const compiled = run(process.execPath, [tsc, '-p', at]).catch(({ stdout }) => ({ stdout }))
  expect((await compiled).stdout).toBe('')
})

test('the unpacked client makes a call', async () => {
  const script = join(folder, 'call.mjs')
  await writeFile(
    script,
    `import { createClient } from '@countersign/client'
     const fetch = async () => Response.json({ account: 'me' })
     const client = createClient({ baseUrl: 'https://api.test', fetch })
     console.log(JSON.stringify((await client.call('getAccount')).data))`,
  )
  const { stdout } = await run(process.execPath, [script])
  expect(JSON.parse(stdout)).toEqual({ account: 'me' })
  expect(existsSync(join(unpackedAt('client'), 'src'))).toBe(false)
})
