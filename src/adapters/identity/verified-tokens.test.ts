import { expect, test } from 'vitest'
import { createVerifiedTokens, type TokenCheck } from './verified-tokens.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const EXPIRES = NOW / 1000 + 600
const claims = { issuer: 'issuer', subject: 'subject', expiresAtSeconds: EXPIRES }

/** `ask` takes seconds from now. `keySet` is called before and after a verification. */
function createCache(max?: number) {
  const tokens = createVerifiedTokens(max === undefined ? {} : { max })
  const state = { verified: 0, keySet: 1 as number | undefined }
  const checkAt = (seconds: number, verify?: TokenCheck['verify']): TokenCheck => ({
    now: new Date(NOW + seconds * 1000),
    toleranceSeconds: 5,
    keySet: () => state.keySet,
    verify: async () => {
      state.verified += 1
      return verify ? verify() : claims
    },
  })
  const ask = (seconds: number, token = 'token', verify?: TokenCheck['verify']) =>
    tokens.claimsOf(token, checkAt(seconds, verify))
  return { state, ask }
}

const refuse = () => Promise.reject(new Error('refused'))

test('verifies a token once', async () => {
  const { state, ask } = createCache()
  for (let second = 0; second < 5; second += 1) expect(await ask(second)).toEqual(claims)
  expect(state.verified).toBe(1)
  await ask(0, 'another')
  expect(state.verified).toBe(2)
})

test('verifies a token again past its expiry and the tolerance, and refuses it', async () => {
  const { ask } = createCache()
  await ask(0)
  expect(await ask(604, 'token', refuse)).toEqual(claims)
  await expect(ask(605, 'token', refuse)).rejects.toThrow('refused')
  await expect(ask(1, 'token', refuse)).rejects.toThrow('refused')
})

test('does not trust a clock that was set back', async () => {
  const { ask } = createCache()
  await ask(10)
  await expect(ask(9, 'token', refuse)).rejects.toThrow('refused')
})

test('forgets every token when the key set changes', async () => {
  const { state, ask } = createCache()
  await ask(0)
  state.keySet = 2
  await expect(ask(1, 'token', refuse)).rejects.toThrow('refused')
})

test('verifies every token and caches none while the key set is being fetched', async () => {
  const { state, ask } = createCache()
  await ask(0)
  state.keySet = undefined
  await expect(ask(1, 'token', refuse)).rejects.toThrow('refused')
  await ask(1, 'new')
  state.keySet = 1
  await expect(ask(2, 'new', refuse)).rejects.toThrow('refused')
  expect(await ask(2, 'token', refuse)).toEqual(claims)
})

test('does not cache a token if the key set changes during its verification', async () => {
  const { state, ask } = createCache()
  await ask(0, 'token', async () => {
    state.keySet = 2
    return claims
  })
  await expect(ask(1, 'token', refuse)).rejects.toThrow('refused')
})

test('does not cache a refused token', async () => {
  const { state, ask } = createCache()
  for (let turn = 0; turn < 3; turn += 1) {
    await expect(ask(turn, 'token', refuse)).rejects.toThrow('refused')
  }
  expect(state.verified).toBe(3)
})

test('evicts the oldest token at its size limit', async () => {
  const { ask } = createCache(2)
  for (const token of ['first', 'second', 'third']) await ask(0, token)
  expect(await ask(1, 'third', refuse)).toEqual(claims)
  expect(await ask(1, 'second', refuse)).toEqual(claims)
  await expect(ask(1, 'first', refuse)).rejects.toThrow('refused')
})
