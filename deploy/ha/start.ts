/**
 * Starts three PostgreSQL nodes under Patroni, etcd, HAProxy and PgBouncer on loopback, in a folder
 * that is removed at the end: `npm run ha`. To try the settings of deploy/ha out.
 */
import { once } from 'node:events'
import { startHaCluster } from '#test/high-availability/cluster.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

say('Starting three nodes. The first time, Debian packages are fetched.')
const cluster = await startHaCluster()
say(`Primary     ${(await cluster.primary())?.name}`)
say(`Logs        ${cluster.folder}`)
say(`Migrations  DATABASE_URL=${cluster.ownerUrl}`)
say(`API         DATABASE_URL=${cluster.poolerUrl}`)
say(`            DATABASE_DIRECT_URL=${cluster.apiUrl}`)
say(`Workers     DATABASE_URL=${cluster.workerUrl}`)
say('Ctrl-C stops it.')
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await cluster.stop()
