import { Type } from '#platform/schema.ts'
import { severities } from '#platform/severity.ts'
import { described, oneOf, Timestamp } from '#platform/values.ts'

const Integration = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      description:
        '`database`, `worker`, `chain`, `executor`, `analyst`, `push`, `identity` or `wallets`',
    }),
    name: Type.String({ minLength: 1, description: 'The name to show to people' }),
    provider: Type.String({
      minLength: 1,
      description: 'The kind or product that serves it, never an address or a key',
    }),
    configured: Type.Boolean({
      description:
        'False if the deployment leaves it out: the model of `analyst`, `push` or `wallets`',
    }),
    severity: oneOf(severities, {
      description:
        '`healthy`; `degraded`: it works, but worse than it should; `action_required`: somebody ' +
        'must act',
    }),
    summary: Type.String({ minLength: 1, description: 'What was found, and what to do about it' }),
    checkedAt: described(Timestamp, 'When it was last probed. Workers probe every 15 seconds'),
  },
  { title: 'Integration' },
)

export const IntegrationsSchema = Type.Object(
  {
    integrations: Type.Array(Integration, { description: 'Always all of them, in the same order' }),
  },
  { $id: 'Integrations', description: 'The health of the services that the deployment needs' },
)

export const integrationComponents = [IntegrationsSchema]
