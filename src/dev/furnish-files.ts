/** Invoices and photographed receipts of the demo. No two are alike. */
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { DemoFile } from './demo-client.ts'

const [WIDTH, HEIGHT] = [240, 360]
const [PAPER, INK] = [0xf6, 0x3a]
const MARGIN = 24
const LINE_HEIGHT = 18
const TEXT_HEIGHT = 7

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** Lines of grey bars whose lengths come from the text, as a till prints words and prices. */
function pixelsOf(text: string): Buffer {
  const lengths = createHash('sha256').update(text).digest()
  const stride = WIDTH + 1
  const pixels = Buffer.alloc(stride * HEIGHT, PAPER)
  const inner = WIDTH - 2 * MARGIN
  for (let y = 0; y < HEIGHT; y += 1) {
    // Every row begins with its filter, 0 for none.
    pixels[y * stride] = 0
    const line = Math.floor((y - MARGIN) / LINE_HEIGHT)
    const isText = y >= MARGIN && y < HEIGHT - MARGIN && (y - MARGIN) % LINE_HEIGHT < TEXT_HEIGHT
    if (!isText) continue
    const start = y * stride + 1 + MARGIN
    const words = Math.floor(inner * (0.2 + ((lengths[line] ?? 0) / 255) * 0.45))
    const price = Math.floor(inner * (0.1 + ((lengths[31 - line] ?? 0) / 255) * 0.1))
    pixels.fill(INK, start, start + words)
    pixels.fill(INK, start + inner - price, start + inner)
  }
  return pixels
}

/** A small greyscale PNG. */
export function makeReceiptImage(number: string): DemoFile {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(WIDTH, 0)
  header.writeUInt32BE(HEIGHT, 4)
  header[8] = 8
  const bytes = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixelsOf(number))),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return { name: `receipt-${number}.png`, mediaType: 'image/png', bytes: new Uint8Array(bytes) }
}
