import { expect, test, vi } from 'vitest'
import { failureWords } from './failures.ts'

vi.mock('@lingui/core/macro', () => ({
  msg: (parts: readonly string[]) => ({ id: parts.join('…'), message: parts.join('…') }),
}))
vi.mock('@lingui/react/macro', () => ({ useLingui: () => undefined }))

const inLanguage = (locale: string) => ({ locale, _: ({ id }: { id: string }) => id })

test.each([
  ['self_approval', 'Another approver must sign it.'],
  ['self_review', 'Another owner or manager must review it.'],
])('%s tells payees what the service says', (code, advice) => {
  const message = 'This expense pays a wallet that is or was yours. Ask somebody else.'
  const refusal = { code, message }
  expect(failureWords(refusal, inLanguage('en'))).toEqual({ text: message, detail: null })
  expect(failureWords(refusal, inLanguage('de'))).toEqual({
    text: `You submitted this expense, or it pays a wallet of yours. ${advice}`,
    detail: message,
  })
})

test.each(['unauthenticated', 'session_required'])('%s promises to keep nothing', (code) => {
  const { text } = failureWords({ code, message: 'Sign in.' }, inLanguage('en'))
  expect(text).toBe('Your session has ended. Copy what you have typed, then sign in again.')
})

test('a code of a newer service keeps its sentence', () => {
  const refusal = { code: 'constructor', message: 'The moon is in the way.' }
  expect(failureWords(refusal, inLanguage('de')).text).toBe(refusal.message)
})
