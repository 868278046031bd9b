import { describe, expect, it } from 'vitest'
import { pathOfNotification } from './notification-route.ts'

const ID = '01975f0c-5f1e-7cc3-8e0b-4f8f4f0c2b11'
const org = `/organizations/${ID}`

describe('a notification', () => {
  it.each([
    '/wallets',
    `${org}/expenses/${ID}`,
    `${org}/payments/${ID}`,
    `${org}/support-cases/${ID}`,
    `${org}/webhooks`,
  ])('opens %s', (route) => {
    expect(pathOfNotification(route)).toBe(route)
  })

  it('opens the list of what has no page', () => {
    expect(pathOfNotification(`${org}/members/${ID}`)).toBe(`${org}/people`)
    expect(pathOfNotification(`${org}/unrecorded-payments/${ID}`)).toBe(`${org}/activity`)
  })

  it.each([
    'https://evil.example',
    '//evil.example',
    `${org}/expenses/${ID}/sign`,
    '/settings',
    '',
  ])('opens nothing else: %s', (route) => {
    expect(pathOfNotification(route)).toBeNull()
  })
})
