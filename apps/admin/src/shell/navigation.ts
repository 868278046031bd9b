/** The screens in the order of the side bar. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  Activity,
  Building2,
  CircleHelp,
  Fuel,
  Gauge,
  LifeBuoy,
  type LucideIcon,
  ScrollText,
  Settings2,
  TriangleAlert,
  Wallet,
} from 'lucide-react'

type Screen = { to: string; name: MessageDescriptor; icon: LucideIcon; key: string; group: Group }
type Group = 'work' | 'service' | 'own'

export const SCREENS = [
  { to: '/', name: msg`Overview`, icon: Gauge, key: 'o', group: 'work' },
  { to: '/organizations', name: msg`Organizations`, icon: Building2, key: 's', group: 'work' },
  { to: '/cases', name: msg`Cases`, icon: LifeBuoy, key: 'c', group: 'work' },
  { to: '/failures', name: msg`Failures`, icon: TriangleAlert, key: 'f', group: 'work' },
  {
    to: '/unrecorded-payments',
    name: msg`Unrecorded payments`,
    icon: CircleHelp,
    key: 'u',
    group: 'work',
  },
  { to: '/health', name: msg`Health`, icon: Activity, key: 'h', group: 'service' },
  { to: '/executors', name: msg`Executors`, icon: Fuel, key: 'e', group: 'service' },
  { to: '/trail', name: msg`Audit trail`, icon: ScrollText, key: 't', group: 'service' },
  { to: '/wallets', name: msg`Your wallets`, icon: Wallet, key: 'w', group: 'own' },
  { to: '/settings', name: msg`Your settings`, icon: Settings2, key: 'y', group: 'own' },
] as const satisfies readonly Screen[]

export const GROUPS = ['work', 'service', 'own'] as const satisfies readonly Group[]
