/**
 * A device as a browser creates it: its keys, and decryption of what was sent to it. Written from
 * RFC 8291, RFC 8188 and RFC 8292 with node:crypto only, independent of the sender.
 */
import {
  createDecipheriv,
  createECDH,
  createHmac,
  createPublicKey,
  randomBytes,
  verify,
} from 'node:crypto'

export type Device = {
  keys: { p256dh: string; auth: string }
  decrypt(body: Buffer): string
}

const CURVE = 'prime256v1'
const base64url = (text: string) => Buffer.from(text, 'base64url')

const hmac = (key: Buffer, ...parts: Buffer[]) =>
  createHmac('sha256', key).update(Buffer.concat(parts)).digest()

/** One HKDF block is enough here. */
const hkdf = (salt: Buffer, secret: Buffer, info: Buffer, length: number) =>
  hmac(hmac(salt, secret), info, Buffer.from([1])).subarray(0, length)

const info = (name: string) => Buffer.from(`Content-Encoding: ${name}\0`)

export function makeDevice({
  privateKey,
  auth = randomBytes(16),
}: {
  privateKey?: string
  auth?: Buffer
} = {}): Device {
  const pair = createECDH(CURVE)
  if (privateKey === undefined) pair.generateKeys()
  else pair.setPrivateKey(base64url(privateKey))
  const own = pair.getPublicKey()
  return {
    keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') },
    decrypt(body) {
      const salt = body.subarray(0, 16)
      const recordSize = body.readUInt32BE(16)
      const idLength = body.readUInt8(20)
      const sender = body.subarray(21, 21 + idLength)
      const record = body.subarray(21 + idLength)
      if (record.length > recordSize) throw new Error('There is more than one record')
      const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender])
      const secret = hkdf(auth, pair.computeSecret(sender), keyInfo, 32)
      const key = hkdf(salt, secret, info('aes128gcm'), 16)
      const nonce = hkdf(salt, secret, info('nonce'), 12)
      const decipher = createDecipheriv('aes-128-gcm', key, nonce)
      decipher.setAuthTag(record.subarray(-16))
      const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
      const end = padded.findLastIndex((byte) => byte !== 0)
      // The last record ends with 2 and zero padding.
      if (padded[end] !== 2) throw new Error('The padding has no end')
      return padded.subarray(0, end).toString('utf8')
    },
  }
}

export type VapidClaims = { aud: string; exp: number; sub: string }

/** Throws unless the header is signed by the key that it names; returns both. */
export function readVapid(authorization: string): { claims: VapidClaims; publicKey: string } {
  const [, token = '', publicKey = ''] =
    /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  const [head = '', payload = '', signature = ''] = token.split('.')
  const header = JSON.parse(base64url(head).toString())
  if (header.alg !== 'ES256' || header.typ !== 'JWT') throw new Error('It is no ES256 token')
  const point = base64url(publicKey)
  if (point.length !== 65 || point[0] !== 4) throw new Error('It names no key')
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    { key, dsaEncoding: 'ieee-p1363' },
    base64url(signature),
  )
  if (!isSigned) throw new Error('The signature is not of that key')
  return { claims: JSON.parse(base64url(payload).toString()), publicKey }
}
