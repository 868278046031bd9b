/**
 * Checks of the purpose: what it says and what it hides. Its author wants to be paid, so a report
 * never quotes it; the details only name what was found and how often.
 */
import { type Check, check, count, fail, pass, warn } from './check.ts'
import { encodedBlobs } from './encoded-text.ts'
import { instructionKinds } from './instruction-patterns.ts'
import { formsOf, plain } from './purpose-text.ts'

const WEIGHT_MIN = 8
/**
 * A character of a logographic or syllabic script carries about as much meaning as three letters.
 */
const DENSE_CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const DENSE_WEIGHT = 3
const DISTINCT_MIN = 4
const REFERENCE_DIGITS = 3

/** Words that fit any expense: a purpose of these alone says nothing. In plain form. */
const stockLists = [
  'a an and the for of to in on my our your this that it is as by with from me us please',
  'payment payments pay paid invoice invoices bill bills expense expenses cost costs fee fees',
  'money reimbursement reimburse refund transfer funds amount purchase purchases order work',
  'service services misc miscellaneous various other others stuff things thing something general',
  'test testing tests tbd todo na none nothing urgent asap important monthly weekly usual regular',
  'discussed agreed usdc usd crypto wallet company office need needed required request requested',
  'rechnung rechnungen zahlung zahlungen kosten ausgaben spesen erstattung geld diverses sonstiges',
  'thanks und fur die der das bitte danke wie besprochen uberweisung dringend',
  'facture factures paiement frais depense depenses remboursement divers argent merci pour le la',
  'les factura facturas pago pagos gasto gastos reembolso dinero varios urgente por para el los',
  'fatura pagamento pagamentos despesa despesas fattura spese rimborso soldi varie per di il',
  'betaling factuur kosten onkosten diversen voor de het platnosc faktura koszty za',
  'оплата платеж счет расходы деньги возмещение за и прочее срочно',
  '付款 报销 费用 支付 发票 支払い 経費 請求書 지급 비용',
]

const stockWords: ReadonlySet<string> = new Set(stockLists.flatMap((list) => list.split(' ')))

const isMeaningful = (word: string): boolean =>
  !stockWords.has(word) &&
  (/\p{L}/u.test(word) || (word.match(/\p{N}/gu) ?? []).length >= REFERENCE_DIGITS)

const weakPurpose = check('weak_purpose', ({ expense: { purpose } }) => {
  const text = plain(purpose)
  const characters = [...text].filter((character) => /[\p{L}\p{N}]/u.test(character))
  const weight = characters.reduce(
    (sum, character) => sum + (DENSE_CHARACTER.test(character) ? DENSE_WEIGHT : 1),
    0,
  )
  const size = count(characters.length, 'letter or digit', 'letters and digits')
  if (!/\p{L}/u.test(text)) return warn(`The purpose has ${size} and no letters.`)
  if (weight < WEIGHT_MIN) {
    return warn(
      `The purpose has only ${size}, fewer than the ${WEIGHT_MIN} needed to describe an expense.`,
    )
  }
  if (
    !characters.some((character) => DENSE_CHARACTER.test(character)) &&
    new Set(characters).size < DISTINCT_MIN
  ) {
    return warn(
      `The purpose repeats ${count(new Set(characters).size, 'sign')} and describes nothing.`,
    )
  }
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.some(isMeaningful)
    ? pass(`The purpose has ${count(words.length, 'word')} and ${size}.`)
    : warn(`The purpose has ${count(words.length, 'word')} that would fit any expense.`)
})

const hiddenInstructions = check('hidden_instructions', ({ expense: { purpose } }) => {
  const forms = formsOf(purpose)
  const found = instructionKinds.filter(({ isIn }) => isIn(forms))
  if (found.length === 0) return pass('The purpose contains no instructions to its reader.')
  const detail = `The purpose ${found.map(({ does }) => does).join(', and ')}.`
  return found.some(({ isStrong }) => isStrong) ? fail(detail) : warn(detail)
})

/** Characters that change the writing direction or carry invisible letters. */
const DECEIVING = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}/gu
/** Invisible characters join and style emoji, and letters of some scripts. */
const JOINED_EMOJI =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic})/gu
const EMOJI_STYLE = /(?<=[\p{Emoji}\p{Extended_Pictographic}])\ufe0f/gu
const JOINED_LETTERS = /(?<=[\p{sc=Arab}\p{sc=Deva}\p{sc=Beng}\p{sc=Mlym}\p{M}])[\u200c\u200d]/gu
const DIRECTION_MARKS = /[\u200e\u200f\u061c]/gu
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\u2028\u2029]/gu
const STACKED_MARKS = /\p{M}{4}/u
/** A word that mixes two alphabets by look-alike letters. */
const LOOK_ALIKE = '[\\p{Script=Cyrillic}ΑΒΕΖΗΙΚΜΝΟΡΤΥΧορνικα]'
const MIXED_LETTERS = new RegExp(
  `\\p{Script=Latin}${LOOK_ALIKE}|${LOOK_ALIKE}\\p{Script=Latin}`,
  'gu',
)

const countMatches = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0

const hiddenCharacters = check('hidden_characters', ({ expense: { purpose } }) => {
  const text = purpose.replace(FLAG, '')
  const deceiving = countMatches(DECEIVING, text)
  if (deceiving > 0) {
    const characters = count(deceiving, 'character')
    return fail(`The purpose has ${characters} that reverse the text or hide letters in it.`)
  }
  const withoutLegitimate = text
    .replace(JOINED_EMOJI, '')
    .replace(EMOJI_STYLE, '')
    .replace(JOINED_LETTERS, '')
    .replace(DIRECTION_MARKS, (mark) => (RIGHT_TO_LEFT.test(text) ? '' : mark))
  const invisible = countMatches(INVISIBLE, withoutLegitimate)
  if (invisible > 0) {
    return warn(`The purpose has ${count(invisible, 'character')} that are invisible.`)
  }
  const mixed = countMatches(MIXED_LETTERS, text)
  if (mixed > 0) {
    return warn(
      `The purpose mixes look-alike letters of two alphabets in ${count(mixed, 'place')}.`,
    )
  }
  if (STACKED_MARKS.test(text.normalize('NFC'))) {
    return warn('The purpose stacks 4 or more marks on one letter.')
  }
  return pass('The purpose has 0 characters that are hidden or look like others.')
})

const encodedText = check('encoded_text', ({ expense: { purpose } }) => {
  const found = encodedBlobs(purpose)
  return found === 0
    ? pass('The purpose has 0 pieces of encoded text.')
    : warn(`The purpose has ${count(found, 'piece')} of encoded text that people cannot read.`)
})

const IDENTIFIERS = [
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
  /\b0x[0-9a-f]{40,64}\b/g,
  /\b(?:org|tenant|acct|account|vault|exp|expense|pay|payment|user)_[a-z0-9]{6,40}\b/g,
]

const identifiers = check('identifiers', ({ expense: { purpose } }) => {
  const text = plain(purpose)
  const found = IDENTIFIERS.reduce((sum, pattern) => sum + countMatches(pattern, text), 0)
  return found === 0
    ? pass('The purpose has 0 addresses or ids in it.')
    : warn(`The purpose has ${count(found, 'address or id', 'addresses or ids')} in it.`)
})

const MARKUP = [
  /<[/!]?[a-z][a-z0-9_:-]{0,30}(?:[ /\n][^<>]{0,300})?>/g,
  /<(?:img|script|iframe|svg|a|object|embed|style|link|meta|form|input|body|html|video)[ /\n]/g,
  /<!--/g,
  /<\?(?:xml|php)|<!\[cdata\[|<!doctype/g,
  /&(?:lt|gt|quot|#x?[0-9a-f]{1,6});/g,
  /\]\(|!\[|\]: ?https?:/g,
  /```|~~~/g,
  /(?:^|\n)#{2,6} /g,
  /\*\*[^*\n]{1,100}\*\*/g,
  /\b(?:javascript|vbscript):|\bdata:[a-z]{1,20}\//g,
]

const markup = check('markup', ({ expense: { purpose } }) => {
  const text = plain(purpose)
  const found = MARKUP.reduce((sum, pattern) => sum + countMatches(pattern, text), 0)
  return found === 0
    ? pass('The purpose is text without markup.')
    : warn(`The purpose has ${count(found, 'piece')} of HTML, Markdown or code in it.`)
})

export const purposeChecks: readonly Check[] = [
  weakPurpose,
  hiddenInstructions,
  hiddenCharacters,
  encodedText,
  identifiers,
  markup,
]
