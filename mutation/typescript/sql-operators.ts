/** Wrong versions of a statement in a store: conditions lost, comparisons changed. */
import type { Change } from '#mutation/mutant.ts'

type Found = Change & { rule: string }
type Rule = { rule: string; pattern: RegExp; replace(match: RegExpMatchArray): string }

const VALUE = String.raw`(?:\$\{[^{}]*\}(?:::[\w[\]]+)?|now\(\)|null|'[^']*'|[\w."]+)`
const COMPARED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '<>',
  '<>': '=',
}

const RULES: readonly Rule[] = [
  {
    rule: 'SQL condition removed',
    pattern: new RegExp(
      String.raw`\band (?:not )?[\w."]+ (?:=|<>|<=|>=|<|>|is|is not) ${VALUE}`,
      'g',
    ),
    replace: () => '',
  },
  {
    rule: 'SQL comparison changed',
    pattern: /(?<= )(?:<=|>=|<>|<|>)(?= )/g,
    replace: ([operator]) => COMPARED[operator] ?? operator,
  },
  {
    rule: 'SQL state dropped from a list',
    pattern: /(?<=in \((?:'\w+', )*)'\w+', (?='\w)/g,
    replace: () => '',
  },
  {
    rule: 'SQL lock removed',
    pattern: / for (?:no key )?update\b(?: of \w+)?/g,
    replace: () => '',
  },
]

/** `text` is the tagged template as it stands in the file, which begins at `start`. */
export function sqlChanges(text: string, start: number): Found[] {
  if (!text.startsWith('sql`')) return []
  return RULES.flatMap(({ rule, pattern, replace }) =>
    [...text.matchAll(pattern)].map((match) => ({
      rule,
      index: start + match.index,
      before: match[0],
      after: replace(match),
    })),
  )
}
