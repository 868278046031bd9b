/** The proof package runs where there is no Node. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { canonicalHash } from '@countersign/proof/digest.ts'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { encodeDeployment } from '#adapters/chain/vault-codec.ts'
import { EVENTS, fileOf, genuine } from './trails.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const PROOF = join(ROOT, 'packages', 'proof', 'src')
const MODULES = readdirSync(PROOF).filter((name) => !name.endsWith('.test.ts'))
const ENTRY = '\0proof'

async function bundleForBrowsers(): Promise<{
  code: string
  imports: string[]
  modules: string[]
}> {
  const lines = MODULES.map((name) => `export * from ${JSON.stringify(join(PROOF, name))}`)
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRY,
    platform: 'browser',
    external: /^node:/,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? lines.join('\n') : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'proof' })
  await bundle.close()
  const [chunk] = output
  return { code: chunk.code, imports: chunk.imports, modules: chunk.moduleIds }
}

test('imports no Node module, and decodes and hashes in a context without Node', async () => {
  const { code, imports, modules } = await bundleForBrowsers()
  expect(imports).toEqual([])
  const own = modules.filter((id) => id.startsWith(ROOT) && !id.includes('node_modules'))
  expect(own.filter((id) => !id.startsWith(PROOF))).toEqual([])
  const { transaction } = encodeDeployment({
    chainId: 1,
    tokenAddress: `0x${'3'.repeat(40)}`,
    ownerAddress: `0x${'2'.repeat(40)}`,
    organizationHash: `0x${'ab'.repeat(32)}`,
    changeDelaySeconds: 0,
  })
  // What browsers have and the language does not; neither process, Buffer nor require.
  const world = createContext({ TextEncoder, TextDecoder, transaction })
  runInContext(code.replace(/^var proof/m, 'globalThis.proof'), world)
  const read =
    'proof.decodeOwnerTransaction(proof.parseJsonTransaction({ transaction }).transaction)'
  const lines = runInContext(`JSON.stringify(proof.describeOwnerCall(${read}))`, world)
  expect(JSON.parse(lines)).toContain(`owner: 0x${'2'.repeat(40)}`)
  const hash = runInContext('proof.canonicalHash({ b: 1, a: [2] })', world)
  expect(hash).toBe(canonicalHash({ a: [2], b: 1 }))
  const file = new TextEncoder().encode(fileOf(genuine))
  const checked = runInContext(
    '(file) => proof.checkTrail((async function* () { yield file })())',
    world,
  )(file)
  expect(await checked).toMatchObject({ verdict: 'consistent', events: EVENTS })
})
