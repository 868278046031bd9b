/**
 * Validates a body that consists of one list, row by row, and reports every bad row instead of the
 * first. Set it as the `validatorCompiler` of such a route.
 */
import type { ErrorObject } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { type BadRow, badRowsMessage } from '#platform/bad-rows.ts'
import { AppError } from '#platform/errors.ts'
import type { TSchema } from '#platform/schema.ts'
import { messageOf } from './validation-message.ts'
import { validatorCompiler } from './validators.ts'

type ListBody = { properties: Record<string, { items: TSchema }> }
type Check = ReturnType<FastifySchemaCompiler<TSchema>>

const firstError = ({ errors }: Check): ErrorObject | undefined =>
  (errors as ErrorObject[] | null | undefined)?.at(-1)

export const validateRows =
  (list: string): FastifySchemaCompiler<TSchema> =>
  (route) => {
    if (route.httpPart !== 'body') return validatorCompiler(route)
    const { properties, ...rest } = route.schema as unknown as ListBody
    const { items, ...bounds } = properties[list] as { items: TSchema }
    // The number of rows is checked before any of them.
    const frame = { ...rest, properties: { ...properties, [list]: bounds } }
    const checkFrame = validatorCompiler({ ...route, schema: frame as unknown as TSchema })
    const checkRow = validatorCompiler({ ...route, schema: items })
    const check: Check = (value) => {
      const isFramed = checkFrame(value)
      check.errors = checkFrame.errors ?? null
      if (isFramed !== true) return false
      const rows = (value as Record<string, unknown[]>)[list] ?? []
      const bad = rows.flatMap((row, n): BadRow[] => {
        const error = checkRow(row) === true ? undefined : firstError(checkRow)
        if (!error) return []
        const instancePath = `/${list}/${n}${error.instancePath}`
        return [{ row: n, message: messageOf({ ...error, instancePath }) }]
      })
      if (bad.length === 0) return true
      return { error: new AppError('validation_failed', { message: badRowsMessage(bad) }) }
    }
    return check
  }
