/** What `q` matches: parts of names, and whole ids, addresses and hashes. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Operator, signInOperator } from '#test/support/operators.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let operator: Operator
let home: House
const ids = new Map<string, string>()

const NAMES = [
  'Blue Whale Logistics',
  'blue whale repairs',
  'Whale & Sons',
  '100% Cotton',
  '100 Cotton',
  'Under_score',
  'Underxscore',
  'Back\\slash',
  "O'Hara'; drop table organizations; --",
  'Ärger und Söhne',
  'ΣΊΣΥΦΟΣ',
  '東京商事株式会社',
  'Emoji 😀 House',
  'Abc bcd',
  'He said "yes" (maybe) [ok] {fine} $1 :x',
]

beforeAll(async () => {
  service = await startTestApp()
  operator = await signInOperator(service)
  const { token } = await service.signIn()
  for (const name of NAMES) {
    const made = await service.call('POST', '/v1/consumer/organizations', { token, body: { name } })
    ids.set(made.body.id, name)
  }
  home = await house(service)
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

type Found = { id: string; name: string }

async function search(q: string, more = ''): Promise<Found[]> {
  const url = `/v1/admin/organizations?q=${encodeURIComponent(q)}${more}`
  const { status, body } = await service.call('GET', url, { token: operator.token })
  expect(status).toBe(200)
  return body.organizations
}

const names = async (q: string) => (await search(q)).map(({ name }) => name)

describe('a part of a name', () => {
  test.each<[string, string[]]>([
    ['blue whale', ['blue whale repairs', 'Blue Whale Logistics']],
    ['WHALE', ['Whale & Sons', 'blue whale repairs', 'Blue Whale Logistics']],
    ['e wh', ['blue whale repairs', 'Blue Whale Logistics']],
    ['  whale &  ', ['Whale & Sons']],
    ['wh', ['Whale & Sons', 'blue whale repairs', 'Blue Whale Logistics']],
    ['&', ['Whale & Sons']],
    ['100%', ['100% Cotton']],
    ['0% C', ['100% Cotton']],
    ['r_s', ['Under_score']],
    ['k\\s', ['Back\\slash']],
    ['\\', ['Back\\slash']],
    ['%', ['100% Cotton']],
    ['_', ['Under_score']],
    ["'; drop table", ["O'Hara'; drop table organizations; --"]],
    ["' or '1'='1", []],
    ['$1', ['He said "yes" (maybe) [ok] {fine} $1 :x']],
    ['"YES"', ['He said "yes" (maybe) [ok] {fine} $1 :x']],
    ['ÄRGER', ['Ärger und Söhne']],
    ['söh', ['Ärger und Söhne']],
    ['σίσυφοσ', ['ΣΊΣΥΦΟΣ']],
    ['商', ['東京商事株式会社']],
    ['東京', ['東京商事株式会社']],
    ['株式会社', ['東京商事株式会社']],
    ['😀', ['Emoji 😀 House']],
    ['nobody has this', []],
    ['whales', []],
    // This name holds every trigram of the search term, but not the term itself.
    ['abcd', []],
    ['%hale', []],
    ['Blue%', []],
  ])('%s', async (q, found) => {
    expect(await names(q)).toEqual(found)
  })

  test('nothing, or blanks, is no search', async () => {
    expect((await search('')).length).toBe(NAMES.length + 1)
    expect((await search('   ')).length).toBe(NAMES.length + 1)
  })

  test('every part of every name leads to it, and only to names that have it', async () => {
    for (const [id, name] of ids) {
      const letters = [...name]
      const at = Math.floor(letters.length / 3)
      for (const size of [1, 2, 3, 5, letters.length]) {
        const part = letters.slice(at, at + size).join('')
        if (part.trim() === '') continue
        const found = await search(part, '&limit=200')
        expect(found.map((each) => each.id)).toContain(id)
        const holds = (text: string) => text.toLowerCase().includes(part.trim().toLowerCase())
        expect(found.filter((each) => !holds(each.name))).toEqual([])
      }
    }
  })

  test('is paged as the whole list is', async () => {
    const url = '/v1/admin/organizations?q=whale&limit=2'
    const { token } = operator
    const { body: first } = await service.call('GET', url, { token })
    const next = await service.call('GET', `${url}&cursor=${first.nextCursor}`, { token })
    const seen = [...first.organizations, ...next.body.organizations].map(({ name }) => name)
    expect(seen).toEqual(['Whale & Sons', 'blue whale repairs', 'Blue Whale Logistics'])
    expect(next.body.nextCursor).toBeNull()
  })
})

const hash = () => `0x${randomBytes(32).toString('hex')}`

describe('what is exact', () => {
  const one = async (text: string) => {
    const [row] = await service.database.asOwner<{ value: string }>(text, [home.organization.id])
    return String(row?.value)
  }
  const set = async (text: string): Promise<string> => {
    const value = hash()
    await service.database.asOwner(text, [home.organization.id, value])
    return value
  }
  const kinds: Record<string, () => Promise<string> | string> = {
    'the id of the organization': () => home.organization.id,
    'the id of a payment': () => home.paymentId,
    'the future id of a payment': () =>
      one(`select payment_id as value from expenses where organization_id = $1
        and state = 'draft' limit 1`),
    'the id of an expense': () => home.draftExpenseId,
    'the address of an executor': () =>
      one('select address as value from executor_bindings where organization_id = $1'),
    'the address of a recipient': () =>
      one('select address as value from recipients where organization_id = $1'),
    "the address of a member's wallet": () =>
      one(`select w.address as value from wallets w
        join memberships m on m.account_id = w.account_id where m.organization_id = $1 limit 1`),
    'the address of a vault': () =>
      one('select address as value from vaults where organization_id = $1 limit 1'),
    'the hash of an attempt': () =>
      one('select transaction_hash as value from payment_attempts where organization_id = $1'),
    'the id of a payment on the chain': () =>
      one('select chain_payment_id as value from payments where organization_id = $1'),
    "the hash of a vault's deployment": () =>
      one(`select deployment_transaction_hash as value from vaults where organization_id = $1
        limit 1`),
    'the hash of a policy': () =>
      one('select chain_transaction_hash as value from policies where organization_id = $1'),
    'the hash of a deployment that was confirmed': () =>
      set('update vault_deployments set transaction_hash = $2 where organization_id = $1'),
    'the hash of a policy that was confirmed': () =>
      set('update policy_intents set transaction_hash = $2 where organization_id = $1'),
    'the hash that invalidated an approval': () =>
      set('update approvals set invalidation_transaction_hash = $2 where organization_id = $1'),
  }

  test.each(Object.entries(kinds))('%s leads to it, in any letter case', async (_kind, find) => {
    const value = await find()
    const upper = value.startsWith('0x') ? `0x${value.slice(2).toUpperCase()}` : value.toUpperCase()
    for (const q of [value, upper, ` ${value} `]) {
      expect((await search(q)).map(({ id }) => id)).toEqual([home.organization.id])
    }
  })

  test.each(Object.entries(kinds))('a part of %s leads nowhere', async (_kind, find) => {
    const value = await find()
    expect(await search(value.slice(0, -1))).toEqual([])
  })

  test('ids and hashes of nothing lead nowhere', async () => {
    for (const q of [service.ctx.ids.next(), hash(), hash().slice(0, 42)]) {
      expect(await search(q)).toEqual([])
    }
  })

  test('a name that is an id is found by it too', async () => {
    const { token } = await service.signIn()
    const body = { name: `For ${home.organization.id}` }
    const made = await service.call('POST', '/v1/consumer/organizations', { token, body })
    const found = await search(home.organization.id)
    expect(found.map(({ id }) => id)).toEqual([made.body.id, home.organization.id])
  })
})
