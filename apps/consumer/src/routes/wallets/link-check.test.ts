import { linkMessageOf } from '@countersign/proof/link-message.ts'
import { describe, expect, it } from 'vitest'
import { checkLinkMessage } from './link-check.ts'

const now = new Date('2026-03-01T10:00:30.000Z')
const own = {
  origin: 'https://app.example.com',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  chainId: 1,
  accountId: '01a1e608-e511-7acc-bbc9-8da285575039',
  challengeId: '01a1e608-e5c2-7dde-b66a-afa5d6366217',
  nonce: '8073167a53199384d369441ebc7cba75',
  issuedAt: new Date('2026-03-01T10:00:00.000Z'),
  expiresAt: new Date('2026-03-01T10:10:00.000Z'),
}
const { nonce: _nonce, issuedAt: _issued, expiresAt: _expires, ...expected } = own
const problemsOf = (change: Partial<typeof own>) =>
  checkLinkMessage(linkMessageOf({ ...own, ...change }), { ...expected, now }).problems

describe('the message that links a wallet', () => {
  it('is passed on if it says what the page knows', () => {
    const check = checkLinkMessage(linkMessageOf(own), { ...expected, now })
    expect(check).toEqual({ isSafe: true, problems: [], expiresAt: '2026-03-01T10:10:00.000Z' })
  })

  it('is refused for another site', () => {
    expect(problemsOf({ origin: 'https://app.example.com.evil.example' })).toEqual(['domain'])
  })

  it('is refused for another address', () => {
    expect(problemsOf({ address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' })).toEqual([
      'address',
    ])
  })

  it('is refused for another account', () => {
    expect(problemsOf({ accountId: own.challengeId })).toEqual(['account'])
  })

  it('is refused for another chain or challenge', () => {
    expect(problemsOf({ chainId: 5 })).toEqual(['chain'])
    expect(problemsOf({ challengeId: own.accountId })).toEqual(['altered'])
  })

  it('is refused if it has expired, or lives longer than it should', () => {
    expect(problemsOf({ expiresAt: new Date('2026-03-01T10:00:20Z') })).toEqual(['expired'])
    expect(problemsOf({ expiresAt: new Date('2026-03-02T10:00:00Z') })).toEqual(['expired'])
  })

  it('is refused if it says anything more', () => {
    const more = `${linkMessageOf(own)}\nResources:\n- https://evil.example`
    expect(checkLinkMessage(more, { ...expected, now }).problems).toEqual(['altered'])
  })
})
