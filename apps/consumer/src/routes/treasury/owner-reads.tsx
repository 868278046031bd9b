import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Empty } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Cog } from 'lucide-react'
import type { ReactNode } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { approverPeopleOf, listsOf } from './organization-lists.ts'
import type { PolicyLists } from './policy-terms.ts'
import { NewVaultLink } from './treasury-link.tsx'
import type { useOrganizationReads } from './use-treasury-reads.ts'

type Props = {
  reads: ReturnType<typeof useOrganizationReads>
  children(lists: PolicyLists, approverPeople: number): ReactNode
}

/** What a policy would list, once all of it is read. */
export function OwnerReads({ reads: { members, recipients, executor }, children }: Props) {
  const { config } = useOrganization()
  return (
    <ReadView of={members} lines={4}>
      {(memberRows) => (
        <ReadView of={recipients} lines={4}>
          {(recipientRows) => (
            <ReadView of={executor} lines={4}>
              {(executorData) => {
                const read = {
                  members: memberRows,
                  recipients: recipientRows,
                  executor: executorData,
                }
                const lists = listsOf(read, config.chain.id)
                return lists ? (
                  children(lists, approverPeopleOf(memberRows))
                ) : (
                  <Empty
                    icon={<Cog aria-hidden="true" />}
                    title={<Trans>First get an executor</Trans>}
                    action={
                      <NewVaultLink look={{ look: 'primary' }}>
                        <Trans>Get an executor</Trans>
                      </NewVaultLink>
                    }
                  >
                    <Trans>A policy names the key that may send payments.</Trans>
                  </Empty>
                )
              }}
            </ReadView>
          )}
        </ReadView>
      )}
    </ReadView>
  )
}
