/** Prompt-injection patterns in a purpose, by aim and strength of the signal. */
import { englishSqueezed, englishWords } from './english-instructions.ts'
import { foreignSqueezed, foreignWords } from './foreign-instructions.ts'
import type { PatternsByAim } from './instruction-words.ts'
import type { PurposeForms } from './purpose-text.ts'

/** Markers of a chat, an answer or a tool call, matched on the plain text with its punctuation. */
const imitations: RegExp[] = [
  /<\|[a-z_]{1,30}\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:purpose|system|prompt|untrusted|data)>|<\/s>/,
  /["'“”](?:recommendation|risk_?score|outcome|checks|fits|summary|approved|role)["'“”] ?:/,
  /["'“”](?:tool_calls?|function|arguments|verdict|decision|concerns|state|action)["'“”] ?:/,
  /\b(?:recommendation|risk[ _-]?score|outcome|verdict|decision) ?[:=] ?["']?(?:approv|pass|pay)/,
  /\b(?:recommendation|risk[ _-]?score|outcome|verdict|decision) ?[:=] ?["']?(?:clean|low|0|yes)/,
  /\b(?:tool|function)_(?:call|use|result)s?\b/,
  /\b[a-z]{1,20}_[a-z_]{1,40}\(|\b(?:approve|release|transfer|pay|execute|exec|eval|fetch)\(/,
  /\bsudo |\brm -rf|\b(?:curl|wget) https?:|; ?drop table|\bunion select|\bor 1 ?= ?1/,
  /\{\{|\{%|\$\{|\$\([a-z]{2,20} |<%/,
]

/** A weaker signal: a list of equipment may begin like this as well. */
const chatTurns: RegExp[] = [
  /(?:^|\n|[[<(#*]) ?(?:system|assistant|human) ?(?:message|prompt|note)? ?[:\]>]/,
]

export type InstructionKind = {
  /** A phrase that follows "the purpose". */
  does: string
  isStrong: boolean
  isIn: (forms: PurposeForms) => boolean
}

const isAnyIn = (patterns: readonly RegExp[], texts: readonly string[]): boolean =>
  patterns.some((pattern) => texts.some((text) => pattern.test(text)))

const ordersTo =
  (aim: keyof PatternsByAim) =>
  ({ words, squeezed }: PurposeForms): boolean =>
    isAnyIn([...englishWords[aim], ...foreignWords[aim]], words) ||
    isAnyIn([...englishSqueezed[aim], ...foreignSqueezed[aim]], squeezed)

export const instructionKinds: readonly InstructionKind[] = [
  { does: 'tells its reader to set rules aside', isStrong: true, isIn: ordersTo('override') },
  { does: 'gives its reader a role or an address', isStrong: true, isIn: ordersTo('role') },
  { does: 'dictates an answer or an action', isStrong: true, isIn: ordersTo('answer') },
  {
    does: 'imitates a system message, an answer or a call',
    isStrong: true,
    isIn: ({ plain }) => isAnyIn(imitations, [plain]),
  },
  {
    does: 'has a line that begins like a turn of a conversation',
    isStrong: false,
    isIn: ({ plain }) => isAnyIn(chatTurns, [plain]),
  },
  // People write some of these in good faith, so a person decides.
  { does: 'asks for approval or less scrutiny', isStrong: false, isIn: ordersTo('approval') },
]
