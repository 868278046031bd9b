/** The open organization and what the person is in it. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import { createContext, use } from 'react'

export type Me = DataOf<'getAccount'>
export type Role = 'owner' | 'manager' | 'employee'
export type OpenOrganization = {
  id: string
  name: string
  role: Role
  accountId: string
  me: Me
  config: DataOf<'getClientConfig'>
}

export const OrganizationContext = createContext<OpenOrganization | null>(null)

export function useOrganization(): OpenOrganization {
  const organization = use(OrganizationContext)
  if (!organization) throw new Error('useOrganization is used outside of an organization.')
  return organization
}

export const isOwnerOrManager = ({ role }: { role: Role }): boolean => role !== 'employee'
