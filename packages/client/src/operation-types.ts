/** Types of calls, derived from the generated `operations`. */
import type { OPERATIONS } from './operations.ts'
import type { operations } from './schema.ts'

export type OperationId = keyof operations & keyof typeof OPERATIONS

type Parameters<Id extends OperationId, Place extends string> =
  operations[Id]['parameters'] extends Partial<Record<Place, infer Values>>
    ? NonNullable<Values>
    : never

/** Optional when every member is optional; absent when there are none. */
type Group<Name extends string, Values> = [Values] extends [never]
  ? unknown
  : Partial<Values> extends Values
    ? { [Key in Name]?: Values }
    : { [Key in Name]: Values }

/** The client sets the key itself. */
type Headers<Id extends OperationId> = Omit<Parameters<Id, 'header'>, 'idempotency-key'>
type HeaderGroup<Id extends OperationId> = [Parameters<Id, 'header'>] extends [never]
  ? unknown
  : keyof Headers<Id> extends never
    ? unknown
    : Group<'headers', Headers<Id>>

type RequestBody<Id extends OperationId> = NonNullable<operations[Id]['requestBody']>
type Contents<Id extends OperationId> = [RequestBody<Id>] extends [never]
  ? never
  : RequestBody<Id> extends { content: infer Content }
    ? Content
    : never

type WithoutKey<Body> = Body extends { idempotencyKey: string }
  ? Omit<Body, 'idempotencyKey'>
  : Body

type IsBodyRequired<Id extends OperationId> = operations[Id] extends { requestBody: object }
  ? true
  : false

type BodyGroup<Id extends OperationId> = [Contents<Id>] extends [never]
  ? unknown
  : Contents<Id> extends { 'application/json': infer Json }
    ? IsBodyRequired<Id> extends true
      ? { body: WithoutKey<Json> }
      : { body?: WithoutKey<Json> }
    : { body: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>; contentType: keyof Contents<Id> }

type KeyGroup<Id extends OperationId> = (typeof OPERATIONS)[Id] extends { key: string }
  ? {
      /**
       * Identifies one intended effect; by default a new one for each call. Pass your own to repeat
       * a call later, for instance after a reload.
       */
      idempotencyKey?: string
    }
  : unknown

type Answers<Id extends OperationId> = operations[Id]['responses']
type Success = 200 | 201 | 202 | 204

type ContentOf<Answer> = Answer extends { content: infer Content } ? Content : never
type JsonOf<Content> = Content extends { 'application/json': infer Json } ? Json : undefined

/** The body of a successful answer; undefined for one without a JSON body. */
export type DataOf<Id extends OperationId> = {
  [Status in keyof Answers<Id> & Success]: [ContentOf<Answers<Id>[Status]>] extends [never]
    ? undefined
    : JsonOf<ContentOf<Answers<Id>[Status]>>
}[keyof Answers<Id> & Success]

/** The JSON body that an operation takes. */
export type BodyOf<Id extends OperationId> =
  Contents<Id> extends { 'application/json': infer Json } ? Json : never

type As = { text: string; blob: Blob; stream: ReadableStream<Uint8Array> }

export type CallOptions = {
  signal?: AbortSignal
  /** How to read the body. By default JSON; files, exports and streams have none. */
  as?: keyof As
}

type SuccessContent<Id extends OperationId> = ContentOf<Answers<Id>[keyof Answers<Id> & Success]>

/** Files, exports and streams need `as`: their bodies are not JSON. */
type AsGroup<Id extends OperationId> = [SuccessContent<Id>] extends [never]
  ? unknown
  : SuccessContent<Id> extends { 'application/json': unknown }
    ? unknown
    : { as: keyof As }

export type CallInput<Id extends OperationId> = CallOptions &
  AsGroup<Id> &
  Group<'path', Parameters<Id, 'path'>> &
  Group<'query', Parameters<Id, 'query'>> &
  HeaderGroup<Id> &
  BodyGroup<Id> &
  KeyGroup<Id>

/** Without an input when everything in it is optional. */
export type CallArguments<Id extends OperationId, Input> =
  Partial<CallInput<Id>> extends CallInput<Id> ? [input?: Input] : [input: Input]

type Conditional = { headers: { 'if-none-match': string } }

/** Null: not modified. */
export type CallData<Id extends OperationId, Input> = Input extends { as: infer Kind }
  ? Kind extends keyof As
    ? As[Kind]
    : never
  : Input extends Conditional
    ? DataOf<Id> | null
    : DataOf<Id>

/** Operations that return their lists in pages. */
export type ListId = {
  [Id in OperationId]: (typeof OPERATIONS)[Id] extends { list: string | null } ? Id : never
}[OperationId]

type ListName<Id extends ListId> = (typeof OPERATIONS)[Id] extends { list: infer Name }
  ? Name
  : never

export type ItemOf<Id extends ListId> =
  ListName<Id> extends null
    ? DataOf<Id> extends readonly (infer Item)[]
      ? Item
      : never
    : DataOf<Id> extends Record<ListName<Id> & string, readonly (infer Item)[]>
      ? Item
      : never
