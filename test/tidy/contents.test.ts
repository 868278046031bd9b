import { describe, expect, test } from 'vitest'
import {
  dateProblems,
  defaultExportProblems,
  environmentProblems,
  fetchProblems,
  indexProblems,
  injectionProblems,
  spreadProblems,
  sqlProblems,
  stateProblems,
  transactionProblems,
  typeNameProblems,
  viemProblems,
} from './contents.ts'
import { lockProblems, pinProblems } from './packages.ts'

const file = (path: string, text: string) => [{ path, text }]
const A = 'src/expenses/a.ts'

describe('only in its place', () => {
  test.each([
    [environmentProblems, 'const a = process.env.PORT'],
    [environmentProblems, 'const { PORT } = process\n  .env'],
    [environmentProblems, "const a = process['env']"],
    [dateProblems, 'const a = new Date()'],
    [dateProblems, 'const a = new Date'],
    [dateProblems, 'const a = Date.now()'],
    [dateProblems, 'const a = Date()'],
    [fetchProblems, "await fetch('http://a')"],
    [fetchProblems, 'await globalThis.fetch(a)'],
    [viemProblems, "import { getAddress } from 'viem'"],
    [viemProblems, "import type { Abi } from 'viem/utils'"],
    [spreadProblems, 'const a = { ...{ b, c }, d }'],
    [defaultExportProblems, 'export default a'],
    [defaultExportProblems, 'export { a as default }'],
  ])('%o notices %s', (check, text) => {
    expect(check(file(A, text))).toHaveLength(1)
    expect(check(file(A, `// ${text.replaceAll('\n', ' ')}`))).toEqual([])
  })

  test.each([
    [environmentProblems, 'src/platform/config/config.ts', 'const a = process.env.PORT'],
    [dateProblems, 'src/platform/clock.ts', 'const a = new Date()'],
    [dateProblems, A, 'const a: Date = clock.now()'],
    [dateProblems, 'src/expenses/a.test.ts', 'const a = new Date()'],
    [fetchProblems, 'src/adapters/a.ts', "await fetch('http://a')"],
    [fetchProblems, A, 'await store.fetch(a)'],
    [viemProblems, 'src/platform/digest.ts', "import { keccak256 } from 'viem'"],
    [viemProblems, 'src/dev/dev-chain.ts', "import { parseAbi } from 'viem'"],
    [viemProblems, 'src/approvals/typed-data.ts', "import { hashTypedData } from 'viem'"],
  ])('%o is content with %s: %s', (check, path, text) => {
    expect(check(file(path, text))).toEqual([])
  })

  test('a file called index is noticed', () => {
    expect(indexProblems(file('src/expenses/index.ts', ''))).toHaveLength(1)
    expect(indexProblems(file('src/expenses/index-of-names.ts', ''))).toEqual([])
  })
})

describe('SQL', () => {
  test.each([
    "import sql from 'sql-template-tag'",
    'tx.query(`select 1`)',
    "tx.query('insert into expenses values (1)')",
    'tx.query(`\n  UPDATE expenses SET state = $1`)',
    "tx.query('delete from expenses')",
    'tx.query(`with a as (select 1) select * from a`)',
    "tx.query('create table a (b int)')",
    "tx.query('begin')",
    "tx.query('begin isolation level serializable')",
    "tx.query('rollback')",
  ])('is noticed outside its places: %s', (text) => {
    expect(sqlProblems()(file(A, text))).toHaveLength(1)
    expect(sqlProblems()(file('src/expenses/expenses.store.ts', text))).toEqual([])
    expect(sqlProblems()(file('src/platform/a.ts', text))).toEqual([])
  })

  test.each([
    "import type { Sql } from 'sql-template-tag'",
    "say('Select a role and create the table of duties.')",
    "const event = 'revoke'",
    "const summary = 'Begin with a session'",
    '// select 1',
  ])('is not seen where there is none: %s', (text) => {
    expect(sqlProblems()(file(A, text))).toEqual([])
  })

  test('is let pass by an exception, as long as the exception is needed', () => {
    const exceptions = { [A]: 'a reason' }
    expect(sqlProblems(exceptions)(file(A, "query('select 1')"))).toEqual([])
    expect(sqlProblems(exceptions)(file(A, ''))).toEqual([`${A} needs no exception any more`])
  })
})

describe('a value in the text of a statement', () => {
  const hole = (text: string) => text.replace('#', '$\u007bid\u007d')

  test.each([
    'tx.query(`select 1 where id = #`)',
    'const text = `delete from expenses where id = #`',
    "tx.query<Row>(`# role x` + 'y')",
    "import { raw } from 'sql-template-tag'",
  ])('is noticed everywhere: %s', (text) => {
    for (const path of [A, 'src/platform/a.ts', 'src/expenses/expenses.store.ts']) {
      expect(injectionProblems()(file(path, hole(text)))).toHaveLength(1)
      expect(injectionProblems({ [path]: 'a constant' })(file(path, hole(text)))).toEqual([])
    }
  })

  test.each([
    'tx.query(sql`select 1 where id = #`)',
    "tx.query('select 1 where id = $1', [id])",
    'tx.query(`select 1 where id = $1`)',
    'say(`There is no account #.`)',
    "import sql, { join } from 'sql-template-tag'",
  ])('is not seen where there is none: %s', (text) => {
    expect(injectionProblems()(file(A, hole(text)))).toEqual([])
  })
})

describe('a state', () => {
  const move = (table: string, rest = 'where id = $1 and state = $2') =>
    `sql\`update ${table} set at = \${at}, state = \${to} ${rest}\``
  const upsert = 'sql`insert into operators (id) values (1) on conflict do update set status = 1`'

  test('moved by one statement a table is fine', () => {
    const text = `${move('expenses')}\n${move('payments')}\n${upsert}`
    expect(stateProblems(file(A, text))).toEqual([])
  })

  test('moved by two statements is noticed, in one file or in two', () => {
    expect(stateProblems(file(A, `${move('expenses')}\n${move('expenses')}`))).toHaveLength(1)
    const apart = [...file(A, move('expenses')), ...file('src/payments/b.ts', move('expenses'))]
    expect(stateProblems(apart)).toHaveLength(1)
    expect(stateProblems(file(A, `${upsert}\n${move('operators')}`))).toHaveLength(1)
  })

  test('moved without saying which state it leaves is noticed', () => {
    expect(stateProblems(file(A, move('expenses', 'where id = $1')))).toHaveLength(1)
    expect(stateProblems(file(A, move('expenses', '')))).toHaveLength(1)
  })

  test('only read, or another column written, is nothing', () => {
    const text = "sql`select 1 where state = 'a'`\nsql`update expenses set label = 1 where id = 2`"
    expect(stateProblems(file(A, `${move('expenses')}\n${text}`))).toEqual([])
  })
})

describe('a call outside', () => {
  const context = {
    path: 'src/context.ts',
    text: `import type { Db } from '#platform/database/database.ts'
import type { Chain } from '#ports/chain.ts'
import type { Executor } from '#ports/executor-provider.ts'

export type Context = {
  db: Db
  chain: Chain
  executor: Executor
}
`,
  }
  const check = (text: string) => transactionProblems([context, { path: A, text }])

  test.each([
    'await ctx.db.transaction({}, async (tx) => { await ctx.chain.read(1) })',
    'await db.transaction({}, (tx) => chain.read(1))',
    'await asMember(ctx, actor, async (tx) => {\n  if (a) await ctx.executor.send(1)\n})',
    'async function move(ctx: Context, tx: Tx) { await ctx.chain.read(1) }',
    'const move = async (tx: Tx, { a }: A): Promise<void> => { await ctx.chain.read(1) }',
  ])('within a transaction is noticed: %s', (text) => {
    expect(check(text).length).toBeGreaterThan(0)
  })

  test.each([
    'await ctx.chain.read(1)\nawait ctx.db.transaction({}, async (tx) => { await write(tx) })',
    'await ctx.db.transaction({}, (tx) => write(tx, ctx.config.chain.id))',
    'await ctx.db.transaction({}, async (tx) => { await ctx.executor.sign(1) })',
    'async function prepare(ctx: Context, tx: Tx) { ctx.chain.deployment({ a }) }',
    'async function prepare(ctx: Context, tx: Tx) { ctx.chain.policyConfiguration({ a }) }',
    'await ctx.db.transaction({}, async (tx) => { /* ctx.chain.read(1) */ })',
    'async function look(ctx: Context) { await ctx.chain.read(1) }',
  ])('elsewhere is fine: %s', (text) => {
    expect(check(text)).toEqual([])
  })
})

describe('packages', () => {
  test.each([
    '^1.2.3',
    '~1.2.3',
    '1.x',
    '1.2',
    '*',
    'latest',
    '>=1.2.3',
    'file:./a',
    'git+ssh://a',
  ])('the version %s is noticed in every group', (version) => {
    for (const group of ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides']) {
      expect(pinProblems({ [group]: { a: version, b: '1.2.3', c: '1.0.0-beta.17' } })).toEqual([
        `${group}: a is "${version}"`,
      ])
    }
  })

  test('an address in the lock file is noticed, and so is a missing integrity', () => {
    const integrity = 'sha512-x'
    const lock = (locked: object) => ({ packages: { '': {}, 'node_modules/a': locked } })
    expect(lockProblems(lock({ integrity }))).toEqual([])
    expect(lockProblems(lock({ integrity, resolved: 'https://a.example/a.tgz' }))).toHaveLength(1)
    expect(lockProblems(lock({ integrity, resolved: 'http://a.example/a.tgz' }))).toHaveLength(1)
    expect(lockProblems(lock({}))).toHaveLength(1)
    expect(lockProblems(lock({ integrity: 'sha1-x' }))).toHaveLength(1)
  })
})

describe('type names', () => {
  const at = (path: string, text: string) => ({ path, text })

  test('are exported once', () => {
    const files = [
      at('src/a/a.ts', 'export type Verdict = 1\nexport type Other = 2\n'),
      at('src/b/b.ts', 'type Verdict = 3\nexport const Verdict = 4\n'),
      at('src/c/c.test.ts', 'export type Verdict = 5\n'),
    ]
    expect(typeNameProblems(files)).toEqual([])
  })

  test('are refused when two files export the same', () => {
    const files = [
      at('src/a/a.ts', 'export type Verdict = 1\n'),
      at('src/b/b.ts', 'export interface Verdict {}\n'),
    ]
    expect(typeNameProblems(files)).toEqual(['src/b/b.ts exports Verdict, as src/a/a.ts does'])
  })
})
