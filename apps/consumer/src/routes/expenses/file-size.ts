/** As the service counts its limits. */
const KILO = 1_024

/** "659 bytes", "24 kB", "1.2 MB". */
export function fileSize(bytes: number, locale: string): string {
  const [value, unit] =
    bytes < KILO
      ? [bytes, 'byte']
      : bytes < KILO * KILO
        ? [bytes / KILO, 'kilobyte']
        : [bytes / KILO / KILO, 'megabyte']
  // Short, "byte" would have no plural.
  const unitDisplay = unit === 'byte' ? 'long' : 'short'
  const format = { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, format).format(value)
}
