/** Reads secrets. One function for all, so that all follow the same strength rule. */
import { type Environment, problem } from './values.ts'

const BYTES_MIN = 32
/** By the conservative estimate below: 32 random bytes reach 145 or more, mostly 200. */
const BITS_MIN = 128

const LETTERS = /[A-Z]?[a-z]{3,}|[A-Z]{4,}/g
/** Words rarely have few vowels or four consonants in a row. */
const isWord = (letters: string): boolean => {
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0
  return vowels * 4 >= letters.length && !/[^aeiouy]{4}/i.test(letters)
}
/** 12 bits, a dictionary of 4096 words; long words count two bits per letter, up to 24. */
const bitsPerWord = (word: string): number => Math.min(Math.max(12, 2 * word.length), 24)

/** Lower case, upper case and digits alternate as in base64, unlike in words. */
function isMixed(text: string): boolean {
  const kinds = [...text.replace(/[\s._-]/g, '')].map((character) =>
    [/[a-z]/, /[A-Z]/, /[0-9]/].findIndex((kind) => kind.test(character)),
  )
  const turns = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length
  return turns * 3 >= kinds.length
}

/**
 * Upper bound of the entropy in bits: words count as drawn from a dictionary, the rest by character
 * frequency, without repetitions and sequences. A low number means a weak secret; a high number
 * does not prove a strong one.
 */
export function estimatedBits(text: string): number {
  if (isMixed(text)) return bitsOfACharacter(text) * novelLength(text)
  const words = new Set<string>()
  const rest = text
    .replace(LETTERS, (letters) => {
      if (!isWord(letters)) return letters
      words.add(letters.toLowerCase())
      return ' '
    })
    .replace(/[\s._-]+/g, ' ')
  const ofWords = [...words].reduce((bits, word) => bits + bitsPerWord(word), 0)
  return ofWords + bitsOfACharacter(rest) * novelLength(rest)
}

function bitsOfACharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / [...text].length)
  return shares.reduce((bits, share) => bits - share * Math.log2(share), 0)
}

const SEQUENCES = 'qwertyuiopasdfghjklzxcvbnm abcdefghijklmnopqrstuvwxyz 01234567890'
const WELL_KNOWN = `${SEQUENCES} ${[...SEQUENCES].reverse().join('')} `

/** Number of characters that do not end a repeated or well-known sequence of three. */
function novelLength(text: string): number {
  const whole = WELL_KNOWN + text.toLowerCase()
  let novel = Math.min(text.length, 2)
  for (let at = WELL_KNOWN.length + 2; at < whole.length; at += 1) {
    if (whole.indexOf(whole.slice(at - 2, at + 1)) === at - 2) novel += 1
  }
  return novel
}

/** In production the secret must also be hard to guess. Messages never repeat it. */
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

/** MAC secret of workers. Development falls back to SERVER_SECRET. */
export type WorkerConfig = { secret: string | undefined; previousSecret: string | undefined }

export function readWorker(env: Environment, production: boolean): WorkerConfig {
  const read = (name: 'WORKER_SECRET' | 'WORKER_SECRET_PREVIOUS') => {
    const value = env[name] || undefined
    // A weak secret is allowed as the previous one, so that it can be replaced.
    const isStrict = name === 'WORKER_SECRET' && production
    return value === undefined ? undefined : checkSecret(name, value, isStrict)
  }
  const secret = read('WORKER_SECRET') ?? (production ? undefined : env.SERVER_SECRET)
  const previousSecret = read('WORKER_SECRET_PREVIOUS')
  if (previousSecret && previousSecret === secret) {
    throw problem('WORKER_SECRET_PREVIOUS must differ from WORKER_SECRET.')
  }
  return { secret, previousSecret }
}
