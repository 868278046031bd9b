import { expect, it } from 'vitest'
import { isWebhookUrl } from './webhook-url.ts'

it('sends to https only', () => {
  const urls = [
    'https://hooks.example.com/a',
    'http://hooks.example.com',
    'https://user@hooks.example.com',
    'hooks.example.com',
    '',
  ]
  expect(urls.map(isWebhookUrl)).toEqual([true, false, false, false, false])
})
