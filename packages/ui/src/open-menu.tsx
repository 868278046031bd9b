import { Menu as Base } from '@base-ui/react/menu'
import { classes } from './classes.ts'
import type { MenuProps } from './menu.tsx'

type Props = MenuProps & { isOpenAtFirst: boolean }

export function OpenMenu({ trigger, items, isOpenAtFirst }: Props) {
  return (
    <Base.Root defaultOpen={isOpenAtFirst}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner align="end" sideOffset={6} className="z-50">
          <Base.Popup className="min-w-52 max-w-80 rounded-md border border-line bg-raised p-1 shadow-raised outline-none">
            {items.map(({ label, onSelect, icon, reason, isDangerous }, index) => (
              <Base.Item
                // biome-ignore lint/suspicious/noArrayIndexKey: the list of a menu does not change while it is open
                key={index}
                disabled={Boolean(reason)}
                onClick={onSelect}
                className={classes(
                  'flex min-h-10 cursor-default items-center gap-3 rounded-sm px-3 py-1.5 outline-none data-[highlighted]:bg-hover',
                  isDangerous && !reason && 'text-bad',
                  reason && 'text-muted',
                )}
              >
                {icon && <span className="text-muted">{icon}</span>}
                <span>
                  {label}
                  {reason && <span className="block text-xs">{reason}</span>}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
