/**
 * Reads that travel to the database together with the guard's check. The guard remembers who the
 * holder of a token was in an organization, and sends the check and the route's read for that
 * member in one message. Their rows are used only if the check finds the same member again with the
 * same role; otherwise they are dropped, and the route reads after the check. Nothing is decided by
 * what was remembered.
 */
import type { FastifyRequest } from 'fastify'
import type { Db, Reader } from '#platform/database/database.ts'
import type { Member } from './permissions.ts'

export type KnownMember = Pick<Member, 'accountId' | 'membershipId' | 'role'>

/** Rows of a read in the member's scope. */
type Rows<T> = (reader: Reader) => Promise<T>

type ReadInput = { member: Member; params: unknown; query: unknown }

/** Undefined for a request that this read does not answer. It must not throw except `AppError`. */
type EarlyRead<T = unknown> = (input: ReadInput) => Rows<T> | undefined

declare module 'fastify' {
  interface FastifyContextConfig {
    earlyRead?: EarlyRead
  }
  interface FastifyRequest {
    earlyRows: { rows: unknown } | undefined
  }
}

type RowsOf<Read> = Read extends Rows<infer T> ? T : undefined

type Input<Params, Query> = { member: Member; params: Params; query: Query }

/** Add `config` to the route; `rowsOf` in its handler returns what was read. */
export function earlyRead<Params, Query, Read extends Rows<unknown> | undefined>(
  read: (input: Input<Params, Query>) => Read,
) {
  const rowsOf = async (
    db: Pick<Db, 'read'>,
    request: Pick<FastifyRequest, 'earlyRows'>,
    input: Input<Params, Query>,
  ): Promise<RowsOf<Read>> => {
    if (request.earlyRows) return request.earlyRows.rows as RowsOf<Read>
    const { organizationId, accountId } = input.member
    const rows = read(input)
    return (rows && (await db.read({ organizationId, accountId }, rows))) as RowsOf<Read>
  }
  return { config: { earlyRead: read as EarlyRead }, rowsOf }
}

/** The rows to read early; undefined unless the input is valid. */
export function earlyRowsOf(request: FastifyRequest, member: Member): Rows<unknown> | undefined {
  const { earlyRead: read } = request.routeOptions.config
  if (!read) return undefined
  const params = validated(request, 'params')
  const query = validated(request, 'querystring')
  if (!params || !query) return undefined
  try {
    return read({ member, params, query })
  } catch {
    return undefined // The handler fails in the same way, after the check.
  }
}

/** A copy, because validation replaces text by numbers and adds defaults. */
function validated(
  request: FastifyRequest,
  part: 'params' | 'querystring',
): Record<string, unknown> | undefined {
  const input = { ...((part === 'params' ? request.params : request.query) as object) }
  const isValid = request.getValidationFunction(part)
  return !isValid || isValid(input) === true ? input : undefined
}

const MEMBERS_MAX = 10_000

export type KnownMembers = {
  find(key: string): KnownMember | undefined
  keep(key: string, member: KnownMember): void
}

/** The oldest is forgotten at the size limit. */
export function createKnownMembers({ max = MEMBERS_MAX } = {}): KnownMembers {
  const known = new Map<string, KnownMember>()
  return {
    find: (key) => known.get(key),
    keep(key, member) {
      known.set(key, member)
      const oldest = known.size > max ? known.keys().next().value : undefined
      if (oldest !== undefined) known.delete(oldest)
    },
  }
}

export const isSameMember = (one: KnownMember, other: KnownMember): boolean =>
  one.accountId === other.accountId &&
  one.membershipId === other.membershipId &&
  one.role === other.role
