import { type Member, nameOf, WALLET_ROLES } from '@countersign/app-kit/words/people.ts'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import type { PolicyLists } from '../../data/policy-lists.ts'
import { type Refusal, refusalOf } from './member-rules.ts'
import { WalletRoles } from './wallet-roles.tsx'

type Props = {
  member: Member
  members: readonly Member[]
  policies: readonly PolicyLists[] | undefined
  onChangeRole(): void
  onEnd(): void
  onNotices(notices: readonly string[]): void
}

function useRefusalText(): (refusal: Refusal) => string | undefined {
  const { t } = useLingui()
  return (refusal) =>
    refusal === null
      ? undefined
      : {
          owners_only: t`Owners decide about people. Ask one of them.`,
          last_owner: t`An organization always has an owner. Make someone else an owner first.`,
        }[refusal]
}

export function MemberRow({ member, members, policies, onChangeRole, onEnd, onNotices }: Props) {
  const { t, i18n } = useLingui()
  const { accountId, role: mine } = useOrganization()
  const [isOpen, setOpen] = useState(false)
  const detailsId = useId()
  const isMe = member.accountId === accountId
  const isEnded = member.status === 'revoked'
  const reason = useRefusalText()(refusalOf(member, members, mine))
  const roles = [
    ...new Set(member.walletRoles.filter(({ active }) => active).map(({ role }) => role)),
  ]
  return (
    <li>
      <button
        type="button"
        data-row
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={() => setOpen(!isOpen)}
        className="press flex w-full flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-start hover:bg-hover sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-48">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <bdi className={isEnded ? 'truncate text-muted' : 'truncate font-medium'}>
              {nameOf(member)}
            </bdi>
            {isMe && (
              <span className="text-muted text-sm">
                <Trans>you</Trans>
              </span>
            )}
          </span>
          {member.email && <bdi className="block truncate text-muted text-sm">{member.email}</bdi>}
        </span>
        <span className="flex items-center gap-2 max-sm:w-full max-sm:justify-between">
          <span className="flex flex-wrap items-center gap-2">
            {isEnded ? (
              <Mark kind="ended">{t`Removed`}</Mark>
            ) : (
              <span className="text-sm">{i18n._(ROLES[member.role])}</span>
            )}
            {roles.map((role) => (
              <Mark key={role} kind="sign">
                {i18n._(WALLET_ROLES[role])}
              </Mark>
            ))}
          </span>
          <ChevronDown
            className={isOpen ? 'size-4 rotate-180 text-muted' : 'size-4 text-muted'}
            aria-hidden="true"
          />
        </span>
      </button>
      <div id={detailsId} hidden={!isOpen} className="px-4 pb-5 sm:px-5">
        {isOpen && (
          <div className="flex flex-col gap-4">
            <WalletRoles member={member} policies={policies} onNotices={onNotices} />
            {!isEnded && (
              <div className="flex flex-wrap gap-2 border-line border-t pt-4">
                <Button size="small" reason={reason} onClick={onChangeRole}>
                  <Trans>Change the role</Trans>
                </Button>
                {!isMe && (
                  <Button size="small" reason={reason} onClick={onEnd}>
                    <Trans>Remove</Trans>
                  </Button>
                )}
              </div>
            )}
          </div>
        )}
      </div>
    </li>
  )
}
