/** No answer to an operator contains a secret: canary values are searched for in all of them. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDump } from '#test/security/dump.ts'
import { type House, house } from '#test/security/house.ts'
import { fill, routes } from '#test/security/routes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'

let service: TestApp
let home: House
let operator: Operator
const canaries = new Map<string, string[]>()

/** As hex, base64 and text, in every form that could leak. */
const forms = (value: Buffer | string): string[] =>
  typeof value === 'string'
    ? [value]
    : [value.toString('hex'), value.toString('base64'), value.toString('base64url')]

/** Secret columns hold a canary each, or the value that the service stored there. */
async function plant(): Promise<void> {
  const { asOwner } = service.database
  const { id } = home.organization
  const put = async (table: string, column: string, value: Buffer | string) => {
    const where = table === 'organizations' ? 'id' : 'organization_id'
    const text = `update ${table} set ${column} = $2 where ${where} = $1 returning 1`
    expect((await asOwner(text, [id, value])).length).toBeGreaterThan(0)
    canaries.set(`${table}.${column}`, forms(value))
  }
  const bytes = () => randomBytes(32)
  const hex = (length: number) => `0x${randomBytes(length).toString('hex')}`
  await put('organizations', 'salt', bytes())
  await put('executor_bindings', 'provider_reference', bytes())
  await put('payment_attempts', 'raw', hex(100))
  await put('payment_signatures', 'signature', hex(65))
  await put('invitations', 'token_salt', bytes())
  const [invitation] = await asOwner<{ hash: Buffer }>(
    'select token_hash as hash from invitations where organization_id = $1 limit 1',
    [id],
  )
  canaries.set('invitations.token_hash', forms(invitation?.hash ?? ''))
  canaries.set('approvals.signature', [home.signature.slice(2)])
  canaries.set('the server secret', [service.ctx.config.serverSecret])
  const { macKeys, ...keys } = service.ctx.secrets
  for (const [name, key] of Object.entries({ ...keys, mac: macKeys?.current.key })) {
    canaries.set(`the key ${name}`, forms(Buffer.from(key as Uint8Array)))
  }
  canaries.set('a token', [operator.token, home.organization.owner.token])
  canaries.set('typed data', ['typedData', 'primaryType', 'verifyingContract'])
}

beforeAll(async () => {
  service = await startTestApp()
  home = await house(service)
  operator = await signInOperator(service)
  await createDump(service.database)
  await plant()
})
afterAll(() => service.stop())

const leaks = (text: string): string[] => {
  const said = text.toLowerCase()
  return [...canaries]
    .filter(([, each]) => each.some((form) => said.includes(form.toLowerCase())))
    .map(([name]) => name)
}

const asked = routes.filter(
  ({ access, template }) => access.realm === 'admin' && !/\/(live|integration)/.test(template),
)

test('the search finds every canary in every form', () => {
  expect(canaries.size).toBeGreaterThan(10)
  for (const [name, each] of canaries) {
    for (const form of each) expect(leaks(`{"x":"${form}"}`), name).toContain(name)
  }
})

test.each(asked.map((route) => [route.name, route] as const))(
  '%s returns none of them',
  async (_n, route) => {
    const url = fill(route.template, {
      organizationId: home.organization.id,
      paymentId: home.paymentId,
      caseId: home.caseId,
      walletId: home.walletId,
      requestId: home.caseId,
    })
    const body = route.template.endsWith('/notes') ? { body: { body: 'We are looking.' } } : {}
    const { token } = operator
    const answer = await service.call(route.method, url, { token, ...body })
    expect(leaks(JSON.stringify([answer.text, answer.headers]))).toEqual([])
    if (route.template.endsWith(':organizationId')) expect(answer.text).toContain(home.paymentId)
  },
)
