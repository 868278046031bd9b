/** The API as the page sees it: through the gateway, which adds the token. */
import { type Client, createClient } from '@countersign/client/client.ts'
import type { Failure } from '@countersign/client/errors.ts'
import type { CallInput, DataOf, OperationId } from '@countersign/client/operation-types.ts'
import { RequestFailed, unwrap } from '@countersign/client/result.ts'
import { ACCOUNT_HEADER, GATEWAY_HEADER, takeBegun } from '../early/begun.ts'
import { accountHeader, noticeChange } from './account.ts'

function begunFor({ method, url, headers }: Request): Promise<Response> | undefined {
  if (method !== 'GET') return undefined
  const { pathname, search } = new URL(url)
  return takeBegun(pathname + search, headers.get(ACCOUNT_HEADER))
}

/** The client gives up after a while, and so must whoever waits for an answer. */
const unlessAborted = (answer: Promise<Response>, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    answer.then(resolve, reject)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

const throughGateway =
  ({ takesBegun }: { takesBegun: boolean }) =>
  async (request: Request): Promise<Response> => {
    const headers = { ...GATEWAY_HEADER, ...accountHeader() }
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    // Taken in either case: beside the answer to this request it would be an old one.
    const begun = begunFor(request)
    const answer = await (takesBegun && begun
      ? unlessAborted(begun, request.signal)
      : fetch(request))
    await noticeChange(answer)
    return answer
  }

const baseUrl = location.origin

export const client = createClient({ baseUrl, fetch: throughGateway({ takesBegun: false }) })

/** For the first read of something, which may have begun before this script ran. */
export const firstClient = createClient({ baseUrl, fetch: throughGateway({ takesBegun: true }) })

/** For files, which take longer on a slow connection. */
export const fileClient = createClient({
  baseUrl,
  fetch: throughGateway({ takesBegun: false }),
  timeoutMs: 180_000,
})

/** The data, or a `RequestFailed`, which is what the query cache wants. */
export async function read<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  { signal, through = client }: { signal: AbortSignal; through?: Client },
): Promise<DataOf<Id>> {
  const call = through.call as (
    id: Id,
    input: unknown,
  ) => ReturnType<typeof client.call<Id, CallInput<Id>>>
  return unwrap(await call(id, { ...input, signal })) as DataOf<Id>
}

export const failureOf = (error: unknown): Failure | null =>
  error instanceof RequestFailed ? error.failure : null
