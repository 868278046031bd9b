import { Button } from '@countersign/ui/button.tsx'
import { ComboboxField } from '@countersign/ui/combobox.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import {
  Checkbox,
  ChoiceGroup,
  Radio,
  SelectField,
  TextArea,
  TextField,
} from '@countersign/ui/field.tsx'
import { Menu } from '@countersign/ui/menu.tsx'
import { say } from '@countersign/ui/say.ts'
import { Switch } from '@countersign/ui/switch.tsx'
import { type ReactNode, useState } from 'react'

const SWATCHES = [
  ['page', 'bg-page'],
  ['surface', 'bg-surface'],
  ['raised', 'bg-raised'],
  ['sunken', 'bg-sunken'],
  ['hover', 'bg-hover'],
  ['selected', 'bg-selected'],
  ['line', 'bg-line'],
  ['control', 'bg-control'],
  ['text', 'bg-text'],
  ['muted', 'bg-muted'],
  ['accent', 'bg-accent'],
  ['accent-soft', 'bg-accent-soft'],
  ['ok', 'bg-ok'],
  ['ok-soft', 'bg-ok-soft'],
  ['warn', 'bg-warn'],
  ['warn-soft', 'bg-warn-soft'],
  ['bad', 'bg-bad'],
  ['bad-soft', 'bg-bad-soft'],
  ['info', 'bg-info'],
  ['info-soft', 'bg-info-soft'],
] as const

export const Colours = () => (
  <ul className="grid grid-cols-2 gap-3 sm:grid-cols-5">
    {SWATCHES.map(([name, look]) => (
      <li key={name} className="flex items-center gap-2 text-sm">
        <span className={`size-8 rounded-md border border-line ${look}`} />
        {name}
      </li>
    ))}
  </ul>
)

const LOOKS = ['primary', 'secondary', 'quiet', 'danger', 'link'] as const
const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-2">{children}</div>
)

export const Buttons = () => (
  <div className="flex flex-col gap-4">
    {(['large', 'normal', 'small'] as const).map((size) => (
      <Row key={size}>
        {LOOKS.map((look) => (
          <Button key={look} look={look} size={size}>
            {look}
          </Button>
        ))}
      </Row>
    ))}
    <Row>
      <Button look="primary" isBusy>
        Busy
      </Button>
      <Button look="primary" isDisabled>
        Disabled
      </Button>
      <Button reason="Only an owner can do this.">Off, and says why</Button>
    </Row>
  </div>
)

const OPTIONS = [
  { value: 'one', label: 'Main vault', detail: '46,774.45 USDC' },
  { value: 'two', label: 'Events', detail: '4,868.60 USDC' },
]

export function Fields() {
  const [chosen, setChosen] = useState<string | null>('one')
  const [isOn, setOn] = useState(true)
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <TextField label="Name" hint="A hint below." placeholder="Printers Limited" />
      <TextField label="Amount" note="was 80.00" suffix="USDC" defaultValue="75.00" />
      <TextField label="Address" problem="This is not an address." defaultValue="0x8fa3" />
      <TextField label="Disabled" disabled defaultValue="Cannot be changed" />
      <SelectField label="Vault" options={OPTIONS} />
      <ComboboxField label="Recipient" options={OPTIONS} value={chosen} onChange={setChosen} />
      <TextArea label="Purpose" />
      <div>
        <ChoiceGroup label="How is it paid?">
          <Radio name="mode" label="A person signs" hint="In their own wallet." defaultChecked />
          <Radio name="mode" label="Automatic" disabled />
        </ChoiceGroup>
        <Checkbox label="I have compared the address" />
        <Switch label="Automatic payments" hint="Small ones." isOn={isOn} onChange={setOn} />
      </div>
    </div>
  )
}

export function Overlays() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Row>
      <Button onClick={() => setOpen(true)}>Dialog</Button>
      <Menu
        trigger={<Button>Menu</Button>}
        items={[
          { label: 'Rename', onSelect: () => undefined },
          { label: 'Archive', onSelect: () => undefined, reason: 'It still holds money.' },
          { label: 'Remove', onSelect: () => undefined, isDangerous: true },
        ]}
      />
      <Button onClick={() => say('Saved', 'As a draft.')}>Confirmation</Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="A question"
        description="A sheet on a phone, a window elsewhere."
        actions={
          <Button look="primary" onClick={() => setOpen(false)}>
            Done
          </Button>
        }
      >
        <TextField label="Name" />
      </Dialog>
    </Row>
  )
}
