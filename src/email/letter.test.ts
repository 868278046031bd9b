import { describe, expect, test } from 'vitest'
import { categories } from '#push/preferences.ts'
import { invitationLetter } from './invitation-letter.ts'
import { quoted, renderLetter } from './letter.ts'
import { notificationLetter } from './notification-letter.ts'

describe('text that people wrote', () => {
  test.each([
    ['is kept', 'Printers Limited', 'Printers Limited'],
    ['keeps letters of every script', 'Bücher 本屋 📚', 'Bücher 本屋 📚'],
    ['becomes one line', 'a\r\nBcc: eve@evil.example', 'a Bcc: eve@evil․example'],
    ['loses control characters', 'a\u0000b\u001bc\u007fd', 'abcd'],
    ['loses direction marks', 'invoice\u202efdp.exe', 'invoicefdp․exe'],
    ['loses invisible characters', 'a\u200bb\u2060c', 'abc'],
    ['does not become a link', 'see https://evil.example/x', 'see https: //evil․example/x'],
    ['does not become a link without a scheme', 'www.evil.example', 'www․evil․example'],
    ['keeps full stops at the end of words', 'J. Smith Ltd.', 'J. Smith Ltd.'],
    ['has no lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_what, text, expected) => {
    expect(quoted(text, 100)).toBe(expected)
  })

  test('is cut at a whole character', () => {
    expect(quoted('😀'.repeat(10), 5)).toBe('😀😀😀😀…')
    expect(quoted('abcde', 5)).toBe('abcde')
  })
})

const hostile = '<img src=x onerror="alert(1)">&\'</td></table><a href="https://evil.example">'
const facts = {
  organizationName: hostile,
  purpose: hostile,
  recipientLabel: hostile,
  submitterName: hostile,
  caseSubject: hostile,
}
const url = 'https://app.example/organizations/1/expenses/2'
const unsubscribeUrl = 'https://web.example/unsubscribe?token=a&b'

describe('the e-mail about an event', () => {
  test.each(categories)('%s escapes everything in its HTML', (category) => {
    const letter = notificationLetter({ category, facts, url, unsubscribeUrl })
    const { html, text, subject } = renderLetter(letter)
    const tags = [...html.matchAll(/<\/?([a-z!]+)/gi)].map(([, name = '']) => name.toLowerCase())
    const allowed = ['!doctype', 'html', 'head', 'meta', 'title', 'body', 'p', 'table', 'tr', 'td']
    expect(tags.filter((tag) => ![...allowed, 'a', 'br'].includes(tag))).toEqual([])
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
    expect(links).toEqual([url, unsubscribeUrl.replace('&', '&amp;')])
    expect(html).not.toMatch(/onerror="|evil\.example/)
    expect(text).not.toMatch(/:\/\/evil|evil\.example/)
    expect(subject).not.toMatch(/[\r\n]/)
    expect(subject.length).toBeLessThan(120)
  })

  test('says what it is about, and links to it and to unsubscribing', () => {
    const letter = notificationLetter({
      category: 'review_needed',
      facts: {
        organizationName: 'Acme',
        purpose: 'Printing of 500 leaflets',
        recipientLabel: 'Printers Limited',
        submitterName: null,
        caseSubject: null,
      },
      url,
      unsubscribeUrl,
    })
    const { subject, text } = renderLetter(letter)
    expect(subject).toBe('An expense needs your review (Acme)')
    expect(text).toBe(`An expense is waiting for your review.

Organization: Acme
Purpose: Printing of 500 leaflets
Recipient: Printers Limited

Open in the application:
${url}

--
You received this e-mail because of your role in Acme.

Unsubscribe from e-mails of this kind: ${unsubscribeUrl}
`)
  })
})

describe('the e-mail with an invitation', () => {
  const invitation = { role: 'manager', expiresAt: '2026-11-10T11:02:00.000Z' } as const
  const token = 'https://app.example/join/token'

  test('names organization, inviter, role and expiry', () => {
    const names = { organizationName: 'Acme', inviterName: 'Ana Ruiz' }
    const { subject, text, html } = renderLetter(
      invitationLetter({ ...invitation, ...names, url: token }),
    )
    expect(subject).toBe('Invitation to Acme')
    expect(text).toContain('Ana Ruiz invites you to join Acme as a manager.')
    expect(text).toContain('2026-11-10 at 11:02 UTC')
    expect(text).toContain(token)
    expect(html).toContain(`href="${token}"`)
  })

  test('contains no link that somebody put into a name', () => {
    const names = {
      organizationName: 'Your account is locked: https://evil.example',
      inviterName: null,
    }
    const { text, html, subject } = renderLetter(
      invitationLetter({ ...invitation, ...names, url: token }),
    )
    for (const part of [text, html, subject]) expect(part).not.toMatch(/:\/\/evil|evil\.example/)
    expect(text).toContain('A member invites you')
  })
})
