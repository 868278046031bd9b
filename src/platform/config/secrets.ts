/** How a secret is read. One function for all of them, so that none has a weaker rule. */
import { type Environment, problem } from './values.ts'

const BYTES_MIN = 32
/** By the estimate below, which is low: of 32 random bytes it says 145 or more, mostly 200. */
const BITS_MIN = 128

const LETTERS = /[A-Z]?[a-z]{3,}|[A-Z]{4,}/g
/** As words are spoken: four consonants in a row, or few vowels, are rare in them. */
const isWord = (letters: string): boolean => {
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0
  return vowels * 4 >= letters.length && !/[^aeiouy]{4}/i.test(letters)
}
/** A dictionary of 4096 words; long ones are worth two bits a letter, up to 24. */
const bitsOfAWord = (word: string): number => Math.min(Math.max(12, 2 * word.length), 24)

/** Small letters, capitals and digits take turns as they do in base64, and hardly in words. */
function isMixed(text: string): boolean {
  const kinds = [...text.replace(/[\s._-]/g, '')].map((character) =>
    [/[a-z]/, /[A-Z]/, /[0-9]/].findIndex((kind) => kind.test(character)),
  )
  const turns = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length
  return turns * 3 >= kinds.length
}

/**
 * How hard the text is to guess at most, in bits: its words as if drawn from a dictionary, the rest
 * by the frequencies of its characters, without repetitions and sequences. A low number means a
 * weak secret; a high number does not mean a strong one.
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
  const ofWords = [...words].reduce((bits, word) => bits + bitsOfAWord(word), 0)
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

/** How many characters do not end three that were there before, or that everybody knows. */
function novelLength(text: string): number {
  const whole = WELL_KNOWN + text.toLowerCase()
  let novel = Math.min(text.length, 2)
  for (let at = WELL_KNOWN.length + 2; at < whole.length; at += 1) {
    if (whole.indexOf(whole.slice(at - 2, at + 1)) === at - 2) novel += 1
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

/** Seals what only workers may write. Without one of its own, development takes SERVER_SECRET. */
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
