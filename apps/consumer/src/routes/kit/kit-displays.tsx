import { Address, Hash, ShortAddress } from '@countersign/ui/address.tsx'
import { Bars } from '@countersign/ui/bars.tsx'
import { Columns } from '@countersign/ui/columns.tsx'
import { Disclosure } from '@countersign/ui/disclosure.tsx'
import { Mark, type MarkKind } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Empty, Fact, Facts, Skeleton } from '@countersign/ui/page.tsx'
import { QrCode } from '@countersign/ui/qr.tsx'
import { Timeline } from '@countersign/ui/timeline.tsx'
import { Inbox } from 'lucide-react'

const KINDS: readonly MarkKind[] = [
  ...(['draft', 'working', 'waiting', 'sign', 'warning', 'blocked', 'done', 'ended'] as const),
]
const ADDRESS = '0x8fA319C244b07E21A9d013BC55f20c9A7743e17D'
const HASH = `0x${'3b9f91e2'.repeat(8)}`
const AT = '2026-11-03T11:02:00.000Z'

export const Marks = () => (
  <div className="flex flex-wrap gap-2">
    {KINDS.map((kind) => (
      <Mark key={kind} kind={kind}>
        {kind}
      </Mark>
    ))}
  </div>
)

export const Notices = () => (
  <div className="flex flex-col gap-3">
    {(['info', 'ok', 'warn', 'bad'] as const).map((tone) => (
      <Notice key={tone} tone={tone} title={`A notice: ${tone}`}>
        What happened, and what to do about it.
      </Notice>
    ))}
  </div>
)

export const Figures = () => (
  <Facts>
    <Fact term="Money">
      <Money baseUnits="1234567890000" isStrong />
    </Fact>
    <Fact term="Address">
      <Address address={ADDRESS} name="Printers Limited" />
    </Fact>
    <Fact term="In lists">
      <ShortAddress address={ADDRESS} />
    </Fact>
    <Fact term="Hash">
      <Hash hash={HASH} />
    </Fact>
    <Fact term="Moment">
      <Moment at={AT} style="full" /> · <Moment at={AT} />
    </Fact>
  </Facts>
)

export const Steps = () => (
  <div className="grid gap-6 sm:grid-cols-2">
    <Timeline
      label="Steps"
      steps={[
        { id: 'a', when: 'past', title: 'It happened', at: <Moment at={AT} style="date" /> },
        { id: 'b', when: 'failed', title: 'It failed', children: 'With a reason.' },
        { id: 'c', when: 'now', title: 'It is waited for' },
        { id: 'd', when: 'next', title: 'It follows' },
      ]}
    />
    <div>
      <Disclosure title="For those who look closer">Details.</Disclosure>
      <Disclosure title="Open at first" isOpen>
        More details.
      </Disclosure>
    </div>
  </div>
)

const SERIES = [
  { id: '1', label: 'Sept', value: 12n, text: '12.00' },
  { id: '2', label: 'Oct', value: 31n, text: '31.00' },
  { id: '3', label: 'Nov', value: 22n, text: '22.00' },
]

export const Charts = () => (
  <div className="grid gap-6 sm:grid-cols-2">
    <Columns label="By month" columns={SERIES} />
    <Bars label="By category" bars={SERIES} />
  </div>
)

export const Waiting = () => (
  <div className="grid gap-6 sm:grid-cols-3">
    <Empty icon={<Inbox aria-hidden="true" />} title="Nothing here yet">
      What it would be, and the next step.
    </Empty>
    <Skeleton lines={4} />
    <QrCode text="https://example.com" label="A code" />
  </div>
)
