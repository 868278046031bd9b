/** What is delivered: how large it is, that it can be reproduced, and that nobody can change it. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const DIST = join(import.meta.dirname, '..', '..', 'apps', 'consumer', 'dist')
const BUILD = join(import.meta.dirname, '..', '..', 'tools', 'web', 'build.ts')
const KIB = 1024
const run = promisify(execFile)

const sizeOf = (file: string): number => statSync(join(DIST, file)).size
const pageOf = (name: string): string => readFileSync(join(DIST, name), 'utf8')
const scripts = (): string[] =>
  readdirSync(join(DIST, 'assets')).filter((name) => name.endsWith('.js'))

/** The entry and everything the page loads before the first screen. */
function firstScripts(): string[] {
  const page = pageOf('index.html')
  const entry = /<script type="module"[^>]*src="\/([^"]+)"/.exec(page)?.[1] ?? ''
  const preloaded = [...page.matchAll(/rel="modulepreload"[^>]*href="\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  )
  return [entry, ...preloaded]
}

describe('sizes', () => {
  test('JavaScript to the first screen: at most 190 KiB with gzip, 165 with brotli', () => {
    const files = firstScripts()
    const total = (suffix: string) =>
      files.reduce((sum, file) => sum + sizeOf(`${file}${suffix}`), 0) / KIB
    expect(files.length).toBeGreaterThan(1)
    expect(total('.gz')).toBeLessThanOrEqual(190)
    expect(total('.br')).toBeLessThanOrEqual(165)
  })

  test('style sheets: at most 15 KiB', () => {
    const sheets = readdirSync(join(DIST, 'assets')).filter((name) => name.endsWith('.css.gz'))
    const total = sheets.reduce((sum, file) => sum + sizeOf(`assets/${file}`), 0) / KIB
    expect(sheets.length).toBeGreaterThan(0)
    expect(total).toBeLessThanOrEqual(15)
  })

  test('any other script: at most 45 KiB', () => {
    const first = new Set(firstScripts())
    const others = scripts().filter((name) => !first.has(`assets/${name}`))
    const large = others.filter((name) => sizeOf(`assets/${name}.gz`) > 45 * KIB)
    expect(others.length).toBeGreaterThan(20)
    expect(large).toEqual([])
  })

  test('the export of a key: at most 15 KiB for its page and for its cryptography', () => {
    const parts = scripts().filter((name) => /^(?:ceremony|sealing|export-page)-/.test(name))
    expect(parts.length).toBe(3)
    for (const name of parts) expect(sizeOf(`assets/${name}.gz`)).toBeLessThanOrEqual(15 * KIB)
  })

  test('the page for a second device, with everything it loads: at most 25 KiB', () => {
    const page = pageOf('verify.html')
    const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, name = '']) => name,
    )
    const total = files.reduce((sum, file) => sum + sizeOf(`${file}.gz`), 0) / KIB
    expect(files.length).toBeGreaterThan(0)
    expect(total).toBeLessThanOrEqual(25)
  })
})

test('every script is named in the import map with its hash', () => {
  const pages = ['index.html', 'verify.html'].map(pageOf)
  const named = pages.flatMap((page) => {
    const map = /<script type="importmap">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}'
    return Object.keys(JSON.parse(map).integrity)
  })
  expect(named.sort()).toEqual([...new Set(scripts().map((name) => `/assets/${name}`))].sort())
})

test('nothing of the development wallet is in it', () => {
  const found = scripts().filter((name) =>
    /dev\.countersign\.wallet|\/dev\/(?:rpc|faucet)/.test(pageOf(`assets/${name}`)),
  )
  expect(found).toEqual([])
  expect(existsSync(join(DIST, 'wallet.js'))).toBe(false)
})

test('two builds of one commit are equal to the last byte', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-build-'))
  try {
    const env = { PATH: process.env.PATH ?? '' }
    const { stdout } = await run(process.execPath, [BUILD, folder], { env })
    expect(stdout).toBe(`consumer ${JSON.parse(pageOf('build.json')).hash}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}, 120_000)
