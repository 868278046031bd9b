import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

type Field = { name: string; type: string }
type Descriptor = {
  context: {
    eip712: {
      domain: { name: string; version: string }
      schemas: { primaryType: string; types: Record<string, Field[]> }[]
    }
  }
  display: {
    formats: Record<string, { fields: { path: string }[]; required: string[]; excluded: string[] }>
  }
}

const descriptor = JSON.parse(
  await readFile('contracts/erc7730-payment-approval.json', 'utf8'),
) as Descriptor
const [schema] = descriptor.context.eip712.schemas
const fields = schema?.types.PaymentApproval ?? []
const names = fields.map(({ name }) => name)
const format = descriptor.display.formats.PaymentApproval

test('the wallet descriptor describes the message that the vault hashes', async () => {
  const source = await readFile('contracts/src/PaymentApproval.sol', 'utf8')
  const [hashed = ''] = /(?<=TYPEHASH = keccak256\()[^;]*(?=\);)/.exec(source) ?? []
  const type = [...hashed.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join('')
  const described = fields.map(({ name, type: of }) => `${of} ${name}`).join(',')
  expect(`PaymentApproval(${described})`).toBe(type)
})

test('the wallet descriptor names the domain of the vault', async () => {
  const source = await readFile('contracts/src/CountersignVault.sol', 'utf8')
  const { name, version } = descriptor.context.eip712.domain
  expect(source).toContain(`EIP712("${name}", "${version}")`)
})

test('the wallet descriptor shows or leaves out every field, and always shows the money', () => {
  const shown = (format?.fields ?? []).map(({ path }) => path).filter((path) => path !== '@.to')
  expect([...shown, ...(format?.excluded ?? [])].sort()).toEqual([...names].sort())
  expect(shown).toEqual(expect.arrayContaining(format?.required ?? ['nothing']))
  expect(format?.required).toEqual(['amount', 'recipient', 'deadline'])
})
