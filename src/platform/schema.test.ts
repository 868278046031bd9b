import { Type as TypeBox } from 'typebox'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { fits, type TSchema, Type } from './schema.ts'

type Builder = Pick<typeof TypeBox, keyof typeof Type>

const schemas: Record<string, (type: Builder) => TSchema> = {
  'an object': (type) =>
    type.Object(
      { id: type.Integer({ minimum: 1 }), note: type.Optional(type.String({ maxLength: 3 })) },
      { $id: 'Thing', additionalProperties: false },
    ),
  'an object without required fields': (type) => type.Object({ a: type.Optional(type.Null()) }),
  'a part of an object': (type) =>
    type.Omit(type.Object({ a: type.Boolean(), b: type.Optional(type.Number()) }), ['a']),
  'a list': (type) => type.Array(type.String(), { maxItems: 2, uniqueItems: true }),
  'a record': (type) => type.Record(type.String(), type.Unknown(), { description: 'Any' }),
  'a tuple': (type) => type.Tuple([type.String(), type.Integer()]),
  'a union': (type) => type.Union([type.Literal('a'), type.Literal(1), type.Null()]),
  'a schema of our own': (type) => type.Unsafe({ type: ['string', 'null'], pattern: '^a' }),
}

const values = [
  ...[null, 1, 1.5, true, 'a', 'b', 'abcd', [], ['a'], ['a', 'a'], ['a', 'b', 'c'], ['a', 1]],
  ...[{}, { id: 1 }, { id: 0 }, { id: 1, note: 'abc' }, { id: 1, note: 'abcd' }, { id: 1, c: 2 }],
  ...[{ a: null }, { a: 1 }, { b: 1 }, { b: '1' }, ['a', 1, 2], undefined],
]

test.each(Object.entries(schemas))('%s is written and checked as by TypeBox', (_name, schemaOf) => {
  const [ours, theirs] = [schemaOf(Type), schemaOf(TypeBox)]
  expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs))
  for (const value of values)
    expect([value, fits(ours, value)]).toEqual([value, Check(theirs, value)])
})
