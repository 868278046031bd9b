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
// Some that stand before nodes turn away who does not say what they are.
const HEADERS = { 'content-type': 'application/json', accept: '*/*', 'user-agent': 'countersign' }

type Answer = { status: number; text: string }
type Question = { jsonrpc: '2.0'; id: number; method: string; params: unknown }

export function nodeTransport(
  url: string,
  { timeoutMs, retryCount }: { timeoutMs: number; retryCount: number },
): CustomTransport {
  const post = posterTo(url)
  let asked = 0
  return custom(
    {
      async request({ method, params }: { method: string; params?: unknown }) {
        asked += 1
        const question: Question = { jsonrpc: '2.0', id: asked, method, params }
        const tooLate = () => new TimeoutError({ body: question, url })
        const answer = await post(JSON.stringify(question), { timeoutMs, tooLate }).catch(
          (cause) => {
            const isKnown =
              cause instanceof TimeoutError || cause instanceof ResponseBodyTooLargeError
            throw isKnown ? cause : new HttpRequestError({ body: question, cause, url })
          },
        )
        return resultOf(answer, question, url)
      },
    },
    { retryCount },
  )
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
          if (size > MOST_BYTES)
            giveUp(new ResponseBodyTooLargeError({ maxSize: MOST_BYTES, size }))
        })
        answer.on('error', giveUp)
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() })
        })
      })
      const timer = setTimeout(() => giveUp(tooLate()), timeoutMs)
      const giveUp = (reason: Error) => {
        reject(reason)
        question.destroy()
      }
      question.on('error', giveUp)
      question.on('close', () => clearTimeout(timer))
      question.end(body)
    })
}

type NodeError = { code: number; message: string; data?: unknown }

const isNodeError = (error: unknown): error is NodeError =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  typeof error.code === 'number' &&
  'message' in error &&
  typeof error.message === 'string'

/** What the node says of the question counts under any status; anything else is trouble. */
function resultOf({ status, text }: Answer, body: Question, url: string): unknown {
  const said = parsed(text)
  if (isNodeError(said?.error)) throw new RpcRequestError({ body, error: said.error, url })
  const isGood = status >= 200 && status < 300
  if (isGood && said && !said.error && 'result' in said) return said.result
  throw new HttpRequestError({ body, status, url, details: `no answer, status ${status}` })
}

function parsed(text: string): { error?: unknown; result?: unknown } | undefined {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null ? said : undefined
  } catch {
    return undefined
  }
}
