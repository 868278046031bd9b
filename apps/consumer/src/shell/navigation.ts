/** The screens of an organization in the order of the side bar. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  ArrowLeftRight,
  BookUser,
  ChartColumn,
  Inbox,
  Landmark,
  LifeBuoy,
  type LucideIcon,
  ReceiptText,
  ScrollText,
  Settings,
  Users,
  Webhook,
} from 'lucide-react'
import type { Role } from '../data/organization.tsx'

const under = <Path extends string>(path: Path) => `/organizations/$organizationId${path}` as const

type Screen = {
  to: `/organizations/$organizationId${string}`
  name: MessageDescriptor
  icon: LucideIcon
  /** After `g`. */
  key: string
  group: 'work' | 'organization'
  roles?: readonly Role[]
}

export const INBOX = under('')

const SCREENS = [
  { to: under(''), name: msg`Inbox`, icon: Inbox, key: 'i', group: 'work' },
  { to: under('/expenses'), name: msg`Expenses`, icon: ReceiptText, key: 'e', group: 'work' },
  { to: under('/activity'), name: msg`Payments`, icon: ArrowLeftRight, key: 'a', group: 'work' },
  { to: under('/spending'), name: msg`Spending`, icon: ChartColumn, key: 's', group: 'work' },
  { to: under('/treasury'), name: msg`Treasury`, icon: Landmark, key: 't', group: 'work' },
  { to: under('/recipients'), name: msg`Recipients`, icon: BookUser, key: 'r', group: 'work' },
  { to: under('/people'), name: msg`People`, icon: Users, key: 'p', group: 'work' },
  {
    to: under('/audit'),
    name: msg`Audit trail`,
    icon: ScrollText,
    key: 'l',
    group: 'organization',
    roles: ['owner'],
  },
  {
    to: under('/webhooks'),
    name: msg`Webhooks`,
    icon: Webhook,
    key: 'w',
    group: 'organization',
    roles: ['owner'],
  },
  { to: under('/support'), name: msg`Support`, icon: LifeBuoy, key: 'h', group: 'organization' },
  {
    to: under('/settings'),
    name: msg`Organization`,
    icon: Settings,
    key: 'o',
    group: 'organization',
  },
] as const satisfies readonly Screen[]

export const screensFor = (role: Role) =>
  SCREENS.filter(
    (screen) => !('roles' in screen) || (screen.roles as readonly Role[]).includes(role),
  )
