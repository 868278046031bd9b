import { expect, test } from 'vitest'
import { parseRescue } from './parse-rescue.ts'

const OWN = '0x304E22bca613ecB8958be63F78F20496E3ef39E7'
const OTHER = '0x1563915e194D8CfBA1943570603F7606A3115508'

test('a token and a whole number are taken as they are', () => {
  expect(parseRescue({ token: ` ${OTHER.toLowerCase()} `, amount: ' 15 ' }, OWN)).toEqual({
    ok: true,
    wish: { token: OTHER, amount: 15n },
  })
})

test.each([
  ['no address', { token: '0x12', amount: '1' }, { token: 'no_address' }],
  [
    'a wrong checksum',
    { token: OTHER.replace('D8C', 'd8C'), amount: '1' },
    { token: 'no_address' },
  ],
  ["the vault's own token", { token: OWN.toLowerCase(), amount: '1' }, { token: 'own_token' }],
  ['zero', { token: OTHER, amount: '0' }, { amount: 'no_number' }],
  ['a fraction', { token: OTHER, amount: '1.5' }, { amount: 'no_number' }],
  ['more than 256 bits', { token: OTHER, amount: '9'.repeat(78) }, { amount: 'no_number' }],
])('%s is refused', (_what, typed, problems) => {
  expect(parseRescue(typed, OWN)).toEqual({ ok: false, problems })
})
