/** `npm run audit -- verify`: recomputes every link of every organization's audit trail. */
import type { Sql } from 'sql-template-tag'
import { verifyAudit } from '#journal/audit.ts'
import { openOwnerPool } from '#platform/database.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { withContext } from './command.ts'

const verify = () =>
  withContext(async ({ config }) => {
    const pool = openOwnerPool({ url: config.databaseUrl, max: 1 })
    const client = await pool.connect()
    try {
      await client.query('begin isolation level repeatable read read only')
      const query = async <Row>(statement: Sql) =>
        (await client.query(statement)).rows as unknown as Row[]
      return await verifyAudit(query)
    } finally {
      client.release(true)
      await pool.end()
    }
  })

async function main([action, ...rest]: string[]): Promise<string> {
  if (action !== 'verify' || rest.length > 0) {
    throw new StartupError('Usage: npm run audit -- verify')
  }
  const { chains, events, problems } = await verify()
  if (problems.length > 0) {
    const lines = problems.map(
      ({ organizationId, seq, problem }) =>
        `${organizationId ?? 'no organization'}, event ${seq}: ${problem}`,
    )
    throw new StartupError(['The audit trail does not verify.', ...lines].join('\n'))
  }
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
  return `The audit trail verifies: ${count(events, 'event')} in ${count(chains, 'chain')}.`
}

await runCommand(() => main(process.argv.slice(2)))
