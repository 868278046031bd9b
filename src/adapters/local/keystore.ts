/** Envelope encryption of private keys: AES-256-GCM, one data key each, under a master key. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

function encrypt(key: Uint8Array, plain: Uint8Array, name: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

function decrypt(key: Uint8Array, box: Uint8Array, name: string): Buffer {
  const bytes = Buffer.from(box)
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAAD(Buffer.from(name)).setAuthTag(tag)
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}

const DATA_KEY_BOX_BYTES = NONCE_BYTES + TAG_BYTES + KEY_BYTES

/** `name` is authenticated data: a box that is moved to another row does not open. */
export function seal(
  masterKey: Uint8Array,
  { name, secret }: { name: string; secret: Uint8Array },
): Buffer {
  const dataKey = randomBytes(KEY_BYTES)
  const sealed = [encrypt(masterKey, dataKey, name), encrypt(dataKey, secret, name)]
  dataKey.fill(0)
  return Buffer.concat([Buffer.from([VERSION]), ...sealed])
}

export type MasterKeys = {
  current: Uint8Array
  /** Opens boxes that were sealed before the last key rotation. */
  previous?: Uint8Array | undefined
}

type Named = { name: string; box: Uint8Array }

/** A box does not name its master key, so both keys are tried. */
function openDataKey({ current, previous }: MasterKeys, { name, box }: Named) {
  if (box[0] !== VERSION) throw new Error('This keystore entry has an unsupported version')
  const wrapped = box.subarray(1, 1 + DATA_KEY_BOX_BYTES)
  try {
    return { dataKey: decrypt(current, wrapped, name), isCurrent: true }
  } catch (error) {
    if (previous === undefined) throw error
    return { dataKey: decrypt(previous, wrapped, name), isCurrent: false }
  }
}

export function open(masterKeys: Uint8Array | MasterKeys, { name, box }: Named): Buffer {
  const keys = masterKeys instanceof Uint8Array ? { current: masterKeys } : masterKeys
  const { dataKey } = openDataKey(keys, { name, box })
  try {
    return decrypt(dataKey, box.subarray(1 + DATA_KEY_BOX_BYTES), name)
  } finally {
    dataKey.fill(0)
  }
}

/** Wraps the data key with the current master key; undefined if it already is. */
export function rewrap(keys: MasterKeys, { name, box }: Named): Buffer | undefined {
  const { dataKey, isCurrent } = openDataKey(keys, { name, box })
  try {
    const sealed = box.subarray(1 + DATA_KEY_BOX_BYTES)
    decrypt(dataKey, sealed, name).fill(0)
    if (isCurrent) return undefined
    const wrapped = encrypt(keys.current, dataKey, name)
    return Buffer.concat([Buffer.from([VERSION]), wrapped, sealed])
  } finally {
    dataKey.fill(0)
  }
}
