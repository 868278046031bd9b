/**
 * The disk of the primary is full. Patroni goes on with this primary, which serves reads, until the
 * space is freed or the node is stopped: writes are 503 until then, and nothing acknowledged is
 * lost. `npm run prove -- F20`.
 */
import { afterAll, expect, test } from 'vitest'
import { ask } from '#test/deploy/drill.ts'
import { startCluster } from '#test/processes/cluster.ts'
import { databaseAt } from '#test/processes/killable-postgres.ts'
import { cleanUp, onCleanUp } from '#test/processes/processes.ts'
import { ask as request } from '#test/processes/service.ts'
import { openExpenseHouse } from '#test/support/expenses.ts'
import { isProof, reportFigures } from '#test/support/figures.ts'
import { liftOwnersRowSecurity, times } from '#test/support/steps.ts'
import { startHaCluster } from './cluster.ts'
import { until } from './faults.ts'
import { compareWrites, longestSilence, openWritten, write } from './load.ts'

const DISK_MIB = 512
const WRITERS = 6
const WRITES = 50
const WITHIN_MS = 180_000

afterAll(cleanUp)

/** Uses up the segments of the write-ahead log that exist: the next one finds no space. */
async function exhaustLog(superuserUrl: string): Promise<void> {
  const write = () =>
    ask(
      superuserUrl,
      `select pg_logical_emit_message(false, 'countersign', 'full')`,
      'select pg_switch_wal()',
    ).then(
      () => true,
      () => false,
    )
  expect(await until(async () => !(await write()), WITHIN_MS)).toBe(true)
}

// Only the proof mounts disks, which needs privileges.
test.runIf(isProof('PROVE_DISK'))('nothing is lost when the disk is full', async () => {
  const ha = await startHaCluster({ diskMib: DISK_MIB })
  onCleanUp(() => ha.stop())
  const database = databaseAt(ha.ownerUrl)
  await liftOwnersRowSecurity(database)
  const { service, urls } = await startCluster({
    ...{ apis: 1, workers: 0, database, poolerUrl: ha.poolerUrl },
    apiEnv: { DATABASE_URL: ha.poolerUrl, DATABASE_DIRECT_URL: ha.apiUrl },
  })
  const house = await openExpenseHouse(service)
  const [url = ''] = urls
  const written = openWritten()
  let isOver = false
  const writing = times(WRITERS, () => write(url, house, written, () => isOver))
  const untilMore = (what: () => number, more: number) => {
    const least = what() + more
    return expect.poll(what, { timeout: WITHIN_MS }).toBeGreaterThanOrEqual(least)
  }
  const acknowledged = () => written.times.length
  const refused = () => written.repeated
  await untilMore(acknowledged, WRITES)
  await ha.untilHealthy()
  const primary = await ha.primary()
  if (!primary) throw new Error('The cluster has no primary')

  const at = performance.now()
  const free = await primary.fillDisk()
  await untilMore(refused, WRITES)
  const { token } = house.employee
  const list = `${url}${house.organization.path}/expenses`
  const read = async () => (await request('GET', list, { token })).status
  await expect.poll(read, { timeout: WITHIN_MS }).toBe(200)
  await expect.poll(() => ha.primary(), { timeout: WITHIN_MS }).toBe(primary)
  await exhaustLog(ha.superuserUrl)
  await untilMore(refused, WRITES)

  // As an operator does who cannot free the space soon.
  primary.killPatroni()
  await primary.killPostgres()
  const isOther = async () => ![undefined, primary].includes(await ha.primary())
  const isTakenOver = await until(isOther, WITHIN_MS)
  await untilMore(acknowledged, WRITES)
  await free()
  primary.revive()
  await ha.untilHealthy()
  const healthyAt = performance.now()
  await untilMore(acknowledged, WRITES)
  isOver = true
  await Promise.all(writing)

  const disk = {
    takeovers: isTakenOver ? 1 : 0,
    acknowledged: written.created.size,
    refused: refused(),
    silenceSeconds: Number((longestSilence(written, { at, healthyAt }) / 1000).toFixed(1)),
    ...(await compareWrites(database, written)),
  }
  process.stdout.write(`${JSON.stringify(disk)}\n`)
  reportFigures({ disk })
  expect(written.surprises).toEqual([])
  expect(disk).toMatchObject({ takeovers: 1, lost: 0, twice: 0 })
})
