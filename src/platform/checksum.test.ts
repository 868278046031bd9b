import { checksummed, hasRightChecksum } from '@countersign/proof/values.ts'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'

/** The test cases of EIP-55. */
const addresses = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

const swapCase = (letter: string) =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()

describe('an address', () => {
  test.each(addresses)('%s has a valid checksum', (address) => {
    expect(hasRightChecksum(address)).toBe(true)
  })

  test.each(addresses.slice(4))('%s with the case of any letter changed is refused', (address) => {
    const wrong = [...address].flatMap((letter, at) =>
      at > 1 && /[a-f]/i.test(letter)
        ? [address.slice(0, at) + swapCase(letter) + address.slice(at + 1)]
        : [],
    )
    expect(wrong.length).toBeGreaterThan(10)
    expect(wrong.filter(hasRightChecksum)).toEqual([])
  })

  test('with one digit changed is refused', () => {
    expect(hasRightChecksum('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee')).toBe(false)
  })

  const digits = fc.string({
    unit: fc.constantFrom(...'0123456789abcdef'),
    minLength: 40,
    maxLength: 40,
  })
  property.prop([digits])('in one case, or as the service writes it, is accepted', (body) => {
    expect(hasRightChecksum(`0x${body}`)).toBe(true)
    expect(hasRightChecksum(`0x${body.toUpperCase()}`)).toBe(true)
    expect(hasRightChecksum(checksummed(`0x${body}`))).toBe(true)
  })
})
