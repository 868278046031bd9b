import { expect, test } from 'vitest'
import { checksumAddresses } from './checksum-addresses.ts'

const lower = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045'
const checksum = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045'

test('checksums every address, in lower, upper or mixed case', () => {
  const upper = `0x${lower.slice(2).toUpperCase()}`
  expect(
    checksumAddresses({ address: lower, list: [upper, { by: checksum }], none: null, count: 3 }),
  ).toEqual({ address: checksum, list: [checksum, { by: checksum }], none: null, count: 3 })
})

test('leaves hashes, dates and text that mentions an address unchanged', () => {
  const at = new Date(0)
  const data = { hash: `0x${'ab'.repeat(32)}`, reason: `Sent to ${lower}`, short: '0xabcd', at }
  expect(checksumAddresses(data)).toEqual(data)
})
