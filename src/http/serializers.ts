/**
 * Compiles response serializers lazily and once per schema. Fastify compiles one per response of
 * every route, and most of them are the same error schema; sharing them cuts start-up time.
 */
import selectSerializer from '@fastify/fast-json-stringify-compiler'

type Factory = ReturnType<typeof selectSerializer>
type Serializer = ReturnType<ReturnType<Factory>>

/** Keyed by the components that a schema may refer to, then by the schema itself. */
const compiled = new Map<string, Map<string, Serializer>>()

/** Pass it to Fastify's `schemaController`. */
export const buildSerializer: Factory = (components, options) => {
  const compile = selectSerializer()(components, options)
  const known = JSON.stringify(components)
  const serializers = compiled.get(known) ?? new Map<string, Serializer>()
  compiled.set(known, serializers)
  return (route) => {
    const text = JSON.stringify(route.schema)
    let serialize: Serializer | undefined
    return (answer) => {
      serialize ??= serializers.get(text) ?? compile(route)
      serializers.set(text, serialize)
      return serialize(answer)
    }
  }
}
