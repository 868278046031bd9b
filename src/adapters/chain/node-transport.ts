/**
 * JSON-RPC to one node, over the connections that Node keeps. A question by `fetch` costs the
 * process twice as much, and viem's own time limit ends with the first byte of an answer, which may
 * stop midway: this one is for the whole of it.
 */
import { request } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import {
  type CustomTransport,
  custom,
  HttpRequestError,
  ResponseBodyTooLargeError,
  RpcRequestError,
  TimeoutError,
} from 'viem'

const MOST_BYTES = 10 * 1024 * 1024
/** The code of an error that has none. */
const UNKNOWN = -1
// Some that stand before nodes turn away who does not say what they are.
const HEADERS = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'countersign' }

type Answer = { status: number; text: string }
type Question = { jsonrpc: '2.0'; id: number; method: string; params: unknown }

/** Of the whole process: an answer that comes late finds nobody else's question. */
let asked = 0

export function nodeTransport(
  url: string,
  { timeoutMs, retryCount }: { timeoutMs: number; retryCount: number },
): CustomTransport {
  const post = posterTo(url)
  const shown = withoutLogin(url)
  const ask = async ({ method, params }: { method: string; params?: unknown }) => {
    asked += 1
    const question: Question = { jsonrpc: '2.0', id: asked, method, params }
    const tooLate = () => new TimeoutError({ body: question, url: shown })
    const answer = await post(JSON.stringify(question), { timeoutMs, tooLate }).catch((cause) => {
      const isKnown = cause instanceof TimeoutError || cause instanceof ResponseBodyTooLargeError
      throw isKnown ? cause : new HttpRequestError({ body: question, cause, url: shown })
    })
    return resultOf(answer, question, shown)
  }
  return custom({ request: ask }, { retryCount })
}

function withoutLogin(url: string): string {
  const shown = new URL(url)
  shown.username = ''
  shown.password = ''
  return shown.href
}

type Poster = (body: string, limit: { timeoutMs: number; tooLate: () => Error }) => Promise<Answer>

/** Redirections are not followed: the node that was configured is the one that is asked. */
function posterTo(url: string): Poster {
  const { protocol, ...place } = urlToHttpOptions(new URL(url))
  const send = protocol === 'https:' ? requestOverTls : request
  return (body, { timeoutMs, tooLate }) =>
    new Promise((resolve, reject) => {
      const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) }
      const question = send({ ...place, method: 'POST', headers }, (answer) => {
        const parts: Buffer[] = []
        let size = 0
        answer.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (size <= MOST_BYTES) return
          giveUp(new ResponseBodyTooLargeError({ maxSize: MOST_BYTES, size }))
        })
        answer.on('error', giveUp)
        answer.on('end', () => {
          clearTimeout(timer)
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() })
        })
      })
      // Whatever else may happen to a connection, this one comes.
      const timer = setTimeout(() => giveUp(tooLate()), timeoutMs)
      const giveUp = (reason: Error) => {
        clearTimeout(timer)
        reject(reason)
        question.destroy()
      }
      question.on('error', giveUp)
      question.on('upgrade', () => giveUp(new Error('The node speaks another protocol')))
      question.end(body)
    })
}

type Said = { id?: unknown; error?: unknown; result?: unknown }

/** What the node says of the question counts under any status; anything else is trouble. */
function resultOf({ status, text }: Answer, body: Question, url: string): unknown {
  const isGood = status >= 200 && status < 300
  const said = parsed(text)
  const isOurs = said?.id === body.id
  // Of a question that a node could not read it does not know the id.
  const isNobodys = (said?.id ?? null) === null
  const error = isOurs || isNobodys ? nodeErrorIn(said, isGood) : undefined
  if (error) throw new RpcRequestError({ body, error, url })
  if (isGood && isOurs && !said.error && 'result' in said) return said.result
  const details = `no answer to the question, status ${status}`
  // By a status that is not one of overload the client would not try again.
  throw new HttpRequestError({ body, url, details, ...(!isGood && { status }) })
}

/** Under another status a gateway may be speaking: there both code and words must be a node's. */
function nodeErrorIn(answer: Said | undefined, isGood: boolean) {
  const { code, message, data } = (answer?.error ?? {}) as Record<string, unknown>
  const number = typeof code === 'number' ? code : undefined
  const words = typeof message === 'string' ? message : undefined
  const [hasNumber, hasWords] = [number !== undefined, words !== undefined]
  const isHeard = isGood ? hasNumber || hasWords : hasNumber && hasWords
  if (!isHeard) return undefined
  return { code: number ?? UNKNOWN, message: words ?? '', data }
}

function parsed(text: string): Said | undefined {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null ? said : undefined
  } catch {
    return undefined
  }
}
