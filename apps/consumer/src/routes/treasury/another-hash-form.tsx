import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useState } from 'react'
import type { Hex } from 'viem'
import { isTransactionHash } from './intent-steps.ts'

type Props = { isBusy: boolean; onSubmit(hash: Hex): void }

/** For a transaction that the wallet replaced, or that was sent from elsewhere. */
export function AnotherHashForm({ isBusy, onSubmit }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const hash = text.trim()
    if (isTransactionHash(hash)) onSubmit(hash)
    else setProblem(t`A transaction hash is 0x and 64 digits or letters from a to f.`)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <TextField
        label={t`Transaction hash`}
        hint={t`Your wallet shows it under activity. If you sped the transaction up, use the newer one.`}
        value={text}
        problem={problem}
        onChange={(event) => {
          setText(event.target.value)
          setProblem(undefined)
        }}
        autoComplete="off"
        spellCheck={false}
      />
      <div>
        <Button type="submit" isBusy={isBusy} isDisabled={text.trim() === ''}>
          <Trans>Look for this one</Trans>
        </Button>
      </div>
    </form>
  )
}
