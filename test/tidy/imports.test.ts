import { describe, expect, test } from 'vitest'
import {
  clientProblems,
  cycleProblems,
  developmentProblems,
  engineProblems,
  importsOf,
  proofProblems,
  ringProblems,
  typesOnlyProblems,
  wallProblems,
} from './imports.ts'

type Line = [path: string, text: string]

const files = (...lines: Line[]) => lines.map(([path, text]) => ({ path, text }))

describe('importsOf', () => {
  test('knows names, types, default, namespace, side effect, re-export and dynamic import', () => {
    const text = `import a, { b, type C, d as e } from '#platform/x.ts'
import type { F } from './y.ts'
import * as g from 'pg'
import './side.ts'
export { h } from './z.ts'
const i = await import('#dev/w.ts')
`
    const found = importsOf({ path: 'src/payments/a.ts', text })
    expect(found.map(({ target, line }) => [target, line])).toEqual([
      ['src/platform/x.ts', 1],
      ['src/payments/y.ts', 2],
      [undefined, 3],
      ['src/payments/side.ts', 4],
      ['src/payments/z.ts', 5],
      ['src/dev/w.ts', 6],
    ])
    expect(found.map(({ names }) => names.map(({ name }) => name))).toEqual([
      ['b', 'C', 'd', 'a'],
      ['F'],
      ['*'],
      [],
      ['h'],
      ['*'],
    ])
    expect(found.flatMap(({ names }) => names.filter(({ isType }) => isType))).toHaveLength(2)
    expect(found.filter(({ isDynamic }) => isDynamic)).toHaveLength(1)
  })

  test('does not see imports in comments and in text', () => {
    const text = "// import a from 'b'\nconst c = `\nimport d from 'e'\n`\n"
    expect(importsOf({ path: 'src/app.ts', text })).toEqual([])
  })
})

const refused: Line[] = [
  ['src/payments/pay.ts', "import { a } from '#access/guard.ts'"],
  ['src/payments/pay.ts', "import type { A } from '#access/guard.ts'"],
  ['src/payments/pay.ts', "import { a } from '#adapters/chain/viem-chain.ts'"],
  ['src/payments/pay.ts', "import { a } from './payments.routes.ts'"],
  ['src/payments/pay.ts', "import { a } from './payments.schema.ts'"],
  ['src/payments/pay.ts', "import { a } from '#expenses/expenses.schema.ts'"],
  ['src/payments/pay.ts', "import { a } from '#approvals/typed-data.ts'"],
  ['src/payments/pay.ts', "import type { A } from '#approvals/typed-data.ts'"],
  ['src/payments/pay.ts', "import { findA } from '#approvals/approvals.store.ts'"],
  ['src/payments/pay.ts', "import { insertA } from '#expenses/expenses.store.ts'"],
  ['src/payments/pay.ts', "import { findA, updateA } from '#expenses/expenses.store.ts'"],
  ['src/payments/pay.ts', "import { listing } from '#expenses/expenses.store.ts'"],
  ['src/payments/pay.ts', "import * as a from '#expenses/expenses.store.ts'"],
  ['src/payments/pay.ts', "import { Context } from '#context.ts'"],
  ['src/payments/pay.ts', "import { a } from '#ports/chain.ts'"],
  ['src/payments/pay.ts', "import { compose } from '#compose.ts'"],
  ['src/payments/pay.ts', "import type { A } from '#main.ts'"],
  ['src/payments/pay.ts', "import { a } from '#cli/command.ts'"],
  ['src/payments/pay.ts', "import { a } from '#dev/start.ts'"],
  ['src/payments/pay.ts', "import { a } from '#test/support/app.ts'"],
  ['src/payments/pay.ts', "const a = await import('#dev/start.ts')"],
  ['src/payments/payments.routes.ts', "import { updateA } from '#approvals/approvals.store.ts'"],
  ['src/payments/payments.routes.ts', "import { a } from '#approvals/submit-signature.ts'"],
  ['src/payments/payments.routes.ts', "import { a } from '#expenses/expenses.routes.ts'"],
  ['src/payments/payments.routes.ts', "import { a } from '#adapters/push/web-push.ts'"],
  ['src/adapters/chain.ts', "import { a } from '#payments/payment.ts'"],
  ['src/adapters/chain.ts', "import type { Context } from '#context.ts'"],
  ['src/adapters/chain.ts', "import { a } from '#access/guard.ts'"],
  ['src/platform/log.ts', "import type { A } from '#ports/chain.ts'"],
  ['src/platform/log.ts', "import { a } from '#journal/journal.ts'"],
  ['src/ports/chain.ts', "import { a } from '#platform/values.ts'"],
  ['src/ports/chain.ts', "import type { A } from '#payments/payment.ts'"],
  ['src/access/guard.ts', "import { a } from '#organizations/invitations.ts'"],
  ['src/access/guard.ts', "import { insertA } from '#identity/accounts.store.ts'"],
  ['src/access/guard.ts', "import { a } from '#identity/identity.schema.ts'"],
  ['src/main.ts', "import { a } from '#dev/start.ts'"],
  ['src/main.ts', "const a = await import('#dev/start.ts')"],
  ['src/cli/command.ts', "import { a } from '#dev/running-database.ts'"],
  ['src/helpers/a.ts', ''],
  ['src/payments/pay.ts', "import { a } from '#helpers/a.ts'"],
]

const allowed: Line[] = [
  ['src/payments/pay.ts', "import { a } from '#expenses/move-expense.ts'"],
  ['src/payments/pay.ts', "import { findA, lockA, type B } from '#expenses/expenses.store.ts'"],
  ['src/payments/pay.ts', "import { updateA } from './payments.store.ts'"],
  ['src/payments/pay.ts', "import type { Context } from '#context.ts'"],
  ['src/payments/pay.ts', "import type { Chain } from '#ports/chain.ts'"],
  ['src/payments/payments.routes.ts', "import { listA } from '#approvals/approvals.store.ts'"],
  ['src/payments/payments.routes.ts', "import { A } from '#expenses/expenses.schema.ts'"],
  ['src/payments/payments.routes.ts', "import { a } from './pay.ts'"],
  ['src/payments/payments.routes.ts', "import { a } from '#access/guard.ts'"],
  ['src/adapters/chain.ts', "import { a } from '#platform/errors.ts'"],
  ['src/ports/chain.ts', "import type { A } from '#platform/values.ts'"],
  ['src/access/guard.ts', "import { permissions } from '#access/permissions.ts'"],
  ['src/compose.ts', "import { a } from '#adapters/chain.ts'"],
  ['src/dev/start.ts', "import { a } from '#main.ts'"],
  ['src/cli/command.ts', "const a = await import('#dev/running-database.ts')"],
  ['src/payments/pay.test.ts', "import { a } from '#test/support/app.ts'"],
]

describe('rings and rooms', () => {
  test.each(refused)('%s may not: %s', (path, text) => {
    expect(ringProblems(files([path, text]))).toHaveLength(1)
  })

  test.each(allowed)('%s may: %s', (path, text) => {
    expect(ringProblems(files([path, text]))).toEqual([])
  })
})

describe('the payment engine', () => {
  const at = 'src/payments/engine/run-lane.ts'
  test.each([
    "import type { Fees } from '#ports/payment-node.ts'",
    "import { judge } from './judge-payment.ts'",
    "import { isInFlight } from '#payments/payment.machine.ts'",
    "import { agreementOf } from '#platform/agreement.ts'",
    "import type { BlockCode } from '#platform/block-codes.ts'",
  ])('may: %s', (text) => {
    expect(engineProblems(files([at, text]))).toEqual([])
  })

  test.each([
    "import type { Db } from '#platform/database/database.ts'",
    "import { isBlockCode } from '#platform/block-codes.ts'",
    "import { findPayment } from '#payments/payments.store.ts'",
    "import { keccak256 } from 'viem'",
  ])('may not: %s', (text) => {
    expect(engineProblems(files([at, text]))).toHaveLength(1)
  })

  test('may use how nodes agree because that file imports nothing of ours', () => {
    const path = 'src/platform/agreement.ts'
    const pure = files([path, "import { isDeepStrictEqual } from 'node:util'"])
    expect(engineProblems(pure)).toEqual([])
    const impure = files([path, "import { AppError } from './errors.ts'"])
    expect(engineProblems(impure)).toHaveLength(1)
    const circular = files([path, "import type { Fees } from '#ports/payment-node.ts'"])
    expect(engineProblems(circular)).toHaveLength(1)
  })
})

describe('the proof package', () => {
  const at = 'packages/proof/src/digest.ts'
  test.each(["import { keccak256 } from 'viem'", "import { isUuid } from './values.ts'"])(
    'may: %s',
    (text) => {
      expect(proofProblems(files([at, text]))).toEqual([])
    },
  )

  test.each([
    "import { createHash } from 'node:crypto'",
    "import type { Db } from '#platform/database/database.ts'",
    "import { createPublicClient } from 'viem/actions'",
  ])('may not: %s', (text) => {
    expect(proofProblems(files([at, text]))).toHaveLength(1)
  })
})

describe('the client package', () => {
  const at = 'packages/client/src/client.ts'
  test.each([
    "import createFetchClient from 'openapi-fetch'",
    "import { digestOf } from '@countersign/proof/typed-data.ts'",
    "import { send } from './send.ts'",
  ])('may: %s', (text) => {
    expect(clientProblems(files([at, text]))).toEqual([])
  })

  test.each([
    "import { randomUUID } from 'node:crypto'",
    "import type { Db } from '#platform/database/database.ts'",
    "import { fetch } from 'undici'",
  ])('may not: %s', (text) => {
    expect(clientProblems(files([at, text]))).toHaveLength(1)
  })
})

describe('walls', () => {
  test.each<Line>([
    ['src/payments/pay.ts', "import { a } from '../expenses/expense.ts'"],
    ['src/payments/pay.ts', "import { a } from './sub/../pay.ts'"],
    ['src/payments/pay.ts', "import { a } from './sub/pay.ts'"],
    ['src/payments/pay.ts', "import { a } from '#payments/payment.ts'"],
    ['test/http/a.test.ts', "import { a } from '../support/app.ts'"],
  ])('%s may not: %s', (path, text) => {
    expect(wallProblems(files([path, text]))).toHaveLength(1)
  })

  test.each<Line>([
    ['src/payments/pay.ts', "import { a } from './payment.ts'"],
    ['src/main.ts', "import { a } from '#app.ts'"],
    ['test/http/a.test.ts', "import { a } from '#test/http/steps.ts'"],
  ])('%s may: %s', (path, text) => {
    expect(wallProblems(files([path, text]))).toEqual([])
  })
})

test('a development part is noticed at the end of a chain of imports', () => {
  const chain = files(
    ['src/worker.ts', "import { a } from '#compose.ts'"],
    ['src/compose.ts', "import type { B } from '#adapters/b.ts'"],
    ['src/adapters/b.ts', "import { c } from '#dev/c.ts'"],
  )
  expect(developmentProblems(chain)).toEqual(['src/worker.ts reaches src/dev/c.ts'])
  const cut = files(['src/cli/command.ts', "const c = await import('#dev/c.ts')"])
  expect(developmentProblems(cut)).toEqual([])
})

test('a circle is noticed, also one of types only', () => {
  const circle = files(
    ['src/expenses/a.ts', "import type { B } from './b.ts'"],
    ['src/expenses/b.ts', "import type { C } from './c.ts'"],
    ['src/expenses/c.ts', "import type { A } from './a.ts'"],
    ['src/expenses/d.ts', "import type { A } from './a.ts'"],
  )
  expect(cycleProblems(circle)).toHaveLength(3)
  expect(cycleProblems(circle.slice(1))).toEqual([])
})

test('a value in the context or in a port is noticed', () => {
  const values = files(
    ['src/context.ts', "import { a } from '#platform/clock.ts'"],
    ['src/ports/chain.ts', 'export const chains = []'],
    ['src/ports/push.ts', 'export type Push = { const: string }'],
  )
  expect(typesOnlyProblems(values)).toHaveLength(2)
})
