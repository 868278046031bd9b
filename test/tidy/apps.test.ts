import { describe, expect, test } from 'vitest'
import {
  appDefaultExportProblems,
  appWallProblems,
  colourProblems,
  componentProblems,
  markupProblems,
} from './apps.ts'

type Line = [path: string, text: string]

const file = ([path, text]: Line) => [{ path, text }]
const screen = 'apps/consumer/src/routes/sign/sign-page.tsx'
const component = 'packages/ui/src/button.tsx'

describe('the walls of an application', () => {
  test.each<Line>([
    [screen, "import { A } from '../support/tell.tsx'"],
    [screen, "import { A } from '#payments/pay.ts'"],
    [screen, "import { A } from '../../../../../src/payments/pay.ts'"],
    [screen, "import { A } from '../../../../other/src/a.ts'"],
    [screen, "const a = lazy(() => import('../support/tell.tsx'))"],
    ['apps/consumer/src/shell/menu.tsx', "import { A } from '../routes/sign/a.ts'"],
    [screen, "import {\n  A,\n  B,\n} from '../support/tell.tsx'"],
  ])('%s may not say %s', (...line) => {
    expect(appWallProblems(file(line))).toHaveLength(1)
  })

  test.each<Line>([
    [screen, "import { A } from './steps.tsx'"],
    [screen, "import { A } from '../../shell/menu.tsx'"],
    [screen, "import { A } from '@countersign/ui/button.tsx'"],
    ['apps/consumer/src/routes/expenses/form/a.tsx', "import { A } from '../detail/b.ts'"],
    ['apps/consumer/src/router.tsx', "lazy(() => import('./routes/sign/sign-page.tsx'))"],
  ])('%s may say %s', (...line) => {
    expect(appWallProblems(file(line))).toEqual([])
  })
})

describe('a component', () => {
  test.each([
    "import { A } from '@countersign/consumer/src/a.ts'",
    "import { A } from '@countersign/client/a.ts'",
    "import { A } from '../../../apps/consumer/src/a.ts'",
    "import { A } from '#platform/a.ts'",
    "import { A } from 'node:fs'",
  ])('may not say %s', (text) => {
    expect(componentProblems(file([component, text]))).toHaveLength(1)
  })

  test.each(["import { A } from './a.ts'", "import { A } from '@base-ui/react/menu'"])(
    'may say %s',
    (text) => {
      expect(componentProblems(file([component, text]))).toEqual([])
    },
  )
})

test.each([
  '<p dangerouslySetInnerHTML={{ __html: purpose }} />',
  'element.innerHTML = purpose',
  "document.write('a')",
  'eval(purpose)',
])('%s makes markup or script of text', (text) => {
  expect(markupProblems()(file([screen, text]))).toHaveLength(1)
})

test.each(['<rect fill="#fff" />', "'#1b1d1c'", 'bg-[#0f6b54]', 'rgb(0 0 0 / 60%)'])(
  '%s names a colour',
  (text) => {
    expect(colourProblems()(file([screen, text]))).toHaveLength(1)
  },
)

test.each(['<a href="#main">', "link.split('#')", 'one {# recipient}'])('%s names none', (text) => {
  expect(colourProblems()(file([screen, text]))).toEqual([])
})

test('a default export is a problem, and an exception that nothing needs is one too', () => {
  expect(appDefaultExportProblems()(file([screen, 'export default function A() {}']))).toHaveLength(
    1,
  )
  expect(colourProblems({ [screen]: 'why' })(file([screen, '']))).toHaveLength(1)
})
