/**
 * Reads source as the house rules see it: which characters are code, which are comments or text,
 * what a file imports and where its functions begin and end. No compiler: a small scanner is
 * enough for code that the formatter has been over.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The path is relative to the project, with forward slashes. */
export type SourceFile = { path: string; text: string }

const ROOT = join(import.meta.dirname, '..', '..')

export const readSource = (path: string): SourceFile => ({
  path,
  text: readFileSync(join(ROOT, path), 'utf8'),
})

export function readSources(folder: string, endings: readonly string[]): SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort()
    .map(readSource)
}

export const isTest = ({ path }: SourceFile): boolean => path.endsWith('.test.ts')

/** What a rule lets pass, by name, and why. */
export type Exceptions = Record<string, string>

/** An exception that nothing needs any more is a problem too. */
export const needless = (exceptions: Exceptions, found: readonly string[]): string[] =>
  Object.keys(exceptions)
    .filter((name) => !found.includes(name))
    .map((name) => `${name} needs no exception any more`)

export const lineAt = (text: string, position: number): number =>
  text.slice(0, position).split('\n').length

type Kind = 'code' | 'comment' | 'string' | 'template' | 'regex'

/** A string or a template as its reader sees it; what is put in shows as `$` and is counted. */
type Literal = { start: number; text: string; putIn: number }

export type Scan = { kinds: Kind[]; literals: Literal[] }

/** Where a slash divides: after a value. Anywhere else it begins a regular expression. */
const endsValue = (code: string): boolean =>
  /[\w$)\]'"`]$/.test(code) && !/\b(?:return|typeof|case|in|of|await|yield)$/.test(code)

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function endOfQuoted(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== text[start]) at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfRegex(text: string, start: number): number {
  let inClass = false
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at]
    if (character === '\\') at += 1
    else if (character === '[') inClass = true
    else if (character === ']') inClass = false
    else if (character === '/' && !inClass) return at + 1
    else if (character === '\n') return at
  }
  return text.length
}

/** What begins here, if it is not code: its kind and where it ends. */
function pieceAt(text: string, at: number, before: string): [Kind, number] | undefined {
  const character = text[at]
  if (character === '/' && text[at + 1] === '/') return ['comment', endOfLine(text, at)]
  if (character === '/' && text[at + 1] === '*') {
    const end = text.indexOf('*/', at + 2)
    return ['comment', end === -1 ? text.length : end + 2]
  }
  if (character === "'" || character === '"') return ['string', endOfQuoted(text, at)]
  if (character === '/' && !endsValue(before)) return ['regex', endOfRegex(text, at)]
  return undefined
}

const scans = new Map<string, Scan>()

/** Many rules read the same files: each text is scanned once. */
export function scan(text: string): Scan {
  const known = scans.get(text) ?? scanAfresh(text)
  scans.set(text, known)
  return known
}

function scanAfresh(text: string): Scan {
  const kinds: Kind[] = []
  const literals: Literal[] = []
  /** Open templates, innermost last, with the depth of braces inside their interpolation. */
  const open: { literal: Literal; depth: number }[] = []
  let before = ''
  let at = 0
  const take = (kind: Kind, end: number) => {
    const piece = text.slice(at, end)
    for (let i = at; i < end; i += 1) kinds.push(kind)
    if (kind !== 'comment' && piece.trim() !== '') before = (before + piece.trim()).slice(-20)
    at = end
    return piece
  }
  /** From a backtick or the end of an interpolation to the next of either. */
  const takeTemplate = (literal: Literal) => {
    let end = at + 1
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end)) {
      end += text[end] === '\\' ? 2 : 1
    }
    const isInterpolated = text.startsWith('${', end)
    literal.text += text.slice(at + 1, end) + (isInterpolated ? '$' : '')
    take('template', Math.min(text.length, end + (isInterpolated ? 2 : 1)))
    if (!isInterpolated) return
    literal.putIn += 1
    open.push({ literal, depth: 0 })
  }
  while (at < text.length) {
    const inner = open.at(-1)
    const character = text[at]
    if (character === '`') {
      const literal = { start: at, text: '', putIn: 0 }
      literals.push(literal)
      takeTemplate(literal)
    } else if (character === '}' && inner?.depth === 0) {
      open.pop()
      takeTemplate(inner.literal)
    } else {
      const piece = pieceAt(text, at, before)
      if (piece) {
        const [kind, end] = piece
        const start = at
        const taken = take(kind, Math.min(end, text.length))
        if (kind === 'string') literals.push({ start, text: taken.slice(1, -1), putIn: 0 })
      } else {
        if (inner && character === '{') inner.depth += 1
        if (inner && character === '}') inner.depth -= 1
        take('code', at + 1)
      }
    }
  }
  return { kinds, literals }
}

/** The code alone, everything else blanked, positions and lines unchanged. */
export function codeOf(text: string): string {
  const { kinds } = scan(text)
  let code = ''
  for (let at = 0; at < text.length; at += 1) {
    code += kinds[at] === 'code' || text[at] === '\n' ? text[at] : ' '
  }
  return code
}

const closers: Record<string, string> = { '(': ')', '{': '}', '[': ']', '<': '>' }

/** The position after the bracket that closes the one at `start`; `=>` closes nothing. */
export function endOfBracket(code: string, start: number): number {
  const opener = code[start] ?? ''
  const closer = closers[opener]
  let depth = 0
  for (let at = start; at < code.length; at += 1) {
    if (code[at] === opener) depth += 1
    if (code[at] === closer && !(closer === '>' && code[at - 1] === '=')) depth -= 1
    if (depth === 0) return at + 1
  }
  return code.length
}

export type FunctionSpan = { start: number; end: number; parameters: string; body: string }

const skipSpace = (code: string, from: number): number => {
  const rest = /\S/.exec(code.slice(from))
  return rest ? from + rest.index : code.length
}

/** Skips a type annotation, if one begins here, to the `{` or `=>` that it ends at. */
function skipReturnType(code: string, from: number): number {
  if (code[from] !== ':') return from
  let at = skipSpace(code, from + 1)
  while (at < code.length) {
    if (/[{(<[]/.test(code[at] ?? '')) at = endOfBracket(code, at)
    else if (/[\w.$|&'"]/.test(code[at] ?? '')) at += 1
    else break
    const next = skipSpace(code, at)
    // A brace after the whole type is the body, unless the type goes on.
    if (code[next] === '{' && !/[|&]/.test(code[at - 1] ?? '')) return next
    if (code.startsWith('=>', next)) return next
    at = next
  }
  return at
}

const NOT_A_FUNCTION = /\b(?:if|for|while|switch|catch|with)\s*$/

/** Every function with a body in brackets: from its parameters to the end of its body. */
export function functionsIn(text: string): FunctionSpan[] {
  const code = codeOf(text)
  const found: FunctionSpan[] = []
  for (let start = code.indexOf('('); start !== -1; start = code.indexOf('(', start + 1)) {
    if (NOT_A_FUNCTION.test(code.slice(Math.max(0, start - 10), start))) continue
    const close = endOfBracket(code, start)
    let at = skipReturnType(code, skipSpace(code, close))
    if (code.startsWith('=>', at)) at = skipSpace(code, at + 2)
    else if (code[at] !== '{') continue
    if (!/[{([]/.test(code[at] ?? '')) continue
    const end = endOfBracket(code, at)
    found.push({
      start,
      end,
      parameters: code.slice(start, close),
      body: code.slice(at, end),
    })
  }
  return found
}
