import { Dialog } from '@countersign/ui/dialog.tsx'
import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../data/organization.tsx'
import { screensFor } from './navigation.ts'
import { COMMAND_KEY } from './shortcuts.ts'

const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span className="flex gap-1">
    {keys.map((key) => (
      <kbd
        key={key}
        className="min-w-7 rounded-sm border border-line bg-sunken px-1.5 py-0.5 text-center text-sm"
      >
        {key}
      </kbd>
    ))}
  </span>
)

export function ShortcutSheet({ onClose }: { onClose(): void }) {
  const { t, i18n } = useLingui()
  const { role } = useOrganization()
  const rows = [
    { text: t`Search and commands`, keys: [COMMAND_KEY, 'K'] },
    { text: t`New expense`, keys: ['c'] },
    { text: t`Next and previous row`, keys: ['j', 'k'] },
    { text: t`Open the row`, keys: ['Enter'] },
    ...screensFor(role).map(({ name, key }) => ({ text: i18n._(name), keys: ['g', key] })),
    { text: t`This list`, keys: ['?'] },
  ]
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Keyboard`}
      description={t`Nothing is signed or paid by a key.`}
    >
      <ul className="flex flex-col gap-2">
        {rows.map(({ text, keys }) => (
          <li key={text} className="flex items-center justify-between gap-4">
            <span>{text}</span>
            <Keys keys={keys} />
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
