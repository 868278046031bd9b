/**
 * Compiles response serializers lazily and once per schema. Fastify compiles one per response of
 * every route, and most of them are the same error schema; sharing them cuts start-up time.
 */
import selectSerializer from '@fastify/fast-json-stringify-compiler'

type Factory = ReturnType<typeof selectSerializer>
type Serializer = ReturnType<ReturnType<Factory>>

/** Keyed by the components that a schema may refer to, then by the schema itself. */
const compiled = new Map<string, Map<string, Serializer>>()

const numbers = new Map<string, number>()
const numbered = new WeakMap<object, number>()

/**
 * The same number for equal schemas. Every module's routes get the same hundred components, and
 * writing them all as text per module took half of the time of building the application.
 */
function numberOf(schema: object): number {
  const known = numbered.get(schema)
  if (known !== undefined) return known
  const text = JSON.stringify(schema)
  const number = numbers.get(text) ?? numbers.size
  numbers.set(text, number)
  numbered.set(schema, number)
  return number
}

type Components = Record<string, object>

/** What the schema refers to, directly or not: compiling checks every component it is given. */
function referredTo(schema: unknown, components: Components, found: Components = {}): Components {
  for (const [, id = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([^"#]+)#/g)) {
    const component = components[id]
    if (!component || id in found) continue
    found[id] = component
    referredTo(component, components, found)
  }
  return found
}

/** Pass it to Fastify's `schemaController`. */
export const buildSerializer: Factory = (given, options) => {
  const components = given as Components
  const compile: ReturnType<Factory> = (route) =>
    selectSerializer()(referredTo(route.schema, components), options)(route)
  const known = Object.values(components).map(numberOf).join()
  const serializers = compiled.get(known) ?? new Map<string, Serializer>()
  compiled.set(known, serializers)
  return (route) => {
    let serialize: Serializer | undefined
    return (answer) => {
      serialize ??= shared(serializers, route.schema, () => compile(route))
      return serialize(answer)
    }
  }
}

function shared(
  serializers: Map<string, Serializer>,
  schema: unknown,
  compile: () => Serializer,
): Serializer {
  const text = JSON.stringify(schema)
  const serialize = serializers.get(text) ?? compile()
  serializers.set(text, serialize)
  return serialize
}
