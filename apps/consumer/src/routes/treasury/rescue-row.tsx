import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import { OwnerCallDialog } from '../../wallet/owner-call-dialog.tsx'
import { placeOf } from '../../wallet/vault-calls.ts'
import { DangerRow } from './danger-row.tsx'
import { parseRescue, type RescueProblems, type RescueWish } from './parse-rescue.ts'

type Vault = DataOf<'getVault'>

/** For tokens that someone sent to the vault by mistake. */
export function RescueRow({ vault }: { vault: Vault }) {
  const { t } = useLingui()
  const [asking, setAsking] = useState<'no' | 'what' | RescueWish>('no')
  const close = () => setAsking('no')
  return (
    <DangerRow
      title={<Trans>Another token</Trans>}
      text={
        <Trans>
          Sends a token that does not belong into the vault to its owner, and nowhere else. For the
          vault's own token, use Withdraw.
        </Trans>
      }
    >
      <Button onClick={() => setAsking('what')}>
        <Trans>Send it to the owner</Trans>
      </Button>
      {asking === 'what' && (
        <Dialog isOpen onClose={close} title={<Trans>Send another token to the owner</Trans>}>
          <RescueForm vault={vault} onWish={setAsking} />
        </Dialog>
      )}
      {typeof asking === 'object' && (
        <OwnerCallDialog
          call={{ name: 'rescue', ...asking }}
          place={placeOf(vault)}
          anyOf={[vault.ownerAddress]}
          title={<Trans>Send this token to the owner?</Trans>}
          label={t`Send it in the wallet`}
          done={<Trans>The token was sent</Trans>}
          onClose={close}
        >
          <p>
            <Trans>
              <span className="figures">{asking.amount.toString()}</span> of its smallest units
              leave the vault:
            </Trans>
          </p>
          <Address address={asking.token} />
          <p>
            <Trans>They go to the owner of the vault:</Trans>
          </p>
          <Address address={vault.ownerAddress} />
        </OwnerCallDialog>
      )}
    </DangerRow>
  )
}

function RescueForm({ vault, onWish }: { vault: Vault; onWish(wish: RescueWish): void }) {
  const { t } = useLingui()
  const [token, setToken] = useState('')
  const [amount, setAmount] = useState('')
  const [problems, setProblems] = useState<RescueProblems>({})
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const parsed = parseRescue({ token, amount }, vault.tokenAddress)
    if (parsed.ok) onWish(parsed.wish)
    else setProblems(parsed.problems)
  }
  const words = {
    no_address: t`This is not an address.`,
    own_token: t`This is the vault's own token. Use Withdraw instead.`,
    no_number: t`Enter a whole number above zero.`,
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <TextField
        label={t`Address of the token`}
        autoComplete="off"
        spellCheck={false}
        value={token}
        problem={problems.token && words[problems.token]}
        onChange={(event) => {
          setToken(event.target.value)
          setProblems({})
        }}
      />
      <TextField
        label={t`Amount in its smallest units`}
        inputMode="numeric"
        autoComplete="off"
        value={amount}
        hint={t`Without a decimal point: with 18 decimals, 1 is written as 1 and 18 zeros.`}
        problem={problems.amount && words[problems.amount]}
        onChange={(event) => {
          setAmount(event.target.value)
          setProblems({})
        }}
      />
      <div>
        <Button type="submit" look="danger">
          <Trans>Continue</Trans>
        </Button>
      </div>
    </form>
  )
}
