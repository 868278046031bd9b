import { describe, expect, test } from 'vitest'
import { dispositionOf, fileNameOf } from './file-name.ts'

const named = (parameters: string) => fileNameOf(`attachment; ${parameters}`, 'application/pdf')

describe('the name of an upload', () => {
  test.each([
    ['a token', 'filename=receipt.pdf', 'receipt.pdf'],
    ['a quoted string', 'filename="my receipt.pdf"', 'my receipt.pdf'],
    ['a quoted string with escapes', 'filename="a\\"b.pdf"', 'a_b.pdf'],
    ['an extended value', "filename*=UTF-8''%e2%82%ac%20rates.pdf", '€ rates.pdf'],
    ['the extended value of both', 'filename="x.pdf"; filename*=UTF-8\'\'y.pdf', 'y.pdf'],
    ['Latin-1 in an extended value', "filename*=ISO-8859-1''caf%e9.pdf", 'café.pdf'],
    ['UTF-8 bytes in a plain value', 'filename="caf\u00c3\u00a9.pdf"', 'café.pdf'],
    ['Latin-1 bytes in a plain value', 'filename="caf\u00e9.pdf"', 'café.pdf'],
  ])('is read from %s', (_what, parameters, name) => {
    expect(named(parameters)).toBe(name)
  })

  test.each([
    ['a path', 'filename="../../etc/passwd.pdf"', 'passwd.pdf'],
    ['a Windows path', 'filename="C:\\\\temp\\\\bill.pdf"', 'bill.pdf'],
    ['leading dots', 'filename="..hidden.pdf"', 'hidden.pdf'],
    ['control characters', "filename*=UTF-8''a%00b%0d%0ac.pdf", 'abc.pdf'],
    ['a direction override', "filename*=UTF-8''invoice%e2%80%aefdp.exe.pdf", 'invoicefdp.exe.pdf'],
    ['reserved characters', 'filename="a:b*c?.pdf"', 'a_b_c_.pdf'],
    ['an extension of another type', 'filename="page.html"', 'page.html.pdf'],
    ['no extension', 'filename=receipt', 'receipt.pdf'],
    ['an extension in capitals', 'filename=RECEIPT.PDF', 'RECEIPT.PDF'],
  ])('is made safe: %s', (_what, parameters, name) => {
    expect(named(parameters)).toBe(name)
  })

  test('has at most 200 characters and keeps its extension', () => {
    const name = named(`filename*=UTF-8''${'%f0%9f%a7%be'.repeat(300)}.pdf`)
    expect([...name]).toHaveLength(200)
    expect(name.endsWith('🧾.pdf')).toBe(true)
  })

  test('accepts both extensions of JPEG', () => {
    expect(fileNameOf('attachment; filename=a.jpeg', 'image/jpeg')).toBe('a.jpeg')
    expect(fileNameOf('attachment; filename=a', 'image/jpeg')).toBe('a.jpg')
  })

  test.each([
    ['no name', 'attachment'],
    ['an empty header', ''],
    ['an open quote', 'attachment; filename="a'],
    ['a repeated name', 'attachment; filename=a; filename=b'],
    ['an unknown charset', "attachment; filename*=UTF-16''a"],
    ['dots only', 'attachment; filename="..."'],
    ['invisible characters only', "attachment; filename*=UTF-8''%e2%80%8b"],
  ])('is refused with the header to send: %s', (_what, header) => {
    expect(() => fileNameOf(header, 'application/pdf')).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: expect.stringContaining('Content-Disposition: attachment; filename="receipt.pdf"'),
      }),
    )
  })
})

test('a download names the file in ASCII and in UTF-8', () => {
  expect(dispositionOf('receipt.pdf')).toBe('attachment; filename="receipt.pdf"')
  expect(dispositionOf('€.pdf')).toBe(
    'attachment; filename="?.pdf"; filename*=UTF-8\'\'%E2%82%AC.pdf',
  )
})
