import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { failureOf } from '@countersign/app-kit/data/api.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Checkbox, TextField } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { FormDialog } from '../../shell/form-dialog.tsx'
import { AddressComparison } from './address-comparison.tsx'
import { isSameAddress, lookAlikesOf, readAddress } from './look-alikes.ts'

type Props = { onClose(): void; onAdded(recipient: DataOf<'addRecipient'>): void }

/** Compares with every known recipient while someone types, before anything is sent. */
export function AddRecipientDialog({ onClose, onAdded }: Props) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const path = { organizationId }
  const known = useAllPages('listRecipients', 'recipients', { path })
  const add = useAction('addRecipient', ['listRecipients', 'getVault'])
  const [label, setLabel] = useState('')
  const [typed, setTyped] = useState('')
  const [isCompared, setCompared] = useState(false)

  const read = readAddress(typed)
  const same = read.ok
    ? known.rows.find((other) => other.active && isSameAddress(other.address, read.address))
    : undefined
  const lookAlikes = read.ok ? lookAlikesOf(read.address, known.rows) : []
  const problem =
    !read.ok &&
    read.problem !== 'empty' &&
    {
      not_an_address:
        typed.trim().length >= 42 || !/^0x[0-9a-f]*$/i.test(typed.trim())
          ? t`This is not an address. It has to start with 0x and have 40 more letters and digits.`
          : undefined,
      bad_checksum: t`The capital letters do not match this address, so a character may be wrong. Copy it again from its source.`,
    }[read.problem]
  const isReady =
    read.ok &&
    label.trim() !== '' &&
    !same &&
    (lookAlikes.length === 0 || isCompared) &&
    known.isComplete

  const submit = async () => {
    if (!read.ok || !isReady) return
    const body = { label: label.trim(), address: read.address, chainId: config.chain.id }
    const added = await add.run({ path, body })
    if (!added.ok) return
    say(t`Added`, added.data.label)
    onAdded(added.data)
  }

  return (
    <FormDialog
      title={<Trans>Add a recipient</Trans>}
      description={
        <Trans>Take the address from the recipient itself, not from a past payment.</Trans>
      }
      action={<Trans>Add</Trans>}
      isReady={isReady}
      isBusy={add.isBusy}
      failure={add.failure ?? failureOf(known.error)}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t`Name`}
        hint={t`The name your colleagues know it by.`}
        value={label}
        onChange={(event) => setLabel(event.target.value)}
        maxLength={config.limits.lengths.recipientLabel}
        autoComplete="off"
        required
      />
      <TextField
        label={t`Address`}
        note={config.chain.name}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setCompared(false)
          add.reset()
        }}
        problem={
          same ? (
            <Trans>
              <bdi>{same.label}</bdi> already has this address.
            </Trans>
          ) : (
            problem || undefined
          )
        }
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        required
      />
      {read.ok && !same && (
        <div className="rounded-md bg-sunken px-3 py-2">
          <Address address={read.address} />
        </div>
      )}
      {read.ok &&
        lookAlikes.map((other) => (
          <Notice
            key={other.id}
            tone="bad"
            isLive
            title={
              <Trans>
                This looks like <bdi>{other.label}</bdi>, but it is another address
              </Trans>
            }
          >
            <Trans>
              The first and the last four characters are the same. Addresses are made to look alike
              in order to be mistaken. Compare the middle.
            </Trans>
            <AddressComparison
              address={read.address}
              label={label}
              existingAddress={other.address}
              existingLabel={other.label}
            />
          </Notice>
        ))}
      {lookAlikes.length > 0 && (
        <Checkbox
          label={t`I have compared the whole address with its source, and it is another recipient.`}
          checked={isCompared}
          onChange={(event) => setCompared(event.target.checked)}
        />
      )}
    </FormDialog>
  )
}
