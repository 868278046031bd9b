import { createElement, useState } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { nameAfterChange, useTypedName } from './typed-name.ts'

test('keeps what was typed when the saved name changes', () => {
  expect(nameAfterChange('Acme Ltd', { name: 'Acme Inc', base: 'Acme' })).toBe('Acme Inc')
  expect(nameAfterChange('Acme Ltd', { name: '', base: 'Acme' })).toBe('')
})

test('follows the saved name while nothing was typed', () => {
  expect(nameAfterChange('Acme Ltd', { name: 'Acme', base: 'Acme' })).toBe('Acme Ltd')
})

test('shows the name as it was saved after one has saved it', () => {
  expect(nameAfterChange('Acme Ltd', { name: ' Acme Ltd ', base: 'Acme' })).toBe('Acme Ltd')
})

test.each([
  ['Acme Inc', 'Acme Inc'],
  ['Acme', 'Acme Ltd'],
])('a field with %s shows %s after the saved name has become Acme Ltd', (typed, shown) => {
  function Field() {
    const [saved, setSaved] = useState('Acme')
    const [name, setName] = useTypedName(saved)
    if (saved === 'Acme' && name !== typed) setName(typed)
    else if (saved === 'Acme') setSaved('Acme Ltd')
    return name
  }
  expect(renderToStaticMarkup(createElement(Field))).toBe(shown)
})
