/** Amounts are bigint or strings of base units. Nothing here goes through a floating-point number. */

export type TokenUnits = { symbol: string; decimals: number }

/** "75000000" with six decimals is "75.000000". */
export function asDecimal(baseUnits: string | bigint, decimals: number): string {
  const value = BigInt(baseUnits)
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals)
  return `${sign}${whole}${decimals > 0 ? `.${fraction}` : ''}`
}

/** Two places at least, more only where they are not zero. */
export function formatAmount(baseUnits: string | bigint, decimals: number, locale: string): string {
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: Math.min(2, decimals),
    maximumFractionDigits: decimals,
  })
  return format.format(asDecimal(baseUnits, decimals) as Intl.StringNumericLiteral)
}

const decimalSignOf = (locale: string): string =>
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ??
  '.'

export type ParsedAmount =
  | { ok: true; baseUnits: string }
  | { ok: false; problem: 'empty' | 'not_a_number' | 'too_precise' | 'zero' }

/**
 * Reads what a person typed. "1.234" could be a thousand or one and a bit, depending on the country:
 * a sign that groups digits is refused unless a decimal sign follows, so that nobody pays a
 * thousandfold.
 */
export function parseAmount(typed: string, decimals: number, locale: string): ParsedAmount {
  // An apostrophe groups digits in Switzerland and means nothing else anywhere.
  const text = typed.replace(/[\s\u00a0\u202f'’]/g, '')
  if (text === '') return { ok: false, problem: 'empty' }
  const decimal = decimalSignOf(locale)
  const group = decimal === '.' ? ',' : '.'
  // India groups by two after the first three.
  const grouped = new RegExp(`^\\d{1,3}(?:\\${group}\\d{2,3})*\\${group}\\d{3}\\${decimal}\\d+$`)
  const plain = new RegExp(`^\\d+(?:\\${decimal}\\d*)?$`)
  if (!plain.test(text) && !grouped.test(text)) return { ok: false, problem: 'not_a_number' }
  const [whole = '', fraction = ''] = text.replaceAll(group, '').split(decimal)
  if (fraction.replace(/0+$/, '').length > decimals) return { ok: false, problem: 'too_precise' }
  const baseUnits = BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
  return baseUnits === 0n
    ? { ok: false, problem: 'zero' }
    : { ok: true, baseUnits: baseUnits.toString() }
}

/** For filling a field: no grouping, no needless zeros beyond two places. */
export function editableAmount(baseUnits: string, decimals: number, locale: string): string {
  const [whole = '0', fraction = ''] = asDecimal(baseUnits, decimals).split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(Math.min(2, decimals), '0')
  return kept ? `${whole}${decimalSignOf(locale)}${kept}` : whole
}
