/**
 * Runs the requests of docs/GUIDE.md as its introduction explains them: `###` separates them,
 * `{{name}}` is a value, and comments say what to expect, what to keep and what a wallet does.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { contractProblem } from '#test/support/contract.ts'

export type Values = Record<string, unknown>

export type GuideWallet = {
  /** A message or typed data. */
  sign(what: unknown): Promise<string>
  send(transaction: unknown): Promise<string>
  call(contract: string, name: string, args: string[]): Promise<void>
}

export type Reader = {
  values: Values
  /** By holder. */
  wallets: Record<string, GuideWallet>
}

const PATIENCE_MS = 45_000
const OUTCOME = /^\d{3}\b/

export function fill(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (name === 'uuid') return randomUUID()
    if (values[name] === undefined) throw new Error(`The guide has no {{${name}}} yet.`)
    return fill(String(values[name]), values)
  })
}

export async function runRequests(block: string, reader: Reader): Promise<void> {
  for (const part of block.split(/^###.*\n/m).filter((text) => text.trim() !== '')) {
    await runPart(part, reader)
  }
}

async function runPart(part: string, reader: Reader): Promise<void> {
  const lines = part.split('\n')
  const isComment = (line: string) => line.startsWith('# ')
  const request = lines
    .filter((line) => !isComment(line))
    .join('\n')
    .trim()
  const comments = lines.filter(isComment).map((line) => line.slice(2))
  const outcomes = comments.filter((comment) => OUTCOME.test(comment))
  expect(outcomes, `the outcome of ${request}`).toHaveLength(1)
  for (const comment of comments) {
    if (OUTCOME.test(comment)) await exchange(request, comment, reader)
    else await useWallet(comment, reader)
  }
}

const at = (body: unknown, path: string): unknown =>
  path === '.'
    ? body
    : path.split('.').reduce<unknown>((value, key) => (value as Values | null)?.[key], body)

/** `201, name = path, repeat until path = value` */
async function exchange(request: string, comment: string, { values }: Reader): Promise<void> {
  const [status, ...rest] = comment.split(', ')
  const pairs = rest.map((part) => part.split(' = ') as [string, string])
  const isUntil = ([name]: [string, string]) => name.startsWith('repeat until ')
  const conditions = pairs.filter(isUntil)
  const end = performance.now() + PATIENCE_MS
  for (;;) {
    const { body, received, url } = await send(fill(request, values))
    expect(received, `${url}: ${JSON.stringify(body)}`).toBe(Number(status))
    const isDone = conditions.every(
      ([name, value]) => String(at(body, name.slice('repeat until '.length))) === value,
    )
    if (isDone) {
      for (const [name, path] of pairs.filter((pair) => !isUntil(pair))) {
        values[name] = at(body, path)
        expect(values[name], `${name} of ${url}`).toBeTruthy()
      }
      return
    }
    if (performance.now() > end) throw new Error(`Never so: ${comment}\n${JSON.stringify(body)}`)
    await wait(100)
  }
}

async function send(request: string) {
  const [head = '', ...body] = request.split('\n\n')
  const [line = '', ...headerLines] = head.split('\n')
  const [method = '', url = ''] = line.split(' ')
  const headers = headerLines.map((header) => header.split(/: (.*)/s).slice(0, 2))
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(headers),
    ...(body.length > 0 && { body: body.join('\n\n') }),
  })
  const text = await response.text()
  const answer = { body: parse(text), text, headers: Object.fromEntries(response.headers) }
  const { pathname, search } = new URL(url)
  if (pathname.startsWith('/v1/')) {
    const { status } = response
    expect(contractProblem(method, pathname + search, { status, ...answer })).toBeUndefined()
  }
  return { url, received: response.status, body: answer.body }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const SIGNS = /^The (\w+)'s wallet (signs|sends) \{\{(\w+)\}\}: (\w+)$/
const CALLS = /^The (\w+)'s wallet calls (\w+)\((.*)\) of (\S+)$/

async function useWallet(comment: string, { values, wallets }: Reader): Promise<void> {
  const [, signer = '', verb, given = '', kept = ''] = SIGNS.exec(comment) ?? []
  const [, caller = '', name = '', args = '', contract = ''] = CALLS.exec(comment) ?? []
  const wallet = wallets[signer || caller]
  if (!wallet) throw new Error(`What does this comment mean? ${comment}`)
  if (caller) {
    await wallet.call(fill(contract, values), name, fill(args, values).split(', '))
  } else {
    values[kept] = await (verb === 'signs' ? wallet.sign : wallet.send)(values[given])
  }
}
