/** `plain` has every column; the others are what an accounting system imports. */
export const exportFormats = ['plain', 'xero', 'quickbooks'] as const
export type ExportFormat = (typeof exportFormats)[number]
