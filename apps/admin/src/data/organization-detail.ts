import type { DataOf } from '@countersign/client/operation-types.ts'

export type OrganizationDetail = DataOf<'getAdminOrganization'>
