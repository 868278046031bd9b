/** The house rules about what may stand where. */
import { basename } from 'node:path'
import { importsOf } from './imports.ts'
import {
  codeOf,
  type Exceptions,
  endOfBracket,
  functionsIn,
  isTest,
  lineAt,
  needless,
  type SourceFile,
  scan,
} from './source.ts'

const sources = (files: readonly SourceFile[]) => files.filter((file) => !isTest(file))

/** Code that only certain files may hold. */
const only =
  (pattern: RegExp, isHome: (path: string) => boolean, what: string) =>
  (files: readonly SourceFile[]): string[] =>
    sources(files)
      .filter(({ path }) => !isHome(path))
      .flatMap(({ path, text }) =>
        [...codeOf(text).matchAll(pattern)].map(
          ({ index }) => `${path}:${lineAt(text, index)} ${what}`,
        ),
      )

export const environmentProblems = only(
  /\bprocess\s*\.\s*env\b|\bprocess\s*\[|\bimport\s*\.\s*meta\s*\.\s*env\b/g,
  (path) => path === 'src/platform/config/config.ts',
  'reads the environment',
)

export const dateProblems = only(
  /\bnew\s+Date\b|\bDate\s*\.\s*(?:now|parse|UTC)\b|(?<![\w.])Date\s*\(/g,
  (path) => path === 'src/platform/clock.ts',
  'makes a date',
)

export const fetchProblems = only(
  /(?<![\w.])(?:fetch|globalThis\s*\.\s*fetch)\s*\(/g,
  // The demo is a client of the service, not a part of it.
  (path) =>
    path.startsWith('src/adapters/') ||
    path.startsWith('src/platform/http-client/') ||
    path === 'src/dev/demo-client.ts',
  'calls fetch',
)

/** `...{ a, b }` only saves lines. */
export const spreadProblems = only(
  /\.\.\.\s*\{/g,
  () => false,
  'spreads an object that it has just written',
)

export const defaultExportProblems = only(
  /\bexport\s+default\b|\bas\s+default\b/g,
  () => false,
  'exports a default',
)

export const indexProblems = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => /^index\.[cm]?[jt]s$/.test(basename(path)))
    .map(({ path }) => `${path} says nothing by its name`)

const isHomeOfViem = (path: string): boolean =>
  path.startsWith('src/adapters/') ||
  path.startsWith('src/dev/') ||
  ['src/platform/values.ts', 'src/platform/digest.ts'].includes(path) ||
  basename(path) === 'typed-data.ts'

export const viemProblems = (files: readonly SourceFile[]): string[] =>
  sources(files)
    .filter(({ path }) => !isHomeOfViem(path))
    .flatMap((file) =>
      importsOf(file)
        .filter(({ specifier }) => /^viem(?:$|\/)/.test(specifier))
        .map(({ line }) => `${file.path}:${line} imports viem`),
    )

/** A finder of problems that passes over the files where they are at home, or excepted by name. */
const inOneOf =
  (find: (file: SourceFile) => string[], isHome: (path: string) => boolean) =>
  (exceptions: Exceptions = {}) =>
  (files: readonly SourceFile[]): string[] => {
    const found = sources(files)
      .filter(({ path }) => !isHome(path))
      .map((file) => ({ path: file.path, problems: find(file) }))
      .filter(({ problems }) => problems.length > 0)
    const paths = found.map(({ path }) => path)
    return [
      ...found.filter(({ path }) => !(path in exceptions)).flatMap(({ problems }) => problems),
      ...needless(exceptions, paths),
    ]
  }

/** The beginnings of statements, in lower case or in capitals; prose begins with one capital. */
const STATEMENT = new RegExp(
  [
    String.raw`select\s+\S`,
    String.raw`insert\s+into\s`,
    String.raw`update\s+\S+\s+set\s`,
    String.raw`delete\s+from\s`,
    String.raw`with\s+\w+\s+as\s*\(`,
    String.raw`(?:create|alter|drop)\s+(?:table|role|schema|database|index|function|policy)\s`,
    String.raw`truncate\s`,
    String.raw`begin(?:\s+(?:isolation|read|transaction|work)\b|;|$)`,
    String.raw`(?:commit|rollback)\s*;?$`,
  ].join('|'),
  'i',
)

function isStatement(text: string): boolean {
  const [word = ''] = text.trim().split(/\s/)
  const isSqlCase = word === word.toLowerCase() || word === word.toUpperCase()
  return isSqlCase && new RegExp(`^\\s*(?:${STATEMENT.source})`, 'i').test(text)
}

const isHomeOfSql = (path: string): boolean =>
  path.endsWith('.store.ts') ||
  path.startsWith('src/platform/') ||
  path === 'src/dev/embedded-postgres.ts'

function sqlIn(file: SourceFile): string[] {
  const tags = importsOf(file)
    .filter(({ specifier }) => specifier === 'sql-template-tag')
    .filter(({ names }) => names.some(({ isType }) => !isType))
    .map(({ line }) => line)
  const texts = scan(file.text)
    .literals.filter(({ text }) => isStatement(text))
    .map(({ start }) => lineAt(file.text, start))
  return [...tags, ...texts].map((line) => `${file.path}:${line} writes SQL`)
}

/** Values go beside a statement, never into its text: only the tag `sql` may be given any. */
function injectionsIn(file: SourceFile): string[] {
  const code = codeOf(file.text)
  const texts = scan(file.text)
    .literals.filter(({ putIn, start }) => putIn > 0 && !/\bsql$/.test(code.slice(0, start)))
    .filter(
      ({ start, text }) =>
        isStatement(text) || /\.query\s*(?:<[^()]*>)?\(\s*$/.test(code.slice(0, start)),
    )
    .map(({ start }) => `${file.path}:${lineAt(file.text, start)} puts a value into a statement`)
  const raw = importsOf(file)
    .filter(({ specifier, names }) => {
      return specifier === 'sql-template-tag' && names.some(({ name }) => name === 'raw')
    })
    .map(({ line }) => `${file.path}:${line} takes raw SQL`)
  return [...texts, ...raw]
}

export const sqlProblems = inOneOf(sqlIn, isHomeOfSql)
export const injectionProblems = inOneOf(injectionsIn, () => false)

type Writer = { table: string; where: string; isGuarded: boolean }

const UPDATE = /\bupdate\s+(?:only\s+)?(\w+)\s+(?:as\s+\w+\s+)?set\b(.*?)(?:\bwhere\b(.*))?$/is
const UPSERT = /\binsert\s+into\s+(\w+)\b.*\bdo\s+update\s+set\b(.*)$/is
const STATE = /\b(?:state|status)\s*=/i

/** The statements that set a column `state` or `status`. */
function stateWriters({ path, text }: SourceFile): Writer[] {
  return scan(text).literals.flatMap(({ start, text: statement }) => {
    const where = `${path}:${lineAt(text, start)}`
    const upsert = UPSERT.exec(statement)
    if (upsert) {
      const [, table = '', set = ''] = upsert
      return STATE.test(set) ? [{ table, where, isGuarded: true }] : []
    }
    const [, table = '', set = '', condition = ''] = UPDATE.exec(statement) ?? []
    return STATE.test(set) ? [{ table, where, isGuarded: STATE.test(condition) }] : []
  })
}

/** One statement a table, and it says which state it leaves. */
export function stateProblems(files: readonly SourceFile[]): string[] {
  const writers = sources(files).flatMap(stateWriters)
  const byTable = Map.groupBy(writers, ({ table }) => table)
  const crowded = [...byTable]
    .filter(([, found]) => found.length > 1)
    .map(([table, found]) => `${table} is moved by ${found.map(({ where }) => where).join(', ')}`)
  const blind = writers
    .filter(({ isGuarded }) => !isGuarded)
    .map(({ where }) => `${where} moves a state without saying which it leaves`)
  return [...crowded, ...blind]
}

/** The parts of the context that lead outside: those whose type comes from `ports/`. */
function portsOf(files: readonly SourceFile[]): string[] {
  const context = files.find(({ path }) => path === 'src/context.ts')
  if (!context) return []
  const types = importsOf(context)
    .filter(({ target }) => target?.startsWith('src/ports/'))
    .flatMap(({ names }) => names.map(({ name }) => name))
  return [...context.text.matchAll(/^ {2}(\w+)\??: (\w+)/gm)].flatMap(([, name = '', type = '']) =>
    types.includes(type) ? [name] : [],
  )
}

const TRANSACTION = /\b(?:transaction|asMember)\s*(?:<[^>(]*>)?\(/g

/** Of the ports, these ask nobody: they encode or sign what is to be sent. */
const PURE =
  'sign|signApproval|signerOf|deployment|policyConfiguration|policyActivation|deposit|' +
  'withdrawalProbe|readApproval|paymentCall|readSigned'

/** A transaction waits for nobody outside, neither in its own brackets nor in what takes `tx`. */
export function transactionProblems(files: readonly SourceFile[]): string[] {
  const ports = portsOf(files)
  if (ports.length === 0) return []
  const names = ports.join('|')
  const call = new RegExp(
    String.raw`(?<![\w.])(?:ctx\s*\.\s*)?(?:${names})\s*\??\.\s*(?!(?:${PURE})\b)\w+\s*\(`,
  )
  return sources(files).flatMap(({ path, text }) => {
    const code = codeOf(text)
    const within = [...code.matchAll(TRANSACTION)].map(({ index, 0: found }) => ({
      start: index,
      inside: code.slice(index, endOfBracket(code, index + found.length - 1)),
    }))
    const takers = functionsIn(text)
      .filter(({ parameters }) => /\btx\b/.test(parameters))
      .map(({ start, body }) => ({ start, inside: body }))
    return [...within, ...takers]
      .filter(({ inside }) => call.test(inside))
      .map(({ start }) => `${path}:${lineAt(text, start)} calls outside from within a transaction`)
  })
}

const EXPORTED_TYPE = /^export (?:type|interface|class) (\w+)/gm

/** A type's name says which type it is: no other file exports the same name. */
export function typeNameProblems(files: readonly SourceFile[]): string[] {
  const homes = new Map<string, string>()
  return sources(files).flatMap(({ path, text }) =>
    [...codeOf(text).matchAll(EXPORTED_TYPE)].flatMap(([, name = '']) => {
      const other = homes.get(name)
      homes.set(name, path)
      return other === undefined ? [] : [`${path} exports ${name}, as ${other} does`]
    }),
  )
}
