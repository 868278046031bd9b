/** The house rules, held over the whole tree. That each of them can fail is shown in `tidy/`. */
import { describe, expect, test } from 'vitest'
import {
  dateProblems,
  defaultExportProblems,
  environmentProblems,
  fetchProblems,
  indexProblems,
  injectionProblems,
  sqlProblems,
  stateProblems,
  transactionProblems,
  viemProblems,
} from '#test/tidy/contents.ts'
import {
  cycleProblems,
  developmentProblems,
  ringProblems,
  typesOnlyProblems,
  wallProblems,
} from '#test/tidy/imports.ts'
import { lockProblems, pinProblems } from '#test/tidy/packages.ts'
import { columnProblems, fileProblems, functionProblems } from '#test/tidy/sizes.ts'
import { codeOf, type Exceptions, readSource, readSources } from '#test/tidy/source.ts'

/** What the rules let pass, each by name and with its reason. */
const longFiles: Exceptions = {}
const longFunctions: Exceptions = {}
const sqlElsewhere: Exceptions = {
  'src/cli/audit.ts': 'opens the read-only transaction in which the trail is verified',
}
const valuesInText: Exceptions = {
  'src/platform/migrate.ts': "the schema's name, a constant, cannot be a parameter",
  'src/dev/embedded-postgres.ts': 'a password made here; a role statement takes no parameters',
}

const src = readSources('src', ['.ts'])
const typescript = [...src, ...readSources('test', ['.ts'])]
const everything = [...typescript, ...readSources('migrations', ['.sql'])]

const json = (path: string) => JSON.parse(readSource(path).text)

test('the tree is read', () => {
  expect(src.map(({ path }) => path)).toContain('src/organizations/members.store.ts')
  expect(everything.map(({ path }) => path)).toContain('migrations/0001_foundation.sql')
})

test('the scanner finds its way: in every file each bracket has its other half', () => {
  const halves = (code: string) => ['(', ')', '{', '}', '[', ']'].map((b) => code.split(b).length)
  const lost = typescript.filter(({ text }) => {
    const [a, b, c, d, e, f] = halves(codeOf(text))
    return a !== b || c !== d || e !== f
  })
  expect(lost.map(({ path }) => path)).toEqual([])
})

describe('imports', () => {
  test('go inwards through the rings and upstream through the rooms', () => {
    expect(ringProblems(src)).toEqual([])
  })

  test('show every wall they cross: ./ stays, # crosses, nothing climbs', () => {
    expect(wallProblems(typescript)).toEqual([])
  })

  test('never lead from production to a development part', () => {
    expect(developmentProblems(src)).toEqual([])
  })

  test('make no circle', () => {
    expect(cycleProblems(src)).toEqual([])
  })

  test('of the context and the ports are types, and so is all they hold', () => {
    expect(typesOnlyProblems(src)).toEqual([])
  })

  test('of viem stand where addresses, digests and the chain are handled', () => {
    expect(viemProblems(src)).toEqual([])
  })
})

describe('a file', () => {
  test('has a name that says something', () => {
    expect(indexProblems(typescript)).toEqual([])
  })

  test('exports names, no default', () => {
    expect(defaultExportProblems(src)).toEqual([])
  })

  test('has at most 300 lines', () => {
    expect(fileProblems(longFiles)(everything)).toEqual([])
  })

  test('has at most 100 columns', () => {
    expect(columnProblems(everything)).toEqual([])
  })

  test('has functions of at most 70 lines', () => {
    expect(functionProblems(longFunctions)(typescript)).toEqual([])
  })
})

test('no value stands in the text of a statement', () => {
  expect(injectionProblems(valuesInText)(src)).toEqual([])
})

describe('in one place only', () => {
  test('SQL is written in stores, in the platform and in migrations', () => {
    expect(sqlProblems(sqlElsewhere)(src)).toEqual([])
  })

  test('the environment is read in platform/config.ts', () => {
    expect(environmentProblems(src)).toEqual([])
  })

  test('dates are made in platform/clock.ts', () => {
    expect(dateProblems(src)).toEqual([])
  })

  test('fetch is called in adapters', () => {
    expect(fetchProblems(src)).toEqual([])
  })

  test('the state of a table is moved, by a statement that says which state it leaves', () => {
    expect(stateProblems(src)).toEqual([])
  })
})

test('nothing outside is called from within a transaction', () => {
  expect(transactionProblems(src)).toEqual([])
})

describe('dependencies', () => {
  test('are pinned to exact versions', () => {
    expect(pinProblems(json('package.json'))).toEqual([])
  })

  test('are locked by their integrity, wherever they are fetched from', () => {
    expect(lockProblems(json('package-lock.json'))).toEqual([])
  })
})
