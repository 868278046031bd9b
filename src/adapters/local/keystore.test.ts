import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { open, rewrap, seal } from './keystore.ts'

const masterKey = randomBytes(32)
const name = 'executor:one:0xabc'
const secret = randomBytes(32)
const sealed = () => seal(masterKey, { name, secret })

describe('a key at rest', () => {
  test('decrypts to the original', () => {
    expect(open(masterKey, { name, box: sealed() })).toEqual(secret)
    const longer = randomBytes(1000)
    expect(open(masterKey, { name, box: seal(masterKey, { name, secret: longer }) })).toEqual(
      longer,
    )
  })

  test('is encrypted differently every time and does not contain the key', () => {
    const [one, other] = [sealed(), sealed()]
    expect(one.equals(other)).toBe(false)
    expect(one.includes(secret)).toBe(false)
    expect(one.includes(masterKey)).toBe(false)
  })

  test('decrypts under its own name only', () => {
    const box = sealed()
    for (const other of ['', 'executor:two:0xabc', `${name} `, name.toUpperCase()]) {
      expect(() => open(masterKey, { name: other, box })).toThrow()
    }
  })

  test('does not decrypt with another master key', () => {
    expect(() => open(randomBytes(32), { name, box: sealed() })).toThrow()
  })

  test('does not decrypt with any byte changed', () => {
    const box = sealed()
    const opened = Array.from(box, (_, at) => {
      const changed = Buffer.from(box)
      changed[at] = (changed[at] ?? 0) ^ 0x01
      try {
        open(masterKey, { name, box: changed })
        return at
      } catch {
        return -1
      }
    })
    expect(opened.filter((at) => at >= 0)).toEqual([])
  })

  test('does not decrypt when truncated or extended', () => {
    const box = sealed()
    for (const length of [0, 1, 12, 61, 62, 80, box.length - 1]) {
      expect(() => open(masterKey, { name, box: box.subarray(0, length) })).toThrow()
    }
    expect(() => open(masterKey, { name, box: Buffer.concat([box, Buffer.from([0])]) })).toThrow()
  })

  test('does not decrypt from the halves of two boxes', () => {
    const [one, other] = [sealed(), seal(masterKey, { name, secret: randomBytes(32) })]
    const mixed = Buffer.concat([one.subarray(0, 61), other.subarray(61)])
    expect(() => open(masterKey, { name, box: mixed })).toThrow()
  })

  test('of another version is refused by its version', () => {
    const box = sealed()
    box[0] = 2
    expect(() => open(masterKey, { name, box })).toThrow(/version/)
  })
})

describe('a rotation of the master key', () => {
  const current = randomBytes(32)
  const keys = { current, previous: masterKey }

  test('decrypts what either key has encrypted', () => {
    expect(open(keys, { name, box: sealed() })).toEqual(secret)
    expect(open(keys, { name, box: seal(current, { name, secret }) })).toEqual(secret)
    expect(() => open({ current }, { name, box: sealed() })).toThrow()
  })

  test('rewraps a box once, which then decrypts under the new key only', () => {
    const box = sealed()
    const anew = rewrap(keys, { name, box })
    expect(anew && open({ current }, { name, box: anew })).toEqual(secret)
    expect(() => open(masterKey, { name, box: anew ?? box })).toThrow()
    expect(rewrap(keys, { name, box: anew ?? box })).toBeUndefined()
  })

  test('leaves boxes that decrypt under neither key unchanged', () => {
    const foreign = seal(randomBytes(32), { name, secret })
    expect(() => rewrap(keys, { name, box: foreign })).toThrow()
    expect(() => rewrap(keys, { name: 'executor:two:0xabc', box: sealed() })).toThrow()
    const broken = sealed()
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1
    expect(() => rewrap(keys, { name, box: broken })).toThrow()
  })
})
