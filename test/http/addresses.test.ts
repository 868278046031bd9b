/** Addresses in requests. The API rejects a wrong EIP-55 checksum and never resolves a name. */
import { ADDRESS_PATTERN } from '@countersign/proof/values.ts'
import { getAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { LOWER_ADDRESS_PATTERN } from '#platform/values.ts'
import {
  type Answer,
  createOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { document } from '#test/support/contract.ts'
import { proofsOf } from '#test/support/ledger-proofs.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { freshKey, outcome, randomAddress } from '#test/support/steps.ts'

const RIGHT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const WRONG = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'
const HASH = `0x${'1'.repeat(64)}`
const NAMES = ['treasury.eth', 'vitalik.eth', 'pay.acme.eth', '0xpay.eth']

let service: TestApp
let organization: Organization
let operator: string

beforeAll(async () => {
  service = await sharedTestApp()
  organization = await createOrganization(service)
  operator = await service.operatorToken()
})

type Field = {
  operation: string
  field: string
  /** As messages name it, where it is part of a list. */
  path?: string
  send(address: string): Promise<Answer>
}

const asOwner = (path: string, body: object) =>
  service.call('POST', `${organization.path}${path}`, {
    token: organization.owner.token,
    body,
    headers: freshKey(),
  })

const org = '/v1/consumer/organizations/{organizationId}'

const mixed: Field[] = [
  {
    operation: `POST ${org}/recipients`,
    field: 'address',
    send: (address) => asOwner('/recipients', { label: 'Acme', address, chainId: 31_337 }),
  },
  {
    operation: `POST ${org}/vault`,
    field: 'address',
    send: (address) =>
      asOwner('/vault', { label: 'Main', address, deploymentTransactionHash: HASH }),
  },
  {
    operation: `POST ${org}/recipients/import`,
    field: 'address',
    path: 'recipients[1].address',
    send: (address) =>
      asOwner('/recipients/import', {
        recipients: [randomAddress(), address].map((one) => ({
          label: 'Acme',
          address: one,
          chainId: 31_337,
        })),
      }),
  },
  {
    operation: 'POST /v1/consumer/wallets/link-challenges',
    field: 'address',
    send: (address) =>
      service.call('POST', '/v1/consumer/wallets/link-challenges', {
        token: organization.owner.token,
        body: { address },
        headers: freshKey(),
      }),
  },
]

const PROOF = '/v1/admin/organizations/{organizationId}/integration-proofs/ledger/signatures'
const lower: Field[] = ['signer', 'owner', 'vault', 'executor', 'recipient'].map((field) => ({
  operation: `POST ${PROOF}`,
  field,
  send(address) {
    const body = { kind: 'deployment', signer: randomAddress(), owner: randomAddress() }
    return service.call('POST', proofsOf(organization.id), {
      token: operator,
      body: { ...body, [field]: address },
    })
  },
}))

type Schema = { pattern?: string; items?: Schema; properties?: Record<string, Schema> }

/** Names the fields of a request schema that use the given pattern. */
function fieldsOf(
  { pattern, items, properties = {} }: Schema,
  wanted: string,
  name = '',
): string[] {
  if (pattern === wanted) return [name]
  const inner = Object.entries(properties).flatMap(([key, part]) => fieldsOf(part, wanted, key))
  return items ? [...inner, ...fieldsOf(items, wanted, name)] : inner
}

type Operation = {
  parameters?: { name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

function documented(wanted: string): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).flatMap(([method, operation]) => {
      const { parameters = [], requestBody } = operation
      const body = requestBody?.content['application/json']?.schema ?? {}
      const inUrl = parameters.flatMap(({ name, schema }) => fieldsOf(schema, wanted, name))
      return [...inUrl, ...fieldsOf(body, wanted)].map(
        (field) => `${method.toUpperCase()} ${path} ${field}`,
      )
    }),
  )
}

const named = ({ operation, field }: Field) => `${operation} ${field}`

test('covers every operation in the OpenAPI document that takes an address', () => {
  expect(documented(ADDRESS_PATTERN).sort()).toEqual(mixed.map(named).sort())
  expect(documented(LOWER_ADDRESS_PATTERN).sort()).toEqual(lower.map(named).sort())
})

describe.each(mixed)('$operation, $field', ({ field, path = field, send }) => {
  test('rejects a wrong checksum with a 400 that names the field', async () => {
    const answer = await send(WRONG)
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toBe(
      `\`${path}\` has a wrong EIP-55 checksum. Copy the address again from its source.`,
    )
  })

  test('accepts a checksummed, lower-case or upper-case address', async () => {
    const spellings = [
      getAddress,
      (address: string) => address.toLowerCase(),
      (address: string) => `0x${address.slice(2).toUpperCase()}`,
    ]
    for (const spell of spellings) {
      const answer = await send(spell(randomAddress()))
      expect(answer.body.error?.code ?? 'accepted', answer.text).not.toBe('validation_failed')
    }
  })

  test.each(NAMES)(
    'rejects the name %s with a 400 that says names are not resolved',
    async (name) => {
      const answer = await send(name)
      expect(outcome(answer)).toBe('400 validation_failed')
      expect(answer.body.error.message).toBe(
        `\`${path}\` must be an address: 0x and 40 hexadecimal digits. ` +
          'Names, such as ENS names, are not resolved.',
      )
    },
  )
})

describe.each(lower)('$operation, $field', ({ field, send }) => {
  test.each([RIGHT, WRONG, ...NAMES])(
    'rejects %s with a 400 that names the field',
    async (address) => {
      const answer = await send(address)
      expect(outcome(answer)).toBe('400 validation_failed')
      expect(answer.body.error.message).toBe(
        `\`${field}\` must be an address in lower case: 0x and 40 hexadecimal digits. ` +
          'Names, such as ENS names, are not resolved.',
      )
    },
  )
})

describe('GET /v1/admin/organizations', () => {
  const find = (q: string) =>
    service.call('GET', `/v1/admin/organizations?q=${encodeURIComponent(q)}`, { token: operator })

  test('rejects a search for an address with a wrong checksum', async () => {
    const answer = await find(` ${WRONG} `)
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toMatch(/^`q` in the query has a wrong EIP-55 checksum/)
  })

  test('searches by checksummed or single-case address, or by any other text', async () => {
    const upper = `0x${RIGHT.slice(2).toUpperCase()}`
    for (const q of [RIGHT, RIGHT.toLowerCase(), upper, 'treasury.eth', WRONG.slice(0, 12)]) {
      expect(outcome(await find(q))).toBe('200')
    }
  })
})

test('links the wallet of an ID token whatever the case of its address', async () => {
  const { token } = await service.signIn('wrong-case', [{ address: WRONG, kind: 'external' }])
  const { body } = await service.call('GET', '/v1/consumer/me', { token })
  expect(body.wallets).toMatchObject([{ address: getAddress(WRONG.toLowerCase()) }])
})
