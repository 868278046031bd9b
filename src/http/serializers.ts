/**
 * Fastify compiles a serializer for each answer of each route, and most of them are the same error.
 * Compiled once for each schema and when first needed, the application is ready in a fraction of
 * the time.
 */
import selectSerializer from '@fastify/fast-json-stringify-compiler'

type Factory = ReturnType<typeof selectSerializer>
type Serializer = ReturnType<ReturnType<Factory>>

/** By the components they refer to, then by their own text. */
const compiled = new Map<string, Map<string, Serializer>>()

/** For Fastify's `schemaController`. */
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
