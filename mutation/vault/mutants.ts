/** Small wrong versions of the vault, made by rules over the text of its sources. */
import { type Change, type Mutant, mutantOf } from '#mutation/mutant.ts'

type Rule = { name: string; find(code: string): Change[] }

/** Comments and imports become spaces, so that places stay where they are. */
const blank = (source: string): string =>
  source.replaceAll(/\/\/.*|^import .*|^pragma .*/gm, (text) => ' '.repeat(text.length))

/** Every match of `pattern`, with what `replace` makes of it; nothing when it gives the same. */
const all = (
  code: string,
  pattern: RegExp,
  replace: (match: RegExpMatchArray) => string | string[],
): Change[] =>
  [...code.matchAll(pattern)].flatMap((match) =>
    [replace(match)]
      .flat()
      .filter((after) => after !== match[0])
      .map((after) => ({ index: match.index, before: match[0], after })),
  )

const swap = (pairs: readonly (readonly [string, string])[]) => {
  const table = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]))
  return ([text]: RegExpMatchArray) => table.get(text ?? '') ?? ''
}

/** A value of nothing for an argument, guessed from its name; the compiler refuses bad guesses. */
function nothing(argument: string): string {
  if (/sender|owner|executor|recipient|approver|token/.test(argument)) return 'address(0)'
  if (/Id$|[hH]ash|digest/.test(argument)) return 'bytes32(0)'
  if (/mode/.test(argument)) return 'Mode(1 - uint8(mode))'
  return '0'
}

/** Arguments of an event: each one lost, and each two neighbours exchanged. */
function eventChanges(code: string): Change[] {
  return all(code, /emit (\w+)\(([^;]*)\);/g, ([, name, list = '']) => {
    const args = list.split(/,(?![^(]*\))/).map((text) => text.trim())
    const event = (changed: string[]) => `emit ${name}(${changed.join(', ')});`
    const lost = args.map((arg, place) => event(args.with(place, nothing(arg))))
    const exchanged = args.slice(1).map((arg, place) => {
      return event(args.with(place, arg).with(place + 1, args[place] as string))
    })
    return [...lost, ...exchanged]
  })
}

const MOVED_BY_ONE = [
  ['<', '<='],
  ['>', '>='],
] as const

const RULES: readonly Rule[] = [
  {
    name: 'guard removed',
    find: (code) => [
      ...all(code, /if \([^;{]*\)\s*(?:\{\s*revert[^;]*;\s*\}|revert[^;]*;)/g, () => ''),
      ...all(code, /if \([^;{]*\) return [^;]*;/g, () => ''),
      ...all(code, /(?<=^ +)(?:PolicyRules\.)?require_\((?!bool)[^;]*\);/gm, () => ''),
    ],
  },
  {
    name: 'modifier removed',
    find: (code) =>
      all(
        code,
        /(?<=(?:external|public) .*|(?:external|public)\s+)\b(?:onlyOwner\w*|nonReentrant) ?/g,
        () => '',
      ),
  },
  {
    name: 'comparison changed',
    find: (code) => [
      ...all(code, /(?<= )(?:<=|>=|<|>)(?= )/g, swap(MOVED_BY_ONE)),
      ...all(code, /(?<= )(?:==|!=)(?= )(?!.*revert)(?<!require_.*)/g, swap([['==', '!=']])),
    ],
  },
  {
    name: 'logic changed',
    find: (code) => [
      ...all(code, /&&|\|\|/g, swap([['&&', '||']])),
      ...all(code, /return (?:true|false)/g, swap([['return true', 'return false']])),
    ],
  },
  {
    name: 'arithmetic changed',
    find: (code) => [
      ...all(code, /(?<= )[+-](?= )/g, swap([['+', '-']])),
      ...all(code, /(?<= )[*/](?= )/g, swap([['*', '/']])),
      ...all(code, /\+=/g, () => '='),
    ],
  },
  {
    name: 'effect or check removed',
    find: (code) => [
      ...all(code, /(?<=^ {8,})[\w.]+(?:\[[^;=]*\])? \+?= [^;]*;/gm, () => ''),
      ...all(code, /(?<=^ {8,})\([^;=]*\) = [^;]*;/gm, () => ''),
      ...all(code, /(?<=^ {8,})(?:emit |delete |\+\+)[^;]*;/gm, () => ''),
      ...all(code, /(?<=^ {8,})if \([^;{]*\) (?!revert|return)[^;{]*;/gm, () => ''),
      ...all(
        code,
        /(?<=^ {8,})(?:_check|_pay|_require|_set|_carry|_add|_change|configure)[^;]*;/gm,
        () => '',
      ),
      ...all(code, /(?<=^ {8,})(?:token|other|PolicyRules)\.(?:safe|check)[^;]*;/gm, () => ''),
    ],
  },
  {
    name: 'field of the digest lost',
    find: (code) =>
      all(
        code,
        /(?<=abi\.encode\([^;]*)^ {16}([\w.]+)(?=,?$)/gm,
        () => `${' '.repeat(16)}uint256(0)`,
      ),
  },
  {
    name: 'field of the policy lost',
    find: (code) =>
      all(code, /(?<=Policy\(\{[^;]*)(?:config|stored)\.(\w+)/g, ([, field = '']) =>
        field === 'executor'
          ? 'address(0xe)'
          : /Enabled|paused/.test(field)
            ? ['false', 'true']
            : '0',
      ),
  },
  { name: 'argument of an event lost or exchanged', find: eventChanges },
  {
    name: 'constant changed',
    find: (code) => [
      ...all(code, /(?<=(?:MAX|MIN|WINDOW|PERIOD) = )\d+[^;]*/g, ([text]) => [
        `${text} - 1`,
        `${text} + 1`,
      ]),
      ...all(code, /"CountersignVault"|"1"/g, () => '"x"'),
      ...all(code, /(?<=bytes32 )reportHash,(?=bytes32)/g, () => 'hash,'),
    ],
  },
  {
    name: 'another thing in its place',
    find: (code) => [
      ...all(
        code,
        /_policy\.(?:approved|automatic)Cap/g,
        swap([['_policy.approvedCap', '_policy.automaticCap']]),
      ),
      ...all(
        code,
        /Mode\.(?:Approved|Automatic)(?=,)/g,
        swap([['Mode.Approved', 'Mode.Automatic']]),
      ),
      ...all(
        code,
        /approvalInvalidated\[(?:owner|approver)\]/g,
        () => 'approvalInvalidated[msg.sender]',
      ),
      ...all(code, /approvalInvalidated\[msg\.sender\]/g, () => 'approvalInvalidated[owner]'),
      ...all(code, /waiting\.(?:pause|revocation)Number/g, () => 'type(uint64).max'),
      ...all(code, /_revocationNumber(?=\))/g, () => '0'),
      ...all(code, /isFirst \? 0 :/g, () => 'isFirst ? 1 :'),
      ...all(code, /_period(?:Total|Automatic)\b/g, swap([['_periodTotal', '_periodAutomatic']])),
      ...all(
        code,
        /_policy\.(?:p|automaticP)eriodCap/g,
        swap([['_policy.periodCap', '_policy.automaticPeriodCap']]),
      ),
      ...all(code, /_lengthOf\(\w+\)/g, () => 'DEFAULT_PERIOD'),
      ...all(code, /NO_PERIOD;/g, () => '_period;'),
      ...all(code, /(?<=safeTransfer\()[\w.]+/g, () => 'msg.sender'),
      ...all(
        code,
        /_policy\.(?:reserveFloor|lifetimeCap)/g,
        swap([['_policy.reserveFloor', '_policy.lifetimeCap']]),
      ),
      ...all(code, /reportHash, expenseVersionHash/g, () => 'expenseVersionHash, reportHash'),
      ...all(code, /(?<=_requireBalance\()[\w.()]+(?=,)/g, () => 'owner'),
    ],
  },
]

export function mutantsOf(file: string, source: string): Mutant[] {
  const code = blank(source)
  return RULES.flatMap(({ name, find }) =>
    find(code).map((change) => mutantOf({ file, source, rule: name }, change)),
  )
}
