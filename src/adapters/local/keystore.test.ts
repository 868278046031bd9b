import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { open, rewrap, seal } from './keystore.ts'

const masterKey = randomBytes(32)
const name = 'executor:one:0xabc'
const secret = randomBytes(32)
const sealed = () => seal(masterKey, { name, secret })

describe('a key at rest', () => {
  test('comes back as it was', () => {
    expect(open(masterKey, { name, box: sealed() })).toEqual(secret)
    const longer = randomBytes(1000)
    expect(open(masterKey, { name, box: seal(masterKey, { name, secret: longer }) })).toEqual(
      longer,
    )
  })

  test('is another box every time, and the key is not in it', () => {
    const [one, other] = [sealed(), sealed()]
    expect(one.equals(other)).toBe(false)
    expect(one.includes(secret)).toBe(false)
    expect(one.includes(masterKey)).toBe(false)
  })

  test('opens by its own name alone', () => {
    const box = sealed()
    for (const other of ['', 'executor:two:0xabc', `${name} `, name.toUpperCase()]) {
      expect(() => open(masterKey, { name: other, box })).toThrow()
    }
  })

  test('does not open with another master key', () => {
    expect(() => open(randomBytes(32), { name, box: sealed() })).toThrow()
  })

  test('does not open with any byte changed', () => {
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

  test('does not open when cut short or made longer', () => {
    const box = sealed()
    for (const length of [0, 1, 12, 61, 62, 80, box.length - 1]) {
      expect(() => open(masterKey, { name, box: box.subarray(0, length) })).toThrow()
    }
    expect(() => open(masterKey, { name, box: Buffer.concat([box, Buffer.from([0])]) })).toThrow()
  })

  test('the halves of two boxes do not make one', () => {
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

describe('a change of the master key', () => {
  const current = randomBytes(32)
  const keys = { current, previous: masterKey }

  test('what was sealed before opens meanwhile, and what is sealed now too', () => {
    expect(open(keys, { name, box: sealed() })).toEqual(secret)
    expect(open(keys, { name, box: seal(current, { name, secret }) })).toEqual(secret)
    expect(() => open({ current }, { name, box: sealed() })).toThrow()
  })

  test('a box is wrapped anew once, and opens under the new key alone', () => {
    const box = sealed()
    const anew = rewrap(keys, { name, box })
    expect(anew && open({ current }, { name, box: anew })).toEqual(secret)
    expect(() => open(masterKey, { name, box: anew ?? box })).toThrow()
    expect(rewrap(keys, { name, box: anew ?? box })).toBeUndefined()
  })

  test('what opens under neither, by another name or broken, is not touched', () => {
    const foreign = seal(randomBytes(32), { name, secret })
    expect(() => rewrap(keys, { name, box: foreign })).toThrow()
    expect(() => rewrap(keys, { name: 'executor:two:0xabc', box: sealed() })).toThrow()
    const broken = sealed()
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1
    expect(() => rewrap(keys, { name, box: broken })).toThrow()
  })
})
