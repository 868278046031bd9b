import { readFile } from 'node:fs/promises'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { expect, test } from 'vitest'

type Parameter = { name: string; type: string; components?: readonly Parameter[] }
type Style = { label: string; format: string; params?: Record<string, unknown> }
type Field = { path: string; $ref?: string } & Partial<Style>
type Descriptor = {
  context: { contract: { deployments: unknown[] } }
  display: {
    definitions: Record<string, Style>
    formats: Record<string, { intent: string; fields: Field[]; required: string[] }>
  }
}

const descriptor = JSON.parse(
  await readFile('contracts/erc7730-vault-calls.json', 'utf8'),
) as Descriptor
const { definitions, formats } = descriptor.display

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
    const shown = format?.fields.map(({ path }) => path)
    expect(shown?.toSorted()).toEqual(paths(call.inputs).sort())
    expect(format?.required).toEqual(shown)
    expect(format?.intent).toMatch(/^[A-Z].{5,50}$/)
  },
)

const PARAMETERS: Record<string, string[]> = {
  raw: [],
  duration: [],
  date: ['encoding'],
  unit: ['base', 'decimals'],
  tokenAmount: ['tokenPath'],
  addressName: ['types', 'sources'],
}

test('every field has a label and a format of ERC-7730 with its parameters', () => {
  const fields = Object.values(formats).flatMap((format) => format.fields)
  for (const style of fields.map(styleOf)) {
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
  const used = Object.values(formats).flatMap(({ fields }) => fields.map(({ $ref }) => $ref))
  for (const name of Object.keys(definitions)) {
    expect(used).toContain(`$.display.definitions.${name}`)
  }
})
