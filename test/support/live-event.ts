/** The contract's live event schema, written by hand; streams are validated against it. */
import { Ajv } from 'ajv'
import formats from 'ajv-formats'

const kinds = ['expense', 'agent_run', 'approval', 'payment', 'support_case', 'integration']
const aggregateTypes = [...kinds, 'service']
const nullableText = (maxLength: number) => ({ type: ['string', 'null'], maxLength })

const properties = {
  id: { type: 'string', format: 'uuid' },
  cursor: { type: 'string', minLength: 8, maxLength: 512, pattern: '^[A-Za-z0-9_-]+$' },
  organizationId: { type: ['string', 'null'], format: 'uuid' },
  audience: { enum: ['consumer', 'admin', 'both'] },
  kind: { enum: [...aggregateTypes.map((type) => `${type}.changed`), 'stream.reset'] },
  aggregateType: { enum: aggregateTypes },
  aggregateId: { type: 'string', minLength: 1 },
  targetState: nullableText(80),
  severity: { enum: ['healthy', 'degraded', 'action_required'] },
  code: nullableText(100),
  occurredAt: { type: 'string', format: 'date-time', pattern: 'Z$' },
}

const ajv = new Ajv({ allowUnionTypes: true })
formats.default(ajv)
const validate = ajv.compile({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

export const schemaProblem = (event: unknown): string | undefined =>
  validate(event) ? undefined : ajv.errorsText(validate.errors)
