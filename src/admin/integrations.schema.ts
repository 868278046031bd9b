import { Type } from 'typebox'
import { severities } from '#platform/severity.ts'
import { oneOf, Timestamp } from '#platform/values.ts'

const Integration = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String({ minLength: 1 }),
  provider: Type.String({ minLength: 1 }),
  configured: Type.Boolean(),
  severity: oneOf(severities),
  summary: Type.String({ minLength: 1 }),
  checkedAt: Timestamp,
})

export const IntegrationsSchema = Type.Object(
  { integrations: Type.Array(Integration) },
  { $id: 'Integrations' },
)

export const integrationComponents = [IntegrationsSchema]
