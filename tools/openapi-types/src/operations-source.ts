/** What the client needs of each operation while it runs: method, path, key and list. */

type Schema = {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}
type Content = Record<string, { schema?: Schema }>
type Operation = {
  operationId?: string
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

export type Document = {
  paths: Record<string, Record<string, Operation>>
  components?: Record<string, unknown>
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete']

function resolve(document: Document, schema: Schema | undefined): Schema {
  if (schema?.$ref === undefined) return schema ?? {}
  const parts = schema.$ref.replace(/^#\//, '').split('/')
  const found = parts.reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | undefined)?.[part],
    document,
  )
  return resolve(document, found as Schema | undefined)
}

const jsonOf = (document: Document, content: Content | undefined): Schema =>
  resolve(document, content?.['application/json']?.schema)

const hasParameter = ({ parameters = [] }: Operation, place: string, name: string): boolean =>
  parameters.some((one) => one.in === place && one.name.toLowerCase() === name)

/** Where the operation takes its idempotency key, if it takes one. */
function keyOf(document: Document, operation: Operation): string | undefined {
  if (hasParameter(operation, 'header', 'idempotency-key')) return 'header'
  const body = jsonOf(document, operation.requestBody?.content)
  return body.properties?.idempotencyKey ? 'body' : undefined
}

/**
 * The name of the list in a page; the first, if a page has two. Null if the page is the list
 * itself, with the next cursor in its Link header.
 */
function listOf(document: Document, operation: Operation): string | null | undefined {
  if (!hasParameter(operation, 'query', 'cursor')) return undefined
  const { type, properties = {} } = jsonOf(document, operation.responses['200']?.content)
  if (type === 'array') return null
  if (!properties.nextCursor) return undefined
  return Object.keys(properties).find(
    (name) => resolve(document, properties[name]).type === 'array',
  )
}

export function operationsSource(document: Document): string {
  const rows = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method]
      if (operation?.operationId === undefined) return []
      const key = keyOf(document, operation)
      const list = listOf(document, operation)
      const fields = [
        `method: '${method.toUpperCase()}'`,
        `path: '${path}'`,
        ...(key ? [`key: '${key}'`] : []),
        ...(list === undefined ? [] : [`list: ${list === null ? null : `'${list}'`}`]),
      ]
      return [`  ${operation.operationId}: { ${fields.join(', ')} },\n`]
    }),
  )
  return `export const OPERATIONS = {\n${rows.join('')}} as const\n`
}
