/**
 * An encrypted position in the live events, as a client stores it. It does not reveal how much
 * happens elsewhere and is valid only for its scope and epoch. Equal positions give equal cursors,
 * so that a client sees no change while nothing happens.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'

export type LiveScope =
  | { realm: 'consumer'; organizationId: string }
  | { realm: 'admin'; organizationId: null }

/** The position directly after the event with this transaction and sequence number. */
export type Position = { transactionId: bigint; seq: number }

type Binding = { epoch: string; scope: LiveScope }

const VERSION = 1
const SEAL_BYTES = 16
const POSITION_BYTES = 16
const CURSOR = /^[A-Za-z0-9_-]{44}$/

export const isBefore = (a: Position, b: Position): boolean =>
  a.transactionId === b.transactionId ? a.seq < b.seq : a.transactionId < b.transactionId

function writePosition({ transactionId, seq }: Position): Buffer {
  const bytes = Buffer.alloc(POSITION_BYTES)
  bytes.writeBigUInt64BE(transactionId, 0)
  bytes.writeBigUInt64BE(BigInt(seq), 8)
  return bytes
}

function readPosition(bytes: Buffer): Position | undefined {
  const seq = Number(bytes.readBigUInt64BE(8))
  return Number.isSafeInteger(seq) ? { transactionId: bytes.readBigUInt64BE(0), seq } : undefined
}

type Keys = {
  sealing: KeyObject
  hiding: KeyObject
  /** Cursors made before: polls and streams of an organization list the same events again. */
  made: Map<string, string>
}
/** Less than 2 MiB; a snapshot lists 50 events. */
const MADE_MAX = 4_000
const keyCache = new WeakMap<Uint8Array, Keys>()

/**
 * Half of the key authenticates, the other half encrypts. Cached, because creating key objects is
 * slower than using them.
 */
function keysOf(key: Uint8Array): Keys {
  const keys = keyCache.get(key) ?? {
    hiding: createSecretKey(key.subarray(0, 16)),
    sealing: createSecretKey(key.subarray(16)),
    made: new Map<string, string>(),
  }
  keyCache.set(key, keys)
  return keys
}

const seal = ({ sealing }: Keys, { epoch, scope }: Binding, position: Buffer): Buffer =>
  createHmac('sha256', sealing)
    .update(`${VERSION} ${epoch} ${scope.realm} ${scope.organizationId ?? ''} `)
    .update(position)
    .digest()
    .subarray(0, SEAL_BYTES)

const CIPHER = 'aes-128-ctr'

export function encodeCursor(
  key: Uint8Array,
  { epoch, scope, position }: { epoch: string; scope: LiveScope; position: Position },
): string {
  const keys = keysOf(key)
  const { realm, organizationId } = scope
  const { transactionId, seq } = position
  const name = `${epoch} ${realm} ${organizationId} ${transactionId} ${seq}`
  const known = keys.made.get(name)
  if (known !== undefined) return known
  const plain = writePosition(position)
  const sealed = seal(keys, { epoch, scope }, plain)
  const hidden = createCipheriv(CIPHER, keys.hiding, sealed).update(plain)
  const cursor = Buffer.concat([Buffer.from([VERSION]), sealed, hidden]).toString('base64url')
  if (keys.made.size >= MADE_MAX) keys.made.clear()
  keys.made.set(name, cursor)
  return cursor
}

/** Undefined for anything that is not a cursor of this scope and epoch. */
export function decodeCursor(
  key: Uint8Array,
  text: string,
  { epoch, scope }: { epoch: string; scope: LiveScope },
): Position | undefined {
  if (!CURSOR.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  if (bytes[0] !== VERSION) return undefined
  const sealed = bytes.subarray(1, 1 + SEAL_BYTES)
  const hidden = bytes.subarray(1 + SEAL_BYTES)
  const keys = keysOf(key)
  const plain = createDecipheriv(CIPHER, keys.hiding, sealed).update(hidden)
  if (!timingSafeEqual(seal(keys, { epoch, scope }, plain), sealed)) return undefined
  return readPosition(plain)
}
