import { describe, expect, test } from 'vitest'
import { isLoopbackAddress, isPublicAddress } from './public-addresses.ts'

describe('isPublicAddress', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '2a00:1450:4001::1',
  ])('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
    expect(isLoopbackAddress(address)).toBe(false)
  })

  test.each([
    '0.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.255',
    '192.168.0.0',
    '198.19.255.255',
    '224.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '::8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:1ff:ffff::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'febf::1',
    'ff02::1',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    'push.example',
    '',
  ])('rejects %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['::ffff:127.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['::127.0.0.1', false],
  ['::1%lo', false],
  ['localhost', false],
])('isLoopbackAddress(%s) is %s', (address, isLoopback) => {
  expect(isLoopbackAddress(address)).toBe(isLoopback)
})
