/**
 * Checks what a wallet is about to sign. The message is built again from what this page knows, and has
 * to be equal to the letter: a message for another site, address or account is never passed on.
 */
import { linkMessageOf } from '@countersign/proof/link-message.ts'

export type LinkExpectation = {
  origin: string
  address: string
  chainId: number
  accountId: string
  challengeId: string
  now: Date
}

export type LinkCheck = {
  isSafe: boolean
  /** What is wrong, for people; empty if it is safe. */
  problems: ('domain' | 'address' | 'account' | 'chain' | 'expired' | 'altered')[]
  expiresAt: string | null
}

/** The service gives ten minutes. More would be a message kept for later. */
const LIFETIME_MAX_MS = 11 * 60_000
/** Clocks of people and services differ. */
const SKEW_MS = 2 * 60_000

const lineOf = (message: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1]

const dateOf = (text: string | undefined): Date | null => {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}

export function checkLinkMessage(message: string, expected: LinkExpectation): LinkCheck {
  const { origin, address, chainId, accountId, challengeId, now } = expected
  const nonce = lineOf(message, 'Nonce') ?? ''
  const issuedAt = dateOf(lineOf(message, 'Issued At'))
  const expiresAt = dateOf(lineOf(message, 'Expiration Time'))
  const lines = message.split('\n')
  const isFresh =
    issuedAt !== null &&
    expiresAt !== null &&
    expiresAt > now &&
    expiresAt.getTime() - issuedAt.getTime() <= LIFETIME_MAX_MS &&
    issuedAt.getTime() <= now.getTime() + SKEW_MS
  const problems: LinkCheck['problems'] = []
  if (!lines[0]?.startsWith(`${new URL(origin).host} `) || lineOf(message, 'URI') !== origin) {
    problems.push('domain')
  }
  if (lines[1]?.toLowerCase() !== address.toLowerCase()) problems.push('address')
  if (!message.includes(` account ${accountId}.\n`)) problems.push('account')
  if (lineOf(message, 'Chain ID') !== String(chainId)) problems.push('chain')
  if (!isFresh) problems.push('expired')
  if (problems.length === 0 && issuedAt && expiresAt) {
    const own = { origin, address, chainId, accountId, challengeId, nonce, issuedAt, expiresAt }
    if (!isSame(message, own)) problems.push('altered')
  }
  return {
    isSafe: problems.length === 0,
    problems,
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}

function isSame(message: string, own: Parameters<typeof linkMessageOf>[0]): boolean {
  try {
    return linkMessageOf(own) === message
  } catch {
    return false
  }
}
