/** `npm run wallet -- disable WALLET_ID`. */
import { isUuid } from '@countersign/proof/values.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { disableWallet } from '#wallets/disable-wallet.ts'
import { withContext } from './command.ts'

async function main([action, walletId, ...rest]: string[]): Promise<string> {
  if (action !== 'disable' || !isUuid(walletId) || rest.length > 0) {
    throw new StartupError('Usage: npm run wallet -- disable WALLET_ID')
  }
  const isChanged = await withContext((ctx) => disableWallet(ctx, walletId.toLowerCase()), {
    process: 'worker',
  })
  return `The wallet is ${isChanged ? '' : 'already '}disabled.`
}

await runCommand(() => main(process.argv.slice(2)))
