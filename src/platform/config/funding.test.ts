import { describe, expect, test } from 'vitest'
import { readFunding } from './funding.ts'

describe('the limits of a funding signer', () => {
  test('have defaults: a thousand tokens, thirty days, a probe a day', () => {
    expect(readFunding({})).toEqual({
      maxAmount: 1_000_000_000n,
      lifetimeSeconds: 2_592_000,
      probeEverySeconds: 86_400,
    })
  })

  test('are read exactly', () => {
    const most = 2n ** 128n - 1n
    const env = {
      FUNDING_MAX_BASE_UNITS: most.toString(),
      FUNDING_LIFETIME_SECONDS: '60',
      FUNDING_PROBE_SECONDS: '1',
    }
    expect(readFunding(env)).toEqual({
      maxAmount: most,
      lifetimeSeconds: 60,
      probeEverySeconds: 1,
    })
  })

  test.each([
    ['FUNDING_MAX_BASE_UNITS', '0'],
    ['FUNDING_MAX_BASE_UNITS', '-1'],
    ['FUNDING_MAX_BASE_UNITS', '1.5'],
    ['FUNDING_MAX_BASE_UNITS', '1e6'],
    ['FUNDING_MAX_BASE_UNITS', (2n ** 128n).toString()],
    ['FUNDING_LIFETIME_SECONDS', '59'],
    ['FUNDING_LIFETIME_SECONDS', '31536001'],
    ['FUNDING_PROBE_SECONDS', '0'],
    ['FUNDING_PROBE_SECONDS', 'daily'],
  ])('%s=%s is refused in one clear line', (name, value) => {
    expect(() => readFunding({ [name]: value })).toThrow(`${name} must be`)
  })
})
