/** The API as the page sees it: through the gateway, which adds the token. */
import { createClient } from '@countersign/client/client.ts'
import type { Failure } from '@countersign/client/errors.ts'
import type { CallInput, DataOf, OperationId } from '@countersign/client/operation-types.ts'
import { RequestFailed, unwrap } from '@countersign/client/result.ts'
import { accountHeader, noticeChange } from './account.ts'

/** Forms of other sites cannot send this header; the gateway refuses requests without it. */
export const GATEWAY_HEADER = { 'x-countersign': '1' } as const

const throughGateway = async (request: Request): Promise<Response> => {
  const headers = { ...GATEWAY_HEADER, ...accountHeader() }
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
  const answer = await fetch(request)
  await noticeChange(answer)
  return answer
}

export const client = createClient({ baseUrl: location.origin, fetch: throughGateway })

/** For files, which take longer on a slow connection. */
export const fileClient = createClient({
  baseUrl: location.origin,
  fetch: throughGateway,
  timeoutMs: 180_000,
})

/** The data, or a `RequestFailed`, which is what the query cache wants. */
export async function read<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  signal: AbortSignal,
): Promise<DataOf<Id>> {
  const call = client.call as (
    id: Id,
    input: unknown,
  ) => ReturnType<typeof client.call<Id, CallInput<Id>>>
  return unwrap(await call(id, { ...input, signal })) as DataOf<Id>
}

export const failureOf = (error: unknown): Failure | null =>
  error instanceof RequestFailed ? error.failure : null
