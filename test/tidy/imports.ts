/** The house rules about who may import whom. */
import { dirname, posix } from 'node:path'
import { codeOf, isTest, lineAt, type SourceFile } from './source.ts'

export type Import = {
  specifier: string
  /** The imported file, when it is one of ours. */
  target: string | undefined
  names: { name: string; isType: boolean }[]
  isDynamic: boolean
  line: number
}

const CLAUSE = String.raw`\*(?:\s+as\s+\w+)?|\{[^}]*\}|\w+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+\w+))?`
const STATIC = new RegExp(
  String.raw`^(?:import|export)\s+(type\s+)?(?:(${CLAUSE})\s+from\s+)?['"]([^'"]+)['"]`,
  'gm',
)
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g

function targetOf(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('#test/')) return `test/${specifier.slice(6)}`
  if (specifier.startsWith('#prove/')) return `prove/${specifier.slice(7)}`
  if (specifier.startsWith('#mutation/')) return `mutation/${specifier.slice(10)}`
  if (specifier.startsWith('#bench/')) return `bench/${specifier.slice(7)}`
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  if (specifier.startsWith('.')) return posix.join(dirname(path), specifier)
  return undefined
}

function namesOf(clause: string | undefined, isTypeOnly: boolean): Import['names'] {
  if (clause === undefined) return []
  const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? ''
  const listed = braces.split(',').map((part) => part.trim())
  const outside = clause.replace(/\{[^}]*\}/, '').split(',')
  const names = [...listed, ...outside.map((part) => part.trim())].filter((part) => part !== '')
  return names.map((part) => ({
    name: part.replace(/^type\s+/, '').replace(/\s+as\s+\w+$/, ''),
    isType: isTypeOnly || part.startsWith('type '),
  }))
}

export function importsOf({ path, text }: SourceFile): Import[] {
  const code = codeOf(text)
  const isCode = (at: number) => code[at] === text[at]
  const statics = [...text.matchAll(STATIC)].map((match) => ({
    specifier: match[3] ?? '',
    names: namesOf(match[2], match[1] !== undefined),
    isDynamic: false,
    at: match.index,
  }))
  const dynamics = [...text.matchAll(DYNAMIC)].map((match) => ({
    specifier: match[1] ?? '',
    names: [{ name: '*', isType: false }],
    isDynamic: true,
    at: match.index,
  }))
  return [...statics, ...dynamics]
    .filter(({ at }) => isCode(at))
    .map(({ at, ...found }) => ({
      ...found,
      target: targetOf(path, found.specifier),
      line: lineAt(text, at),
    }))
}

/** Upstream to downstream: a room imports only rooms to its left. */
const ROOMS = [
  ...['journal', 'chain', 'wallets', 'identity', 'access', 'organizations', 'audit'],
  ...['executor', 'treasury', 'attachments', 'expenses', 'payments', 'analysis', 'approvals'],
  ...['accounting', 'funding', 'support', 'push', 'email', 'client-config', 'health'],
  ...['live', 'webhooks', 'ledger-proofs', 'admin', 'web'],
]
const OUTER = ['platform', 'ports', 'adapters', 'http', 'cli', 'dev']

type Ring = 'root' | 'platform' | 'ports' | 'adapters' | 'http' | 'cli' | 'dev' | 'skin' | 'inner'
type Place = { path: string; ring: Ring; room: string; rank: number }

function placeOf(path: string): Place | undefined {
  const [, room = '', name] = path.split('/')
  const rank = ROOMS.indexOf(room)
  if (name === undefined) return { path, ring: 'root', room: '', rank }
  // The guard is a plugin of every request, like those in `http/`, and so are its early reads.
  if (/^src\/access\/(guard|early-reads)\.ts$/.test(path))
    return { path, ring: 'http', room, rank: -1 }
  if (OUTER.includes(room)) return { path, ring: room as Ring, room, rank }
  if (rank === -1) return undefined
  return { path, ring: /\.(routes|schema)\.ts$/.test(path) ? 'skin' : 'inner', room, rank }
}

const isTypeOnly = ({ names }: Import): boolean =>
  names.length > 0 && names.every(({ isType }) => isType)

/**
 * From another room's store only its reads and conditions are taken: what writes is that room's own
 * business.
 */
const readsOnly = ({ names }: Import): boolean =>
  names.every(({ name, isType }) => isType || /^(?:find|list|lock|is)[A-Z]/.test(name))

const isStore = ({ path }: Place): boolean => path.endsWith('.store.ts')
const isContext = ({ path }: Place): boolean => path === 'src/context.ts'

/** What a skin file or a plugin in `http/` may take from a room that is not its own. */
function mayRead(from: Place, to: Place, found: Import): boolean {
  if (isStore(to)) return readsOnly(found)
  if (to.path === 'src/access/permissions.ts') return true
  if (from.ring === 'http') return false
  return to.rank < from.rank && (to.path.endsWith('.schema.ts') || isTypeOnly(found))
}

const MAY_IMPORT: Record<Ring, (from: Place, to: Place, found: Import) => boolean> = {
  root: () => true,
  cli: () => true,
  dev: () => true,
  platform: (_from, to) => to.ring === 'platform',
  ports: (_from, to, found) => ['platform', 'ports'].includes(to.ring) && isTypeOnly(found),
  adapters: (_from, to) => ['platform', 'ports', 'adapters'].includes(to.ring),
  http: (from, to, found) =>
    ['platform', 'http'].includes(to.ring) ||
    (isContext(to) && isTypeOnly(found)) ||
    (to.ring === 'ports' && isTypeOnly(found)) ||
    (to.rank >= 0 && mayRead(from, to, found)),
  skin: (from, to, found) =>
    ['platform', 'http'].includes(to.ring) ||
    (isContext(to) && isTypeOnly(found)) ||
    (to.ring === 'ports' && isTypeOnly(found)) ||
    to.room === from.room ||
    (to.rank >= 0 && mayRead(from, to, found)),
  inner: (from, to, found) =>
    to.ring === 'platform' ||
    (isContext(to) && isTypeOnly(found)) ||
    (to.ring === 'ports' && isTypeOnly(found)) ||
    (to.ring === 'inner' && to.room === from.room) ||
    (to.ring === 'inner' && to.rank < from.rank && (!isStore(to) || readsOnly(found))),
}

/** Nobody but these reaches the entry points, the command line and the development parts. */
function isKeptOut(from: Place, to: Place, found: Import): boolean {
  if (to.ring === 'dev') {
    return from.ring !== 'dev' && !(from.path === 'src/cli/command.ts' && found.isDynamic)
  }
  if (to.ring === 'cli') return from.ring !== 'cli'
  return to.ring === 'root' && !isContext(to) && !['root', 'cli', 'dev'].includes(from.ring)
}

const sources = (files: readonly SourceFile[]) => files.filter((file) => !isTest(file))

/** Rings and rooms: who may import what. */
export function ringProblems(files: readonly SourceFile[]): string[] {
  return sources(files).flatMap((file) => {
    const from = placeOf(file.path)
    if (!from) return [`${file.path} stands in a folder that is no room`]
    return importsOf(file).flatMap((found) => {
      const to = found.target === undefined ? undefined : placeOf(found.target)
      if (found.target === undefined) return []
      const where = `${file.path}:${found.line}`
      if (!found.target.startsWith('src/')) return [`${where} imports ${found.specifier}`]
      if (!to) return [`${where} imports ${found.specifier}, which is in no room`]
      const isFine = !isKeptOut(from, to, found) && MAY_IMPORT[from.ring](from, to, found)
      const names = found.names.map(({ name }) => name).join(', ')
      return isFine ? [] : [`${where} may not import ${names} from ${found.specifier}`]
    })
  })
}

const ENGINE = 'src/payments/engine/'

/** Pure, and shared with the adapters: how answers of several nodes become one. */
const AGREEMENT = 'src/platform/agreement.ts'

/**
 * The engine runs in a simulator as well: it knows ports, state names, block codes and the
 * rule by which nodes agree. That file imports nothing itself.
 */
export function engineProblems(files: readonly SourceFile[]): string[] {
  return sources(files)
    .filter(({ path }) => path.startsWith(ENGINE) || path === AGREEMENT)
    .flatMap((file) =>
      importsOf(file).flatMap((found) => {
        const { target, specifier, line } = found
        const isOwn = target?.startsWith(ENGINE)
        const isPort = target?.startsWith('src/ports/') && isTypeOnly(found)
        const isState = target === 'src/payments/payment.machine.ts'
        const isCode = target === 'src/platform/block-codes.ts' && isTypeOnly(found)
        const isProof = specifier.startsWith('@countersign/proof/') && isTypeOnly(found)
        if (specifier === 'node:util') return []
        const isFine = isOwn || isPort || isState || isCode || isProof || target === AGREEMENT
        if (isFine && file.path !== AGREEMENT) return []
        return [`${file.path}:${line} imports ${specifier}`]
      }),
    )
}

const PURE_PACKAGES = ['viem', 'viem/siwe', 'viem/utils', 'canonicalize']

/** Everything hashed, signed or verified also runs in browsers: no Node API, no service code. */
export function proofProblems(files: readonly SourceFile[]): string[] {
  return sources(files).flatMap((file) =>
    importsOf(file).flatMap(({ specifier, line }) =>
      specifier.startsWith('./') || PURE_PACKAGES.includes(specifier)
        ? []
        : [`${file.path}:${line} imports ${specifier}`],
    ),
  )
}

const CLIENT_PACKAGES = ['viem', 'openapi-fetch', 'eventsource-parser']

/** The client runs in browsers and is published: no Node API, no service code. */
export function clientProblems(files: readonly SourceFile[]): string[] {
  return sources(files).flatMap((file) =>
    importsOf(file).flatMap(({ specifier, line }) =>
      specifier.startsWith('./') ||
      specifier.startsWith('@countersign/proof/') ||
      CLIENT_PACKAGES.includes(specifier)
        ? []
        : [`${file.path}:${line} imports ${specifier}`],
    ),
  )
}

/** `./` stays in the folder, `#` leaves it, nothing climbs. Tests name their support with `#`. */
export function wallProblems(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ specifier, target, line }) => {
      const where = `${file.path}:${line}`
      if (specifier.split('/').includes('..')) return [`${where} climbs with ${specifier}`]
      const isSameFolder = target !== undefined && dirname(target) === dirname(file.path)
      if (specifier.startsWith('.') && !isSameFolder) return [`${where} goes into ${specifier}`]
      const isInRoom = /^src\/.+\//.test(file.path)
      if (specifier.startsWith('#') && isSameFolder && isInRoom) {
        return [`${where} calls a neighbour ${specifier}`]
      }
      return []
    }),
  )
}

/** Production entry points; none of them may lead to a development part. */
const isEntry = ({ path }: SourceFile): boolean =>
  ['src/main.ts', 'src/worker.ts', 'src/web.ts'].includes(path) ||
  path === 'src/platform/database/migrate.ts' ||
  path.startsWith('src/cli/')

export function developmentProblems(files: readonly SourceFile[]): string[] {
  const byPath = new Map(sources(files).map((file) => [file.path, file]))
  return sources(files)
    .filter(isEntry)
    .flatMap((entry) => {
      const reached = new Set<string>([entry.path])
      for (const path of reached) {
        const file = byPath.get(path)
        for (const { target, isDynamic } of file ? importsOf(file) : []) {
          if (target !== undefined && !isDynamic) reached.add(target)
        }
      }
      return [...reached]
        .filter((path) => path.startsWith('src/dev/'))
        .map((path) => `${entry.path} reaches ${path}`)
    })
}

/** Groups of files that import each other, types included. */
export function cycleProblems(files: readonly SourceFile[]): string[] {
  const targets = new Map(
    sources(files).map((file) => [
      file.path,
      importsOf(file).flatMap(({ target }) => (target === undefined ? [] : [target])),
    ]),
  )
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set(targets.get(start))
    for (const path of reached) for (const next of targets.get(path) ?? []) reached.add(next)
    return reached
  }
  return [...targets.keys()]
    .filter((path) => reachedFrom(path).has(path))
    .map((path) => `${path} imports itself, by way of others`)
}

/** Types only: `context.ts` and the ports name things and do nothing. */
export function typesOnlyProblems(files: readonly SourceFile[]): string[] {
  return sources(files)
    .filter(({ path }) => path === 'src/context.ts' || path.startsWith('src/ports/'))
    .flatMap((file) => {
      const values = importsOf(file).filter((found) => !isTypeOnly(found))
      const doesSomething = /\b(?:const|let|var|function|class)\s/.test(codeOf(file.text))
      return values.length > 0 || doesSomething ? [`${file.path} holds more than types`] : []
    })
}
