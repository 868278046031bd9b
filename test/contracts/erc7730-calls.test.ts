import { readFile } from 'node:fs/promises'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { expect, test } from 'vitest'

type Parameter = { name: string; type: string; components?: readonly Parameter[] }
type Style = { label: string; format: string; params?: Record<string, unknown> }
type Field = { path: string; $ref?: string; visible?: string } & Partial<Style>
type Group = { label: string; iteration: string; fields: Field[] }
type Descriptor = {
  $schema: string
  context: { contract: { deployments: unknown[] } }
  display: {
    definitions: Record<string, Style>
    formats: Record<string, { $id: string; intent: string; fields: (Field | Group)[] }>
  }
}

const descriptor = JSON.parse(
  await readFile('contracts/erc7730-vault-calls.json', 'utf8'),
) as Descriptor
const { definitions, formats } = descriptor.display
const ungrouped = (fields: (Field | Group)[] = []): Field[] =>
  fields.flatMap((field) => ('fields' in field ? field.fields : [field]))
const allFields = Object.values(formats).flatMap(({ fields }) => ungrouped(fields))

/** The executor's two calls are signed by a program, which shows nothing to anybody. */
const BY_PROGRAMS = ['executeApproved', 'executeAutomatic']
const calls = vaultAbi
  .filter((entry) => entry.type === 'function')
  .filter((entry) => entry.stateMutability === 'nonpayable')
  .filter((entry) => !BY_PROGRAMS.includes(entry.name))

const list = (parameters: readonly Parameter[]): string =>
  parameters
    .map(({ type, name, components }) => {
      const of = components ? type.replace('tuple', `(${list(components)})`) : type
      return `${of} ${name}`
    })
    .join(',')

const signature = ({ name, inputs }: { name: string; inputs: readonly Parameter[] }): string =>
  `${name}(${list(inputs)})`

/** The paths of all values, as ERC-7730 writes them: `config.tiers.[].above`. */
const paths = (parameters: readonly Parameter[], before = ''): string[] =>
  parameters.flatMap(({ name, type, components }) => {
    const path = `${before}${name}${type.endsWith('[]') ? '.[]' : ''}`
    return components ? paths(components, `${path}.`) : [path]
  })

function styleOf({ $ref, ...own }: Field): Partial<Style> {
  if ($ref === undefined) return own
  const [, name = ''] = /^\$\.display\.definitions\.(\w+)$/.exec($ref) ?? []
  return definitions[name] ?? {}
}

test('the descriptor describes every call that a person signs, as the ABI has it', () => {
  expect(Object.keys(formats).sort()).toEqual(calls.map(signature).sort())
})

test.each(calls.map((call) => [call.name, call] as const))(
  'a wallet shows every value of %s and leaves none out',
  (_, call) => {
    const format = formats[signature(call)]
    const shown = ungrouped(format?.fields)
    expect(shown.map(({ path }) => path).sort()).toEqual(paths(call.inputs).sort())
    // A value without a rule is always shown.
    expect(shown.filter(({ visible }) => visible !== undefined)).toEqual([])
    expect(format?.intent).toMatch(/^[A-Z].{5,50}$/)
  },
)

test('a call has no other keys than those of version 2 of the schema', () => {
  expect(descriptor.$schema).toMatch(/erc7730-v2\.schema\.json$/)
  for (const format of Object.values(formats)) {
    expect(Object.keys(format).sort()).toEqual(['$id', 'fields', 'intent'])
  }
  for (const field of allFields.filter(({ $ref }) => $ref !== undefined)) {
    expect(Object.keys(field).sort()).toEqual(['$ref', 'path'])
  }
})

test('a wallet shows each tier as a pair: the amount, then the signatures above it', () => {
  const groups = Object.values(formats)
    .flatMap(({ fields }) => fields)
    .filter((field) => 'fields' in field)
  expect(groups).toHaveLength(3)
  for (const { iteration, fields } of groups) {
    expect(iteration).toBe('bundled')
    expect(fields.map(({ path }) => path)).toEqual([
      'config.tiers.[].above',
      'config.tiers.[].approvals',
    ])
  }
})

const PARAMETERS: Record<string, string[]> = {
  raw: [],
  duration: [],
  date: ['encoding'],
  unit: ['base', 'decimals'],
  tokenAmount: ['tokenPath'],
  addressName: ['types', 'sources'],
}

test('every field has a label and a format of ERC-7730 with its parameters', () => {
  for (const style of allFields.map(styleOf)) {
    expect(style.label).toMatch(/\w/)
    expect(Object.keys(PARAMETERS)).toContain(style.format)
    expect(Object.keys(style.params ?? {})).toEqual(PARAMETERS[style.format ?? ''])
  }
})

test('money is shown in the token, addresses by name, times as dates', () => {
  const formatOf = (name: string) => definitions[name]?.format
  const amounts = Object.keys(definitions).filter((name) => /Cap|Floor|Above/.test(name))
  expect(amounts).toHaveLength(7)
  for (const name of amounts) expect(formatOf(name)).toBe('unit')
  for (const name of ['executor', 'approver', 'added', 'removed']) {
    expect(formatOf(name)).toBe('addressName')
  }
  expect(formatOf('expiresAt')).toBe('date')
  expect(formatOf('periodSeconds')).toBe('duration')
})

test('every definition is used', () => {
  const used = allFields.map(({ $ref }) => $ref)
  for (const name of Object.keys(definitions)) {
    expect(used).toContain(`$.display.definitions.${name}`)
  }
})
