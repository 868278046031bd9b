/** Routes are registered side by side, so a hook or parser of one module would apply to all. */
import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const OWN = /app\.(?:addHook\('on|addHook\('pre(?!Close)|addContentTypeParser)/

test('every module whose routes have a hook or parser of their own is enclosed', async () => {
  const composed = await readFile('src/app.ts', 'utf8')
  const found: string[] = []
  for await (const path of glob('src/*/*.routes.ts', { exclude: ['src/web/**'] })) {
    const text = await readFile(path, 'utf8')
    if (!OWN.test(text)) continue
    const [, name = path] = /^export const (\w+Routes)/m.exec(text) ?? []
    found.push(name)
    expect(composed, name).toContain(`enclosed(${name}(`)
  }
  expect(found.sort()).toEqual(['attachmentRoutes', 'ledgerProofRoutes'])
})
