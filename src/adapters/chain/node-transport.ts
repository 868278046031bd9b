/**
 * JSON-RPC to one node, over the connections that Node keeps. A question by `fetch` costs the
 * process twice as much, and viem's own time limit ends with the first byte of an answer, which may
 * stop midway: this one is for the whole of it.
 */
import { request } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import {
  type CustomTransport,
  custom,
  HttpRequestError,
  ResponseBodyTooLargeError,
  RpcRequestError,
  TimeoutError,
} from 'viem'
import { BodyTooLarge, tryParseJson, readBody } from '#platform/http-client/read-body.ts'

const MOST_BYTES = 10 * 1024 * 1024
/** The code of an error that has none. */
const UNKNOWN = -1
// Some RPC gateways reject requests without a User-Agent header.
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
      if (cause instanceof TimeoutError) throw cause
      if (cause instanceof BodyTooLarge) {
        throw new ResponseBodyTooLargeError({ maxSize: MOST_BYTES, size: cause.size })
      }
      throw new HttpRequestError({ body: question, cause, url: shown })
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
        readBody(answer, MOST_BYTES).then((text) => {
          clearTimeout(timer)
          resolve({ status: answer.statusCode ?? 0, text })
        }, giveUp)
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

const RpcAnswer = Type.Object({
  id: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
})
type RpcAnswer = Static<typeof RpcAnswer>

const RpcError = Type.Object({
  code: Type.Optional(Type.Unknown()),
  message: Type.Optional(Type.Unknown()),
  data: Type.Optional(Type.Unknown()),
})

/** What the node says of the question counts under any status; anything else is trouble. */
function resultOf({ status, text }: Answer, body: Question, url: string): unknown {
  const isGood = status >= 200 && status < 300
  const parsed = tryParseJson(text)
  const said = Check(RpcAnswer, parsed) ? parsed : undefined
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
function nodeErrorIn(answer: RpcAnswer | undefined, isGood: boolean) {
  if (!Check(RpcError, answer?.error)) return undefined
  const { code, message, data } = answer.error
  const number = typeof code === 'number' ? code : undefined
  const words = typeof message === 'string' ? message : undefined
  const [hasNumber, hasWords] = [number !== undefined, words !== undefined]
  const isHeard = isGood ? hasNumber || hasWords : hasNumber && hasWords
  if (!isHeard) return undefined
  return { code: number ?? UNKNOWN, message: words ?? '', data }
}
