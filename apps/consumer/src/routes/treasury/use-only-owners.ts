import { useLingui } from '@lingui/react/macro'
import { usePeople } from '../../data/people.ts'

/** Why a button is off for everybody else, and who could. */
export function useOnlyOwners(): string {
  const { t } = useLingui()
  const { members, anyOf } = usePeople()
  const owners = members.filter(({ role, status }) => role === 'owner' && status === 'active')
  const who = anyOf(owners.map(({ accountId }) => accountId))
  return owners.length === 0 ? t`Only owners do this.` : t`Only owners do this: ${who}.`
}
