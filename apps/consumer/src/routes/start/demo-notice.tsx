import { Button } from '@countersign/ui/button.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { furnishDemo, joinDemo, useDemo } from '../../data/demo.ts'

/** Under `npm start`: the way to an organization that has something in it. */
export function DemoNotice({ memberOf }: { memberOf: readonly string[] }) {
  const { data: demo } = useDemo()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [step, setStep] = useState<'idle' | 'busy' | 'failed'>('idle')
  if (!demo || demo.state === 'unavailable') return null
  if (demo.state === 'ready' && memberOf.includes(demo.organizationId)) return null
  const take = (work: () => Promise<void>) => async () => {
    setStep('busy')
    await work().then(
      () => setStep('idle'),
      () => setStep('failed'),
    )
  }
  const start = take(async () => {
    cache.setQueryData(['demo'], await furnishDemo())
  })
  const open = take(async () => {
    const params = await joinDemo()
    await cache.invalidateQueries({ queryKey: ['getAccount'] })
    await navigate({ to: '/organizations/$organizationId', params })
  })
  return (
    <Section title={<Trans>Development</Trans>}>
      <Card>
        <div className="flex flex-col items-start gap-4">
          <p className="text-muted">
            <Trans>
              The demo organization has people, vaults, and expenses in most states. You join it as
              an owner.
            </Trans>
          </p>
          {demo.state === 'ready' && demo.history === 'today' && (
            <p className="text-muted">
              <Trans>
                Its history is of one day, because this development chain had been used before. In a
                new data folder it has four months.
              </Trans>
            </p>
          )}
          {demo.state === 'furnishing' && (
            <p role="status">
              <Trans>Setting up: {demo.chapter}</Trans>
            </p>
          )}
          {(step === 'failed' || demo.state === 'failed') && (
            <p role="alert">
              <Trans>That did not work. The log of the service says why.</Trans>
            </p>
          )}
          {demo.state === 'ready' ? (
            <Button onClick={open} isBusy={step === 'busy'}>
              <Trans>Open the demo organization</Trans>
            </Button>
          ) : (
            <Button onClick={start} isBusy={step === 'busy' || demo.state === 'furnishing'}>
              <Trans>Set up a demo organization</Trans>
            </Button>
          )}
        </div>
      </Card>
    </Section>
  )
}
