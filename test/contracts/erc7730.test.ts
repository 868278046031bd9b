import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

type Field = { path: string; label: string; format: string; visible?: string }
type Descriptor = {
  $schema: string
  context: { eip712: { domain: { name: string; version: string } } }
  display: { formats: Record<string, { fields: Field[] }> }
}

const descriptor = JSON.parse(
  await readFile('contracts/erc7730-payment-approval.json', 'utf8'),
) as Descriptor
const [[type, format] = ['', { fields: [] }]] = Object.entries(descriptor.display.formats)
const shown = (rule: string | undefined) =>
  format.fields.filter(({ visible }) => visible === rule).map(({ path }) => path)

test('the wallet descriptor describes the message that the vault hashes', async () => {
  const source = await readFile('contracts/src/PaymentApproval.sol', 'utf8')
  const [hashed = ''] = /(?<=TYPEHASH = keccak256\()[^;]*(?=\);)/.exec(source) ?? []
  // Version 2 of the schema names a message by its whole EIP-712 type, not by the type's name.
  expect(type).toBe([...hashed.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join(''))
  expect(descriptor.$schema).toMatch(/erc7730-v2\.schema\.json$/)
  expect(Object.keys(format).sort()).toEqual(['$id', 'fields', 'intent'])
})

test('the wallet descriptor names the domain of the vault', async () => {
  const source = await readFile('contracts/src/CountersignVault.sol', 'utf8')
  const { name, version } = descriptor.context.eip712.domain
  expect(source).toContain(`EIP712("${name}", "${version}")`)
})

test('the wallet descriptor describes every field and hides nothing but identifiers', () => {
  const names = [...type.matchAll(/ (\w+)/g)].map(([, name]) => name)
  const described = format.fields.map(({ path }) => path).filter((path) => path !== '@.to')
  expect(described.sort()).toEqual(names.sort())
  expect(shown(undefined)).toEqual(['amount', 'recipient', '@.to', 'deadline'])
  expect(shown('never')).toEqual(['paymentId', 'approvalId', 'organizationHash'])
})
