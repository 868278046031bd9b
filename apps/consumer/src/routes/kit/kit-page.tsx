import { useDeployment } from '@countersign/app-kit/data/deployment.ts'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { NotFoundView } from '../../shell/not-found-view.tsx'
import { Buttons, Colours, Fields, Overlays } from './kit-controls.tsx'
import { Charts, Figures, Marks, Notices, Steps, Waiting } from './kit-displays.tsx'

const PARTS = [
  ['Colours', Colours],
  ['Buttons', Buttons],
  ['Fields', Fields],
  ['Dialogs, menus and confirmations', Overlays],
  ['States', Marks],
  ['Notices', Notices],
  ['Figures, addresses and times', Figures],
  ['Steps', Steps],
  ['Charts', Charts],
  ['Empty and loading', Waiting],
] as const

/** Every component in its variants, for those who design with them. It is English only. */
export function KitPage() {
  const { isDevelopment } = useDeployment()
  if (!isDevelopment) return <NotFoundView />
  return (
    <main lang="en">
      <Page title="Components" lead="Every component of packages/ui, in its variants.">
        {PARTS.map(([title, Part]) => (
          <Section key={title} title={title}>
            <Card>
              <Part />
            </Card>
          </Section>
        ))}
      </Page>
    </main>
  )
}
