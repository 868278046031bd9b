/**
 * The built application: its pages in memory with their policy, everything else from its folder.
 * One build serves every deployment, so that its hash can be published and compared.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { StartupError } from '#platform/errors.ts'
import { contentSecurityPolicy } from './policy.ts'

export type ServedPage = {
  html: Buffer
  gzip: Buffer
  brotli: Buffer
  etag: string
  policy: string
}

export type Pages = {
  index(): ServedPage
  /** Checks an approval without reaching anything. Undefined if the build has no such page. */
  verify(): ServedPage | undefined
  buildHash(): string | undefined
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Countersign</title></head>
<body>
<h1>The application is not built</h1>
<p>Run <code>npm run build:web</code>, then load this page again.</p>
</body>
</html>
`

function makePage(html: string, { isOffline }: { isOffline: boolean }): ServedPage {
  const bytes = Buffer.from(html)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  return {
    html: bytes,
    gzip: gzipSync(bytes),
    brotli: brotliCompressSync(bytes, { params }),
    etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    policy: contentSecurityPolicy(html, { isOffline }),
  }
}

/** Development adds a script of its own; the built file stays as it is. */
const withScript = (html: string, script: string | undefined): string =>
  script === undefined
    ? html
    : html.replace(
        /<\/head>/i,
        `<script type="module" src="${script}" fetchpriority="low"></script></head>`,
      )

/**
 * SHA-256 over `sha256sum` of every file in the order of their names, so that anybody can compute
 * it: `find . -type f ! -name '*.br' ! -name '*.gz' | LC_ALL=C sort | xargs sha256sum | sha256sum`.
 */
function hashOfBuild(root: string): string {
  const lines = readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(?:br|gz)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `./${path.slice(root.length + 1).replaceAll('\\', '/')}`)
    .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map((name) => {
      const digest = createHash('sha256').update(readFileSync(join(root, name)))
      return `${digest.digest('hex')}  ${name}\n`
    })
  return createHash('sha256').update(lines.join('')).digest('hex')
}

type PagesOptions = {
  root: string
  production: boolean
  /** Path of a script that development adds to the pages. */
  script?: string | undefined
}

function readPages({ root, script }: PagesOptions): Pages {
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  const isBuilt = existsSync(join(root, 'index.html'))
  const html = isBuilt ? withScript(read('index.html'), script) : NOT_BUILT
  const index = makePage(html, { isOffline: false })
  const verify = existsSync(join(root, 'verify.html'))
    ? makePage(read('verify.html'), { isOffline: true })
    : undefined
  const buildHash = isBuilt ? hashOfBuild(root) : undefined
  return { index: () => index, verify: () => verify, buildHash: () => buildHash }
}

const changedAt = (root: string): number =>
  statSync(join(root, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0

export function createPages(options: PagesOptions): Pages {
  const { root, production } = options
  if (production) {
    if (existsSync(join(root, 'index.html'))) return readPages(options)
    throw new StartupError(
      `WEB_ROOT ${root} has no index.html. Run npm run build:web, or set WEB_ROOT to a build.`,
    )
  }
  // Built again while the gateway runs: the new build is served at once.
  let at = changedAt(root)
  let pages = readPages(options)
  const current = (): Pages => {
    const now = changedAt(root)
    if (now !== at) {
      at = now
      pages = readPages(options)
    }
    return pages
  }
  return {
    index: () => current().index(),
    verify: () => current().verify(),
    buildHash: () => current().buildHash(),
  }
}
