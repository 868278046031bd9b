/** `npm run account -- disable|enable ACCOUNT_ID`. */
import { isUuid } from '@countersign/proof/values.ts'
import { setAccountStatus } from '#identity/operators.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { withContext } from './command.ts'

const USAGE = 'Usage: npm run account -- disable ACCOUNT_ID | enable ACCOUNT_ID'

async function main([event, accountId, ...rest]: string[]): Promise<string> {
  if ((event !== 'disable' && event !== 'enable') || !isUuid(accountId) || rest.length > 0) {
    throw new StartupError(USAGE)
  }
  const changed = await withContext((ctx) => setAccountStatus(ctx, { accountId, event }))
  return `The account is ${changed ? '' : 'already '}${event}d.`
}

await runCommand(() => main(process.argv.slice(2)))
