/**
 * What large transfers cost the API process in memory: the export of many payments, to a client
 * that reads as fast as it can and to a slow one, and attachments of the greatest size.
 *
 * - Exports: peak resident memory, read every 20 ms, beyond that of the same process
 *   before, which has answered some lists and collected its garbage. Each reader has a process of
 *   its own, since memory that was once taken is rarely given back.
 * - Attachments: the heap is read again and again during the transfer, each time after a full
 *   garbage collection, so that it shows what the transfer holds and not what happens to wait for
 *   the collector. Buffers are outside the heap and a figure of their own. A small attachment goes
 *   before, so that code which is loaded and compiled once is not counted.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { subjectOf, writeDataSet } from './data-set.ts'
import { type Figure, handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { ask, type Usage } from './live-wire.ts'
import { PAYMENT_TABLES, writePayments } from './payment-rows.ts'
import { ISSUER, prepareGround, type Server, startService } from './service-stage.ts'
import { rounded, say } from './turns.ts'

const PAYMENTS = Number(process.env.TRANSFER_PAYMENTS ?? 100_000)
const TIMES = Number(process.env.TRANSFER_TIMES ?? 10)
const ATTACHMENT_MIB = 10
const SLOW_MIB_A_SECOND = 4
const LOOK_EVERY_MS = 20
const MIB = 2 ** 20
const EXPORT_MIB_MAX = 64
const HEAP_MIB_MAX = 2

const ground = await prepareGround()
for (const table of PAYMENT_TABLES) {
  await ground.pool.query(`alter table ${table} no force row level security`)
}
const name = 'transfers'
const data = await writeDataSet(ground.pool, { name, expenses: PAYMENTS, issuer: ISSUER })
await writePayments(ground.pool, { name, count: PAYMENTS, data })
await ground.pool.query('vacuum analyze')
const authorization = `Bearer ${await ground.tokenOf(subjectOf(name, 1))}`
const org = `/v1/consumer/organizations/${data.organizationId}`
const mib = (bytes: number): number => rounded(bytes / MIB, 1)

const usageOf = ({ child }: Server, tidy: boolean) => ask<Usage>(child, { usage: 0, tidy })

/** Looks at the process while the work lasts. */
async function watch<T>(
  look: () => Promise<unknown>,
  everyMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      await look()
      if (everyMs > 0) await pause(everyMs)
    }
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await looking
  }
}

type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: Buffer }

async function answerTo(
  { port }: Server,
  { method, path, headers = {}, body }: Sent,
  status: number,
): Promise<IncomingMessage> {
  const all = { authorization, ...headers }
  const sending = request({ port, host: '127.0.0.1', method, path, headers: all, agent: false })
  sending.end(body)
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  if (answer.statusCode !== status) throw new Error(`${path}: ${answer.statusCode}`)
  return answer
}

type Read = { bytes: number; lines: number }

async function read(answer: AsyncIterable<Buffer>, mibASecond = Infinity): Promise<Read> {
  const began = performance.now()
  const seen = { bytes: 0, lines: 0 }
  for await (const chunk of answer) {
    seen.bytes += chunk.length
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen.lines += 1
    const ahead = (seen.bytes / MIB / mibASecond) * 1_000 - (performance.now() - began)
    if (ahead > 1) await pause(ahead)
  }
  return seen
}

async function measureExport(who: string, mibASecond?: number): Promise<Figure> {
  const service = await startService(ground)
  try {
    const bytes = requestBytes({ path: `${org}/expenses?limit=10`, headers: { authorization } })
    const load = { port: service.port, connections: 4, request: () => bytes, status: 200 }
    await putLoad({ ...load, count: 100 })
    const idle = (await usageOf(service, true)).rssBytes
    let most = 0
    const look = async () => {
      most = Math.max(most, (await usageOf(service, false)).rssBytes)
    }
    const began = performance.now()
    const exported = await watch(look, LOOK_EVERY_MS, async () =>
      read(await answerTo(service, { path: `${org}/exports/payments.csv` }, 200), mibASecond),
    )
    if (exported.lines !== PAYMENTS + 1) throw new Error(`${exported.lines} lines`)
    return {
      what: `export of ${PAYMENTS.toLocaleString('en')} payments to ${who}, additional memory`,
      value: mib(most - idle),
      unit: 'MiB',
      target: { atMost: EXPORT_MIB_MAX },
      more: {
        'at rest, MiB': mib(idle),
        'size of the export, MiB': mib(exported.bytes),
        seconds: rounded((performance.now() - began) / 1_000, 1),
      },
    }
  } finally {
    await service.stop()
  }
}

const fileOf = (bytes: number): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7'), Buffer.alloc(bytes - 8, 7)])

async function upload(service: Server, file: Buffer): Promise<string> {
  const headers = {
    'content-type': 'application/pdf',
    'content-disposition': 'attachment; filename="receipt.pdf"',
    'content-length': String(file.length),
    'idempotency-key': randomUUID(),
  }
  const path = `${org}/attachments`
  const answer = await answerTo(service, { method: 'POST', path, headers, body: file }, 201)
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString()).id
}

const download = async (service: Server, id: string): Promise<number> =>
  (await read(await answerTo(service, { path: `${org}/attachments/${id}` }, 200))).bytes

async function measureAttachments(): Promise<Figure[]> {
  const service = await startService(ground)
  const file = fileOf(ATTACHMENT_MIB * MIB)
  try {
    await download(service, await upload(service, fileOf(1_000)))
    let id = ''
    const works: Record<string, () => Promise<unknown>> = {
      upload: async () => {
        id = await upload(service, file)
      },
      download: async () => {
        const bytes = await download(service, id)
        if (bytes !== file.length) throw new Error(`${bytes} bytes`)
      },
    }
    const figures: Figure[] = []
    for (const [what, work] of Object.entries(works)) {
      const before = await usageOf(service, true)
      const most = { heap: 0, external: 0, samples: 0 }
      const look = async () => {
        const { usedHeapBytes, externalBytes } = await usageOf(service, true)
        most.heap = Math.max(most.heap, usedHeapBytes - before.usedHeapBytes)
        most.external = Math.max(most.external, externalBytes - before.externalBytes)
        most.samples += 1
      }
      for (let n = 0; n < TIMES; n += 1) await watch(look, 0, work)
      figures.push({
        what: `${what} of an attachment of ${ATTACHMENT_MIB} MiB, additional heap`,
        value: rounded(most.heap / MIB),
        unit: 'MiB',
        target: { atMost: HEAP_MIB_MAX },
        more: { 'outside the heap, MiB': mib(most.external), times: TIMES, samples: most.samples },
      })
    }
    return figures
  } finally {
    await service.stop()
  }
}

try {
  say(`${PAYMENTS} payments written`)
  await handOver([
    await measureExport('a fast reader'),
    await measureExport(`a reader of ${SLOW_MIB_A_SECOND} MiB a second`, SLOW_MIB_A_SECOND),
    ...(await measureAttachments()),
  ])
} finally {
  await ground.stop()
}
