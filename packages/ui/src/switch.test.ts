import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Switch } from './switch.tsx'

const markupOf = (hint?: string) =>
  renderToStaticMarkup(
    createElement(Switch, {
      label: 'E-mail',
      isOn: false,
      onChange: () => {},
      ...(hint && { hint }),
    }),
  )

test('a hint describes its switch', () => {
  const markup = markupOf('At most one a day.')
  const [, id] = /<p id="([^"]+)"[^>]*>At most one a day\.</.exec(markup) ?? []
  expect(id).toBeDefined()
  expect(markup).toContain(`aria-describedby="${id}"`)
})

test('a switch without a hint has no description', () => {
  expect(markupOf()).not.toContain('aria-describedby')
})
