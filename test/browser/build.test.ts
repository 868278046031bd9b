/** What is delivered: how large it is, that it can be reproduced, and that nobody can change it. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { isProof } from '#test/support/figures.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BUILD = join(ROOT, 'tools', 'web', 'build.ts')
const KIB = 1024
const run = promisify(execFile)

const APPLICATIONS = [
  { name: 'consumer', pages: ['index.html', 'verify.html'] },
  { name: 'admin', pages: ['index.html'] },
]

/** One build takes seconds, and all have the same configuration. `npm run prove` repeats each. */
const REPEATED = APPLICATIONS.filter(({ name }) => isProof('PROVE_BUILDS') || name === 'admin')

const distOf = (name: string): string => join(ROOT, 'apps', name, 'dist')
const sizeOf = (dist: string, file: string): number => statSync(join(dist, file)).size
const pageOf = (dist: string, name: string): string => readFileSync(join(dist, name), 'utf8')
const scriptsOf = (dist: string): string[] =>
  readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.js'))

/** The entry and everything the page loads before the first screen. */
function firstScripts(dist: string): string[] {
  const page = pageOf(dist, 'index.html')
  const scripts = page.matchAll(/<script type="module"[^>]*src="\/([^"]+)"/g)
  const preloads = page.matchAll(/rel="modulepreload"[^>]*href="\/([^"]+)"/g)
  return [...scripts, ...preloads].map(([, name = '']) => name)
}

describe.each(APPLICATIONS)('the $name application', ({ name, pages }) => {
  const dist = distOf(name)

  test('JavaScript to the first screen: at most 190 KiB with gzip, 165 with brotli', () => {
    const files = firstScripts(dist)
    const total = (suffix: string) =>
      files.reduce((sum, file) => sum + sizeOf(dist, `${file}${suffix}`), 0) / KIB
    expect(files.length).toBeGreaterThan(1)
    expect(total('.gz')).toBeLessThanOrEqual(190)
    expect(total('.br')).toBeLessThanOrEqual(165)
  })

  test('style sheets: at most 15 KiB', () => {
    const sheets = readdirSync(join(dist, 'assets')).filter((file) => file.endsWith('.css.gz'))
    const total = sheets.reduce((sum, file) => sum + sizeOf(dist, `assets/${file}`), 0) / KIB
    expect(sheets.length).toBeGreaterThan(0)
    expect(total).toBeLessThanOrEqual(15)
  })

  test('the first screen waits for no more scripts than a browser fetches at once: six', () => {
    expect(firstScripts(dist).length).toBeLessThanOrEqual(6)
  })

  test('any other script: at most 45 KiB', () => {
    const first = new Set(firstScripts(dist))
    const others = scriptsOf(dist).filter((file) => !first.has(`assets/${file}`))
    const large = others.filter((file) => sizeOf(dist, `assets/${file}.gz`) > 45 * KIB)
    expect(others.length).toBeGreaterThan(15)
    expect(large).toEqual([])
  })

  test('every script is named in the import map with its hash', () => {
    const named = pages.flatMap((page) => {
      const html = pageOf(dist, page)
      const map = /<script type="importmap">(.*?)<\/script>/s.exec(html)?.[1] ?? '{}'
      return Object.keys(JSON.parse(map).integrity)
    })
    const scripts = scriptsOf(dist).map((file) => `/assets/${file}`)
    expect(named.sort()).toEqual([...new Set(scripts)].sort())
  })

  test('every script of a page carries its hash, so that the browser fetches it once', () => {
    for (const page of pages) {
      const elements = pageOf(dist, page).match(/<script type="module"[^>]*>/g) ?? []
      expect(elements.length).toBeGreaterThan(0)
      expect(elements.filter((element) => !/ integrity="sha384-/.test(element))).toEqual([])
    }
  })

  test('the script that asks for the first data waits for no other: at most 2 KiB', () => {
    const element = /<script type="module"[^>]*src="\/(assets\/early-[^"]+)"[^>]*>/
    const [tag = '', file = ''] = element.exec(pageOf(dist, 'index.html')) ?? []
    expect(tag).toMatch(/ async fetchpriority="high"/)
    expect(pageOf(dist, file)).not.toMatch(/from\s*"|import\s*"/)
    expect(sizeOf(dist, `${file}.gz`)).toBeLessThanOrEqual(2 * KIB)
  })

  test('nothing of the development wallet is in it', () => {
    const found = scriptsOf(dist).filter((file) =>
      /dev\.countersign\.wallet|\/dev\/(?:rpc|faucet)/.test(pageOf(dist, `assets/${file}`)),
    )
    expect(found).toEqual([])
    expect(existsSync(join(dist, 'wallet.js'))).toBe(false)
  })
})

test('the export of a key: at most 15 KiB for its page and for its cryptography', () => {
  const dist = distOf('consumer')
  const named = /^(?:export-ceremony|sealing|export-page)-/
  const parts = scriptsOf(dist).filter((name) => named.test(name))
  expect(parts.length).toBe(3)
  for (const name of parts) expect(sizeOf(dist, `assets/${name}.gz`)).toBeLessThanOrEqual(15 * KIB)
})

test('the page for a second device, with everything it loads: at most 25 KiB', () => {
  const dist = distOf('consumer')
  const page = pageOf(dist, 'verify.html')
  const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, name = '']) => name,
  )
  const total = files.reduce((sum, file) => sum + sizeOf(dist, `${file}.gz`), 0) / KIB
  expect(files.length).toBeGreaterThan(0)
  expect(total).toBeLessThanOrEqual(25)
})

test('the operators have no operation that moves money', () => {
  const dist = distOf('admin')
  const code = scriptsOf(dist).map((file) => pageOf(dist, `assets/${file}`))
  const found = code.filter((text) => /eth_sendTransaction|eth_signTypedData|eip6963/.test(text))
  expect(found).toEqual([])
})

test('two builds of one commit are equal to the last byte', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-build-'))
  try {
    const env = { PATH: process.env.PATH ?? '' }
    const names = REPEATED.map(({ name }) => name)
    const { stdout } = await run(process.execPath, [BUILD, folder, ...names], { env })
    const hashes = REPEATED.map(({ name }) => {
      const { hash } = JSON.parse(pageOf(distOf(name), 'build.json'))
      return `${name} ${hash}\n`
    })
    expect(stdout).toBe(hashes.join(''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
