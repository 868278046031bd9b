/**
 * The house rules of the applications and their components. Text between tags is no code, so these
 * rules read lines and do not scan.
 */
import { dirname, posix } from 'node:path'
import { type Exceptions, isTest, lineAt, needless, type SourceFile } from './source.ts'

const IMPORT = /^(?:import|export)\b[^'"]*?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm

type Import = { specifier: string; target: string | undefined; line: number }

const importsOf = ({ path, text }: SourceFile): Import[] =>
  [...text.matchAll(IMPORT)].map((match) => {
    const specifier = (match[1] ?? match[2] ?? '').replace(/\?\w+$/, '')
    const target = specifier.startsWith('.') ? posix.join(dirname(path), specifier) : undefined
    return { specifier, target, line: lineAt(text, match.index) }
  })

const sources = (files: readonly SourceFile[]) => files.filter((file) => !isTest(file))

/** `apps/consumer/src/routes/sign/…` belongs to the application `apps/consumer`, screen `sign`. */
const appOf = (path: string): string => path.split('/').slice(0, 2).join('/')
const screenOf = (path: string): string | undefined => /\/src\/routes\/([^/]+)\//.exec(path)?.[1]

/** The table of routes, which fetches every screen. */
const isRouter = ({ path }: SourceFile): boolean => /\/src\/router\.tsx$/.test(path)

function wallOf(file: SourceFile, { specifier, target }: Import): string | undefined {
  if (specifier.startsWith('#')) return 'reaches into the service'
  if (target === undefined) return undefined
  if (appOf(target) !== appOf(file.path)) return 'leaves its package'
  const screen = screenOf(target)
  if (screen === undefined || isRouter(file) || screen === screenOf(file.path)) return undefined
  return 'reaches into a screen'
}

/** Screens share only what stands outside of them; no application reaches into the service. */
export const appWallProblems = (files: readonly SourceFile[]): string[] =>
  sources(files).flatMap((file) =>
    importsOf(file).flatMap((found) => {
      const wall = wallOf(file, found)
      return wall ? [`${file.path}:${found.line} ${wall}: ${found.specifier}`] : []
    }),
  )

/** Components know neither an application nor the service. */
export const componentProblems = (files: readonly SourceFile[]): string[] =>
  sources(files).flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => /^(?:\.\.|#|@countersign\/|node:)/.test(specifier))
      .map(({ specifier, line }) => `${file.path}:${line} imports ${specifier}`),
  )

const holding =
  (pattern: RegExp, what: string) =>
  (exceptions: Exceptions = {}) =>
  (files: readonly SourceFile[]): string[] => {
    const found = sources(files).flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(({ index }) => ({ path, line: lineAt(text, index) })),
    )
    return [
      ...found
        .filter(({ path }) => !(path in exceptions))
        .map(({ path, line }) => `${path}:${line} ${what}`),
      ...needless(
        exceptions,
        found.map(({ path }) => path),
      ),
    ]
  }

/** Ways past the framework that turn text into markup or script. */
export const markupProblems = holding(
  /\bdangerouslySet|\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(/g,
  'makes markup or script of text',
)

/** Colours have a name for each use, in both schemes. */
export const colourProblems = holding(
  /(?<![\w&/])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgba?|hsla?|oklch)\(/gi,
  'names a colour',
)

export const appDefaultExportProblems = holding(
  /^export default\b|\bas default\b/gm,
  'exports a default',
)
