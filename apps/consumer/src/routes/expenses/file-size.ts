/** As the service counts its limits. */
const KILO = 1_024

/** "0.7 kB", "24 kB", "1.2 MB". */
export function fileSize(bytes: number, locale: string): string {
  const [value, unit] =
    bytes < KILO * KILO ? [bytes / KILO, 'kilobyte'] : [bytes / KILO / KILO, 'megabyte']
  const format = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, format).format(value)
}
