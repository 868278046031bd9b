/** The decoder of owners' transactions runs where there is no Node. */
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { prepareDeployment } from '#adapters/chain/vault-codec.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MODULES = ['owner-call', 'owner-call-input', 'owner-call-comparison', 'owner-call-statement']
const ENTRY = '\0decoder'

async function bundleForBrowsers(): Promise<{
  code: string
  imports: string[]
  modules: string[]
}> {
  const lines = [...MODULES, 'owner-call-text'].map(
    (name) => `export * from ${JSON.stringify(join(ROOT, `src/adapters/${name}.ts`))}`,
  )
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
  const { output } = await bundle.generate({ format: 'iife', name: 'decoder' })
  await bundle.close()
  const [chunk] = output
  return { code: chunk.code, imports: chunk.imports, modules: chunk.moduleIds }
}

test('imports no module of Node, and decodes in a context without Node', async () => {
  const { code, imports, modules } = await bundleForBrowsers()
  expect(imports).toEqual([])
  const own = modules
    .filter((id) => id.startsWith(join(ROOT, 'src')))
    .map((id) => id.slice(ROOT.length))
  expect(own.filter((id) => !/^\/src\/adapters\/(owner-call|vault-artifact)/.test(id))).toEqual([])
  const { transaction } = prepareDeployment({
    chainId: 1,
    tokenAddress: `0x${'3'.repeat(40)}`,
    ownerAddress: `0x${'2'.repeat(40)}`,
    organizationHash: `0x${'ab'.repeat(32)}`,
  })
  // What browsers have and the language does not; neither process, Buffer nor require.
  const world = createContext({ TextEncoder, TextDecoder, transaction })
  runInContext(code.replace(/^var decoder/m, 'globalThis.decoder'), world)
  const read =
    'decoder.decodeOwnerTransaction(decoder.parseJsonTransaction({ transaction }).transaction)'
  const lines = runInContext(`JSON.stringify(decoder.describeOwnerCall(${read}))`, world)
  expect(JSON.parse(lines)).toContain(`owner: 0x${'2'.repeat(40)}`)
})
