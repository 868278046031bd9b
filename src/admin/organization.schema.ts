/** An organization in the lists of operators. */

import { component } from '#http/openapi.ts'
import { NextCursor, PageQuery } from '#platform/paging.ts'
import { Type } from '#platform/schema.ts'
import { severities } from '#platform/severity.ts'
import {
  added,
  CreatedAt,
  described,
  extension,
  line,
  NonNeg,
  oneOf,
  Uuid,
} from '#platform/values.ts'

export const openUnrecorded = added(NonNeg, 'Unrecorded payments that no owner has acknowledged')
export const openCases = described(NonNeg, 'Support cases that are not resolved')
export const failedPayments = described(NonNeg, 'Payments that are `failed` or `blocked`')

export const AdminOrganizationSchema = Type.Object(
  {
    id: described(Uuid, 'The organization'),
    name: Type.String({ description: 'As its owners chose it' }),
    createdAt: CreatedAt,
    memberCount: described(NonNeg, 'Active members'),
    vaultCount: described(NonNeg, 'Vaults that are not disabled'),
    openSupportCases: openCases,
    failedPayments,
    unrecordedPayments: openUnrecorded,
    severity: oneOf(severities, {
      description:
        '`action_required`: a failed, blocked or unrecorded payment, an executor that cannot ' +
        'send, or an open case of high priority. `degraded`: a payment is reconciling, or ' +
        'another case is open.',
    }),
  },
  { $id: 'AdminOrganization', description: 'An organization with counts for operators' },
)

/** Names for the ids in a list. */
export const OrganizationNames = Type.Array(
  Type.Object(
    {
      id: described(Uuid, 'The organization'),
      name: Type.String({ description: 'As its owners chose it' }),
    },
    { title: 'OrganizationName' },
  ),
  { description: 'The organizations that the list mentions', ...extension },
)

export const AdminOrganizationsQuery = Type.Object({
  q: Type.Optional(
    line({
      min: 0,
      max: 100,
      description:
        'Part of the name (case-insensitive), or exactly the id of the organization, an expense, ' +
        'a payment or a support case, the address of a vault, an executor, a recipient or a ' +
        "member's wallet, or a transaction hash",
    }),
  ),
  ...PageQuery.properties,
})

export const AdminOrganizationListSchema = Type.Object({
  organizations: Type.Array(component(AdminOrganizationSchema), { description: 'Newest first' }),
  nextCursor: NextCursor,
})
