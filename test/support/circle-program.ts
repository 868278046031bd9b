/**
 * The program `circle` as documented: a script with the same command line, strict about its
 * arguments, whose output is decided here. Payments really go to the chain, through a contract
 * account and a bundler; the same key is the same transaction.
 *
 *   const program = await startCircleProgram({ chain })
 *   const address = await program.openWallet()                 // an existing wallet
 *   startTestApp({ env: program.envFor({ [organizationId]: address }) })
 *
 *   program.fail('hangs', 'dies after', { prints: 'no JSON' }) // for the next runs of execute
 *   program.destine(fates.denied)                              // for the next new transactions
 *   program.setSession('EXPIRED')
 *   program.runs, program.transactions                         // everything, in order
 *   await program.stop()
 */
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Account, type CircleChain, createAccounts } from '#test/support/circle-chain.ts'
import { commandOf, type Execution } from '#test/support/circle-command.ts'
import {
  createTransactions,
  type EmulatedTransaction,
  type Fate,
} from '#test/support/circle-transactions.ts'

type ProgramFault =
  | 'hangs'
  /** Exits before anything is done, or after it, and prints nothing. */
  | 'dies before'
  | 'dies after'
  /** Done, and this is printed instead; exit code 0 by default. */
  | { prints: string; exit?: number }

type Run = {
  pid: number
  argv: string[]
  env: Record<string, string>
  cwd: string
  stdin: string
}

type Told = { prints: string; exit: number } | 'hangs' | 'dies'

const BLOCKCHAIN = 'ETH-SEPOLIA'
const LOOK_EVERY_MS = 10

/** Reports its arguments, and does what it is told. */
const script = (url: string) => `#!/usr/bin/env node
let stdin = ''
for await (const part of process.stdin) stdin += part
const { argv, env, pid } = process
const run = { pid, argv: argv.slice(2), env, cwd: process.cwd(), stdin }
const answer = await fetch('${url}', { method: 'POST', body: JSON.stringify(run) })
const told = await answer.json()
if (told === 'hangs') await new Promise((resolve) => setTimeout(resolve, 600_000))
if (told === 'dies') process.kill(pid, 'SIGKILL')
process.stdout.write(told.prints)
process.exitCode = told.exit
`

const json = (value: unknown, exit = 0): Told => ({ prints: JSON.stringify(value), exit })
const error = (code: string, message: string): Told => json({ error: { code, message } }, 1)

/** What it knows: existing wallets and an open session. */
function createProgram(chain: CircleChain | undefined) {
  const opened = new Map<string, Account>()
  const accountOf = (address: string): Account => {
    const account = opened.get(address)
    if (!account) throw new Error('There is no such wallet')
    return account
  }
  const books = createTransactions({ accountOf: chain && accountOf, blockchain: BLOCKCHAIN })
  const accounts = createAccounts(chain)
  const faults: ProgramFault[] = []
  let session = 'VALID'

  /** Waits for the outcome and returns it. */
  async function execute({ address, idempotencyKey, ...call }: Execution): Promise<Told> {
    if (session !== 'VALID') return error('UNAUTHORIZED', 'Session expired')
    const walletId = address.toLowerCase()
    if (call.chain !== BLOCKCHAIN || !opened.has(walletId)) return error('NOT_FOUND', 'No wallet')
    const known = books.transactions.find((each) => each.idempotencyKey === idempotencyKey)
    if (known) known.requests += 1
    else books.execute({ ...call, idempotencyKey, walletId })
    const transaction = known ?? (books.transactions.at(-1) as EmulatedTransaction)
    const isUnderWay = () => ['INITIATED', 'QUEUED', 'SENT'].includes(transaction.state)
    while (chain && isUnderWay() && transaction.fate.sends !== 'when told') {
      await wait(LOOK_EVERY_MS)
      await books.look(transaction)
    }
    const { id, state, txHash, errorReason, contractAddress } = transaction
    const operation = 'CONTRACT_EXECUTION'
    const data = {
      id,
      state,
      blockchain: BLOCKCHAIN,
      txHash,
      errorReason,
      contractAddress,
      operation,
    }
    return json({ data }, state === 'FAILED' ? 1 : 0)
  }

  return {
    books,
    faults,
    setSession: (status: 'VALID' | 'EXPIRED') => {
      session = status
    },
    async openWallet(): Promise<string> {
      const account = await accounts.open('SCA')
      const address = account.address.toLowerCase()
      opened.set(address, account)
      return address
    },
    async tell({ argv }: Run): Promise<Told> {
      const command = commandOf(argv)
      if (command.name === 'refused') return error('INVALID_ARGUMENT', command.message)
      if (command.name === 'status') {
        const testnet = { tokenStatus: session, expiresIn: 3_600 }
        return json({ testnet, mainnet: { tokenStatus: 'NONE' } })
      }
      const fault = faults.shift()
      if (fault === 'hangs') return 'hangs'
      if (fault === 'dies before') return 'dies'
      const told = await execute(command)
      if (fault === 'dies after') return 'dies'
      return fault ? { exit: 0, ...fault } : told
    },
  }
}

export type CircleProgram = {
  path: string
  home: string
  envFor(wallets: Record<string, string>): Record<string, string>
  openWallet(): Promise<string>
  runs: Run[]
  transactions: EmulatedTransaction[]
  fail(...faults: ProgramFault[]): void
  destine(...fates: Fate[]): void
  setSession(status: 'VALID' | 'EXPIRED'): void
  stop(): Promise<void>
}

export async function startCircleProgram({
  chain,
}: {
  chain?: CircleChain
} = {}): Promise<CircleProgram> {
  const program = createProgram(chain)
  const runs: Run[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const run: Run = JSON.parse(Buffer.concat(parts).toString())
    runs.push(run)
    response.end(JSON.stringify(await program.tell(run)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const home = await mkdtemp(join(tmpdir(), 'countersign-circle-'))
  const path = join(home, 'circle')
  await writeFile(
    `${path}.mjs`,
    script(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
  )
  // A name without an extension would be taken for CommonJS.
  await writeFile(path, `#!/usr/bin/env node\nimport('${path}.mjs')\n`)
  await chmod(path, 0o700)
  return {
    path,
    home,
    envFor: (wallets) => ({
      EXECUTOR_PROVIDER: 'command_line',
      COMMAND_LINE_PROGRAM: path,
      COMMAND_LINE_HOME: home,
      COMMAND_LINE_BLOCKCHAIN: BLOCKCHAIN,
      COMMAND_LINE_WALLETS: Object.entries(wallets)
        .map((pair) => pair.join('='))
        .join(','),
      PATH: dirname(process.execPath),
    }),
    openWallet: program.openWallet,
    runs,
    transactions: program.books.transactions,
    fail: (...more) => {
      program.faults.push(...more)
    },
    destine: (...more) => {
      program.books.comingFates.push(...more)
    },
    setSession: program.setSession,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(home, { recursive: true, force: true })
    },
  }
}
