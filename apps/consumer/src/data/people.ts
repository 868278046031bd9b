/** The people of the open organization, by account. */

import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { useRegion } from '@countersign/ui/use-region.ts'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { useOrganization } from './organization.tsx'

type Member = ItemOf<'listMembers'>

export type People = {
  members: readonly Member[]
  /** "You" for the person who looks at the page. */
  nameOf(accountId: string, known?: string | null): string
  /** The same within a sentence: "you". */
  mentionOf(accountId: string, known?: string | null): string
  /** "Ana, Ben or Chidi". */
  anyOf(accountIds: readonly string[]): string
  /** "Ana, Ben and Chidi". */
  allOf(accountIds: readonly string[]): string
}

const NAMED_AT_MOST = 4

export function usePeople(): People {
  const { t } = useLingui()
  const region = useRegion()
  const { id: organizationId, accountId: me } = useOrganization()
  const { data, rows } = useAllPages('listMembers', 'members', {
    path: { organizationId },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are new with the data only
  return useMemo(() => {
    const members = rows
    const names = new Map(members.map(({ accountId, displayName }) => [accountId, displayName]))
    const nameOf = (accountId: string, known?: string | null) =>
      accountId === me ? t`You` : (names.get(accountId) ?? known ?? t`someone without a name`)
    const mentionOf = (accountId: string, known?: string | null) =>
      accountId === me ? t`you` : nameOf(accountId, known)
    const listOf = (type: 'conjunction' | 'disjunction', accountIds: readonly string[]) => {
      const named = accountIds.slice(0, NAMED_AT_MOST).map((id) => mentionOf(id))
      const rest = accountIds.length - named.length
      const list = new Intl.ListFormat(region, { type })
      return list.format(
        rest > 0 ? [...named, t`${plural(rest, { one: '# other', other: '# others' })}`] : named,
      )
    }
    const anyOf = (accountIds: readonly string[]) => listOf('disjunction', accountIds)
    const allOf = (accountIds: readonly string[]) => listOf('conjunction', accountIds)
    return { members, nameOf, mentionOf, anyOf, allOf }
  }, [data, me, t, region])
}
