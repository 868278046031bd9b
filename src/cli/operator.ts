/** `npm run operator -- grant|revoke SUBJECT`, `npm run operator -- list`. */
import type { Context } from '#context.ts'
import { listOperators } from '#identity/accounts.store.ts'
import { grantOperator, revokeOperator } from '#identity/operators.ts'
import { readEnvironment } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { withContext } from './command.ts'

const USAGE = 'Usage: npm run operator -- grant SUBJECT | revoke SUBJECT | list'

async function list({ db }: Context): Promise<string> {
  const operators = await listOperators(db)
  if (operators.length === 0) return 'There are no operators.'
  return operators
    .map(({ issuer, subject, status, grantedAt, revokedAt }) => {
      const since = status === 'active' ? `granted ${grantedAt}` : `revoked ${revokedAt}`
      return `${subject}  ${status}  ${since}  (${issuer})`
    })
    .join('\n')
}

export async function main(
  [action, subject, ...rest]: string[],
  env = readEnvironment(),
): Promise<string> {
  if (action === 'list' && subject === undefined) return withContext(list, { env })
  if (subject === undefined || rest.length > 0) throw new StartupError(USAGE)
  if (action === 'grant') {
    const changed = await withContext((ctx) => grantOperator(ctx, subject), { env })
    return changed ? `${subject} is now an operator.` : `${subject} is already an operator.`
  }
  if (action === 'revoke') {
    const changed = await withContext((ctx) => revokeOperator(ctx, subject), { env })
    return changed ? `${subject} is no longer an operator.` : `${subject} is not an operator.`
  }
  throw new StartupError(USAGE)
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)))
