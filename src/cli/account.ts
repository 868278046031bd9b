/** `npm run account -- disable|enable ACCOUNT_ID`. */
import { isUuid } from '@countersign/proof/values.ts'
import { setAccountStatus } from '#identity/operators.ts'
import { readEnvironment } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { withContext } from './command.ts'

const USAGE = 'Usage: npm run account -- disable ACCOUNT_ID | enable ACCOUNT_ID'

export async function main(
  [event, accountId, ...rest]: string[],
  env = readEnvironment(),
): Promise<string> {
  if ((event !== 'disable' && event !== 'enable') || !isUuid(accountId) || rest.length > 0) {
    throw new StartupError(USAGE)
  }
  const change = { accountId: accountId.toLowerCase(), event } as const
  const changed = await withContext((ctx) => setAccountStatus(ctx, change), { env })
  return `The account is ${changed ? '' : 'already '}${event}d.`
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)))
