/** Resident memory of the API process: when it has just started, under load, and after it. */
import { subjectOf, writeDataSet } from './data-set.ts'
import { handOver } from './figures.ts'
import { putLoad, requestBytes } from './http-load.ts'
import { ask, type Usage } from './live-wire.ts'
import { ISSUER, prepareGround, startService } from './service-stage.ts'
import { rounded } from './turns.ts'

const MS = Number(process.env.MEMORY_MS ?? 20_000)
const CONNECTIONS = 64
const LOOK_EVERY_MS = 100
const MIB = 2 ** 20

const ground = await prepareGround()
const data = await writeDataSet(ground.pool, { name: 'memory', expenses: 2_000, issuer: ISSUER })
await ground.pool.query('vacuum analyze')
const token = await ground.tokenOf(subjectOf('memory', 1))
const service = await startService(ground)
try {
  const usage = (tidy: boolean) => ask<Usage>(service.child, { usage: 0, tidy })
  const atRest = await usage(true)
  const path = `/v1/consumer/organizations/${data.organizationId}/expenses?limit=50`
  const bytes = requestBytes({ path, headers: { authorization: `Bearer ${token}` } })
  let most = 0
  let isOver = false
  const look = async () => {
    while (!isOver) {
      most = Math.max(most, (await usage(false)).rssBytes)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }
  const looking = look()
  const { port } = service
  const load = { port, connections: CONNECTIONS, request: () => bytes, status: 200, ms: MS }
  const { answered } = await putLoad(load)
  isOver = true
  await looking
  const after = await usage(true)
  const mib = (value: number) => rounded(value / MIB, 0)
  const heap = ({ heapBytes }: Usage) => ({ 'heap MiB': mib(heapBytes) })
  await handOver([
    { what: 'API, at rest', value: mib(atRest.rssBytes), unit: 'MiB', more: heap(atRest) },
    {
      what: `API, ${CONNECTIONS} connections reading lists, peak`,
      value: mib(most),
      unit: 'MiB',
      more: { requests: answered },
    },
    { what: 'API, after the load', value: mib(after.rssBytes), unit: 'MiB', more: heap(after) },
  ])
} finally {
  await service.stop()
  await ground.stop()
}
