/** How a secret is read. One function for all of them, so that none has a weaker rule. */
import { type Environment, problem } from './config-values.ts'

const BYTES_MIN = 32
/** Below it a secret can be guessed by whoever has something that was made with it. */
const BITS_MIN = 128

/** Three letters or more after the first, in one case: taken for a word of a dictionary. */
const WORD = /[A-Z]?[a-z]{3,}|[A-Z]{4,}/g
/** A dictionary of 4096 words. */
const BITS_OF_A_WORD = 12

/**
 * How hard the text is to guess at most, in bits: its words as if drawn from a dictionary, the rest
 * by the frequencies of its characters, without repetitions and sequences. 32 random bytes in hex
 * or base64 are far above `BITS_MIN`. A low number means a weak secret; a high number does not mean
 * a strong one.
 */
export function estimatedBits(text: string): number {
  const words = new Set(text.match(WORD)?.map((word) => word.toLowerCase()))
  const rest = text.replace(WORD, '')
  return BITS_OF_A_WORD * words.size + bitsOfACharacter(rest) * novelLength(rest)
}

function bitsOfACharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / [...text].length)
  return shares.reduce((bits, share) => bits - share * Math.log2(share), 0)
}

/** Characters that neither repeat three characters seen before nor continue a sequence. */
function novelLength(text: string): number {
  let novel = 0
  for (let at = 0; at < text.length; at += 1) {
    const isSeen = at >= 2 && text.indexOf(text.slice(at - 2, at + 1)) < at - 2
    const step = (n: number) => text.charCodeAt(n) - text.charCodeAt(n - 1)
    const isSequence = at >= 2 && Math.abs(step(at)) <= 1 && step(at) === step(at - 1)
    if (!isSeen && !isSequence) novel += 1
  }
  return novel
}

/** `production`: it must also be hard to guess. The value is never repeated. */
export function checkSecret(name: string, value: string, production: boolean): string {
  if (Buffer.byteLength(value) < BYTES_MIN) {
    throw problem(`${name} must have 32 bytes or more: try \`openssl rand -base64 48\`.`)
  }
  if (production && estimatedBits(value) < BITS_MIN) {
    throw problem(
      `${name} is too easy to guess: make a random one with \`openssl rand -base64 48\`.`,
    )
  }
  return value
}

export const readSecret = (env: Environment, name: string, production: boolean): string =>
  checkSecret(name, env[name] ?? '', production)
