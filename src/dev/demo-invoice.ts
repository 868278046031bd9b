/** A PDF of a few lines, so that the demo has a file to attach. */
import type { DemoFile } from './demo-client.ts'

/** The texts must not contain parentheses or backslashes, which PDF strings escape. */
export function makeInvoice(number: string, ...lines: readonly string[]): DemoFile {
  const rest = lines.map((line) => `0 -20 Td (${line}) Tj`).join(' ')
  const content = `BT /F1 12 Tf 72 720 Td (Invoice ${number}) Tj ${rest} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R ' +
      '/Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let body = '%PDF-1.7\n'
  const entries = objects.map((object, index) => {
    const entry = `${String(body.length).padStart(10, '0')} 00000 n \n`
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return entry
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${entries.join('')}`
  const trailer = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  const bytes = new TextEncoder().encode(body + table + trailer)
  return { name: `invoice-${number}.pdf`, mediaType: 'application/pdf', bytes }
}
