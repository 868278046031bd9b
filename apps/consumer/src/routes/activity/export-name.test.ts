import { expect, it } from 'vitest'
import { exportName } from './export-name.ts'

it('names its period and format', () => {
  expect(exportName('plain', {})).toBe('payments')
  expect(exportName('xero', { from: '2026-01-01', to: '2026-01-31' })).toBe(
    'payments-2026-01-01-2026-01-31-xero',
  )
})
