import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Hash } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Disclosure } from '@countersign/ui/disclosure.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Mark, type MarkKind } from '@countersign/ui/mark.tsx'
import { Card } from '@countersign/ui/page.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { prettyJson } from './pretty-json.ts'

const route = getRouteApi('/signed-in')

type Proof = ItemOf<'listLedgerProofs'>

const STATES: Record<Proof['state'], { kind: MarkKind; word: MessageDescriptor }> = {
  prepared: { kind: 'draft', word: msg`Prepared` },
  claimed: { kind: 'sign', word: msg`Claimed` },
  confirmed: { kind: 'done', word: msg`Confirmed` },
  failed: { kind: 'blocked', word: msg`Failed` },
}

export function ProofCard({ proof }: { proof: Proof }) {
  const { i18n } = useLingui()
  const { accountId } = route.useRouteContext()
  const { kind, word } = STATES[proof.state]
  return (
    <Card>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <Mark kind={kind}>{i18n._(word)}</Mark>
        {proof.errorCode && <span className="font-mono text-bad text-sm">{proof.errorCode}</span>}
      </div>
      <Hash hash={proof.intentHash} />
      <div className="mt-3">
        <Disclosure title={<Trans>What is to be signed</Trans>}>
          <Code text={prettyJson(proof.intentJson)} />
        </Disclosure>
        {proof.evidenceJson && (
          <Disclosure title={<Trans>What was found on the chain</Trans>}>
            <Code text={prettyJson(proof.evidenceJson)} />
          </Disclosure>
        )}
      </div>
      {proof.state === 'prepared' && <Claim proof={proof} />}
      {proof.state === 'claimed' &&
        (proof.claimedByAccountId === accountId ? (
          <Confirm proof={proof} />
        ) : (
          <p className="text-muted text-sm">
            <Trans>Another operator has claimed it, and only they can confirm it.</Trans>
          </p>
        ))}
    </Card>
  )
}

const Code = ({ text }: { text: string }) => (
  <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-md bg-sunken p-3 font-mono text-xs">
    {text}
  </pre>
)

function Claim({ proof }: { proof: Proof }) {
  const claim = useAction('claimLedgerProof', ['listLedgerProofs'])
  const path = { organizationId: proof.organizationId, id: proof.id }
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-muted text-sm">
        <Trans>
          Claiming makes it yours: nobody else can sign or confirm it. It is recorded in the
          organization's audit trail.
        </Trans>
      </p>
      {claim.failure && <FailureNotice failure={claim.failure} />}
      <Button size="small" isBusy={claim.isBusy} onClick={() => void claim.run({ path })}>
        <Trans>Claim it</Trans>
      </Button>
    </div>
  )
}

function Confirm({ proof }: { proof: Proof }) {
  const { t } = useLingui()
  const confirm = useAction('confirmLedgerProof', ['listLedgerProofs'])
  const [hash, setHash] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const path = { organizationId: proof.organizationId, id: proof.id }
    void confirm.run({ path, body: { hash: hash.trim().toLowerCase() } })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={t`Hash of the transaction that you sent`}
        hint={t`Sign it on the device and send it from your own software. This page only compares.`}
        value={hash}
        onChange={(event) => setHash(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {confirm.failure && <FailureNotice failure={confirm.failure} />}
      <div>
        <Button
          type="submit"
          size="small"
          look="primary"
          isBusy={confirm.isBusy}
          isDisabled={hash.trim() === ''}
        >
          <Trans>Compare with the chain</Trans>
        </Button>
      </div>
    </form>
  )
}
