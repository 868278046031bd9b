/**
 * Passes requests of the page to the API, with the session's access token. Bodies and answers are
 * streams in both directions: neither an upload nor a live stream is buffered.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'
import { OWN_HEADER } from './cross-site.ts'
import { addStream } from './open-streams.ts'
import { currentSession, refreshSession, type Session } from './sessions.ts'
import { STEP_UP_HEADER, withAssertion } from './step-up.ts'
import { errorCodeOf, parseAnswer, readBytes, type Upstream } from './upstream.ts'
import type { WebContext } from './web-context.ts'

/** Whom the page was loaded for. */
const ACCOUNT_HEADER = 'x-account'

/** RFC 9110, 7.6.1: about one connection, not about the message. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'proxy-connection'],
]

/** Ours, or claims about the client that only the gateway may make. */
const NOT_PASSED_ON = new Set([
  ...HOP_BY_HOP,
  ...['host', 'authorization', 'cookie', 'forwarded', 'x-real-ip', 'origin', 'referer', 'via'],
  // Answers are passed on as they are: a live stream must not be compressed on the way.
  ...['accept-encoding', 'expect', OWN_HEADER, STEP_UP_HEADER, ACCOUNT_HEADER],
  // A browser is no trusted caller, even if the API trusts the traces of this gateway's network.
  ...['traceparent', 'tracestate', 'baggage'],
])

const NOT_PASSED_BACK = new Set([
  ...HOP_BY_HOP,
  ...['set-cookie', 'set-cookie2', 'www-authenticate', 'cross-origin-resource-policy'],
  ...['strict-transport-security', 'clear-site-data', 'alt-svc'],
])

type Exchange = { request: FastifyRequest; reply: FastifyReply; cookie: string | undefined }

export function createProxy(ctx: WebContext, upstream: Upstream) {
  return async ({ request, reply, cookie }: Exchange): Promise<void> => {
    refuseOddPath(request)
    refuseStrayBody(request)
    // Without one the API answers: some operations are for everybody, the others are 401.
    const session = await currentSession(ctx, cookie)
    if (isForAnother(request, session)) return void answerChanged(request, reply)
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const body = await bodyOf(ctx, { request, session })
    const send = (tokens: Session['tokens'] | undefined) =>
      upstream.send({
        method: request.method,
        path: request.raw.url ?? '',
        headers: headersFor(request, { tokens, body }),
        body,
        signal: gone.signal,
      })
    const first = await send(session?.tokens).catch(endIfGone(gone.signal))
    const answer = first && (await again({ ctx, session, answer: first, request, send }))
    if (!answer || gone.signal.aborted) return leave(reply)
    const end = isStream(answer) && session ? addStream(ctx, cutting(session, reply)) : undefined
    await passBack(answer, { request, reply }).finally(end)
  }
}

const isStream = ({ headers }: IncomingMessage): boolean =>
  (headers['content-type'] ?? '').startsWith('text/event-stream')

const cutting = ({ idHash }: Session, { raw }: FastifyReply) => ({
  idHash,
  cut: () => void raw.destroy(),
})

/**
 * All tabs of a browser share the cookie. After somebody signed in as another person, a tab that is
 * still open would act as that person, with what it shows and has typed in it of the first.
 */
const isForAnother = ({ headers }: FastifyRequest, session: Session | undefined): boolean =>
  session !== undefined &&
  headers[ACCOUNT_HEADER] !== undefined &&
  headers[ACCOUNT_HEADER] !== session.accountId

const answerChanged = ({ id: requestId }: FastifyRequest, reply: FastifyReply): FastifyReply =>
  // Its body is not read, so the connection cannot be used again.
  reply
    .code(409)
    .header('connection', 'close')
    .send({
      error: {
        code: 'account_changed',
        message: 'This browser is now signed in as somebody else. Reload the page to go on.',
        requestId,
      },
    })

/** A dot segment could leave the prefix of this realm at a proxy in front of the API. */
function refuseOddPath({ raw }: FastifyRequest): void {
  const [path = ''] = (raw.url ?? '').split('?')
  const isOdd = path.split(/\/|%2f|\\|%5c/i).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))
  if (isOdd) throw new AppError('not_found')
}

/**
 * Such a body is never read here. Announced to the API but not sent, it would be taken from the
 * next request on the same connection, which may be another person's.
 */
function refuseStrayBody({ method, headers }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD') return
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  throw new AppError('validation_failed', { message: 'A request that reads has no body.' })
}

/** Nobody reads the answer any more. */
const endIfGone = (signal: AbortSignal) => (error: unknown) => {
  if (signal.aborted) return undefined
  throw error
}

function leave(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.destroy()
}

async function bodyOf(
  ctx: WebContext,
  { request, session }: { request: FastifyRequest; session: Session | undefined },
): Promise<Buffer | Readable | undefined> {
  if (session && request.headers[STEP_UP_HEADER] !== undefined) {
    return withAssertion(ctx, { request, session })
  }
  return request.body instanceof Readable ? request.body : undefined
}

function headersFor(
  request: FastifyRequest,
  { tokens, body }: { tokens: Session['tokens'] | undefined; body: Buffer | Readable | undefined },
): IncomingHttpHeaders {
  const named = new Set((request.headers.connection ?? '').toLowerCase().split(/\s*,\s*/))
  const passed = Object.entries(request.headers).filter(
    ([name]) =>
      !NOT_PASSED_ON.has(name) &&
      // Announces only what is sent.
      (name !== 'content-length' || body !== undefined) &&
      !named.has(name) &&
      !name.startsWith('x-forwarded-') &&
      !name.startsWith('sec-'),
  )
  return {
    ...Object.fromEntries(passed),
    ...(tokens && { authorization: `Bearer ${tokens.accessToken}` }),
    // The API counts the gateway as one proxy (TRUSTED_PROXIES).
    'x-forwarded-for': request.ip,
    'x-request-id': request.id,
    ...(body instanceof Buffer && { 'content-length': String(body.length) }),
  }
}

type Attempt = {
  ctx: WebContext
  session: Session | undefined
  answer: IncomingMessage
  request: FastifyRequest
  send(tokens: Session['tokens']): Promise<IncomingMessage>
}

/**
 * A token can be refused before it expires, for example when the provider's keys have changed.
 * Requests without a body are then repeated once with a new one.
 */
async function again({ ctx, session, answer, request, send }: Attempt): Promise<IncomingMessage> {
  const isRepeatable = request.method === 'GET' || request.method === 'HEAD'
  if (answer.statusCode !== 401 || !isRepeatable || !session) return answer
  const bytes = await readBytes(answer)
  const renewed = isAboutToken(bytes) ? await refreshSession(ctx, session) : undefined
  if (renewed) return send(renewed.tokens)
  const { statusCode, headers } = answer
  return Object.assign(Readable.from([bytes]), { statusCode, headers }) as IncomingMessage
}

const isAboutToken = (bytes: Buffer): boolean =>
  bytes.length === 0 || errorCodeOf(parseAnswer(bytes)) === 'unauthenticated'

async function passBack(
  answer: IncomingMessage,
  { request, reply }: Pick<Exchange, 'request' | 'reply'>,
): Promise<void> {
  const headers = Object.entries(answer.headers).filter(
    ([name, value]) => !NOT_PASSED_BACK.has(name) && value !== undefined,
  )
  reply.hijack()
  const { raw } = reply
  raw.writeHead(answer.statusCode ?? 502, {
    ...(reply.getHeaders() as Record<string, string>),
    ...Object.fromEntries(headers),
    // The rest of a refused upload would be read as the next request.
    ...(!request.raw.complete && { connection: 'close' }),
  })
  raw.flushHeaders()
  // A client that leaves, and an API that breaks off, both end both connections.
  await pipeline(answer, raw).catch(() => raw.destroy())
}
