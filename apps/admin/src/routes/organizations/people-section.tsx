import { nameOf, WALLET_ROLES } from '@countersign/app-kit/words/people.ts'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import { ShortAddress } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Card, Empty } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationDetail } from '../../data/organization-detail.ts'

export function PeopleSection({ detail }: { detail: OrganizationDetail }) {
  const { t, i18n } = useLingui()
  if (detail.members.length === 0) return <Empty title={<Trans>Nobody</Trans>} />
  return (
    <Card isFlush>
      <ul aria-label={t`People`} className="divide-y divide-line">
        {detail.members.map((member) => (
          <li
            key={member.membershipId}
            className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3 sm:px-5"
          >
            <span className="min-w-0 flex-1 basis-56">
              <bdi className="block truncate font-medium">{nameOf(member)}</bdi>
              <span className="block text-muted text-sm">{i18n._(ROLES[member.role])}</span>
            </span>
            <ul className="flex flex-col gap-1">
              {member.wallets.map(({ id, address }) => (
                <li key={id} className="flex flex-wrap items-center gap-x-3">
                  <ShortAddress address={address} />
                  <span className="text-muted text-sm">
                    {member.walletRoles
                      .filter(({ walletId, active }) => walletId === id && active)
                      .map(({ role }) => i18n._(WALLET_ROLES[role]))
                      .join(', ')}
                  </span>
                </li>
              ))}
            </ul>
            {member.status === 'revoked' && <Mark kind="ended">{t`Revoked`}</Mark>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
