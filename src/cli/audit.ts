/**
 * `npm run audit -- verify [--rpc URL] [--head HEAD|FILE]…` recomputes every audit trail and
 * compares it with reports, the chain and kept heads. `npm run audit -- verify FILE` checks an
 * exported trail without a database. `npm run audit -- head [ORGANIZATION]` prints heads to keep
 * outside the database.
 */
import { parseArgs } from 'node:util'
import { readVaultPayments } from '#adapters/chain/vault-payments.ts'
import { type AnchoredTrail, type PaymentOnChain, verifyAnchors } from '#analysis/verify-anchors.ts'
import type { Context } from '#context.ts'
import { type ChainProblem, type ClockNote, readHeads, verifyAudit } from '#journal/audit.ts'
import { readEnvironment } from '#platform/config/config.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { listVerifiedVaults, type VerifiedVault } from '#treasury/vaults.store.ts'
import { verifyTrailFile } from './audit-file.ts'
import { headLine, readKeptHeads, SERVICE } from './audit-heads.ts'
import { withContext } from './command.ts'
import { unusable } from './input.ts'

const USAGE =
  'Usage: npm run audit -- verify [--rpc URL] [--head HEAD|HEADS]… | ' +
  'verify FILE [--organization ID] [--head HEAD|HEADS]… | head [ORGANIZATION] ' +
  '(HEAD is SEQUENCE:HASH or ORGANIZATION:SEQUENCE:HASH; the file HEADS has one per line; ' +
  'FILE is an export of the trail, - for standard input)'

function readArguments(args: string[]) {
  try {
    const options = {
      rpc: { type: 'string' },
      organization: { type: 'string' },
      head: { type: 'string', multiple: true },
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { ...values, positionals }
  } catch {
    throw usage(parseArgs({ args, strict: false }).positionals)
  }
}

/** Of `verify FILE`, 1 would mean that the file is refused. */
const usage = ([action, file]: string[]) =>
  action === 'verify' && file !== undefined ? unusable(USAGE) : new StartupError(USAGE)

type ChainReading = { payments: PaymentOnChain[]; elsewhere: VerifiedVault[] }

/** Runs before the snapshot is opened, so that the snapshot contains every payment's report. */
async function readChain({ observerDb, config }: Context, rpcUrl: string): Promise<ChainReading> {
  if (!URL.canParse(rpcUrl)) throw new StartupError(USAGE)
  const vaults = await listVerifiedVaults(observerDb)
  const { confirmations } = config.chain
  const read = readVaultPayments(rpcUrl, { vaults, confirmations }).catch((cause) => {
    // A node's URL often contains a key, so the message names only the host.
    const { host } = new URL(rpcUrl)
    throw new StartupError(`Cannot read the node at ${host}: ${firstLine(cause)}`, { cause })
  })
  const { payments, elsewhere } = await read
  const owned = payments.map(([{ organizationId }, payment]) => ({ organizationId, ...payment }))
  return { payments: owned, elsewhere }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
const nameOf = (organizationId: string | null): string => organizationId ?? 'no organization'

const problemLine = ({ organizationId, seq, problem }: ChainProblem): string =>
  `${nameOf(organizationId)}${seq === null ? '' : `, event ${seq}`}: ${problem}`

const clockLine = ({ organizationId, events, firstSeq, largestMs }: ClockNote): string =>
  `Note: ${nameOf(organizationId)}: the application's and the database's clocks differ by up to ` +
  `${Math.round(largestMs / 1000)} s in ${count(events, 'event')}, first in event ${firstSeq}.`

const elsewhereLine = ({ organizationId, address, chainId }: VerifiedVault): string =>
  `Note: ${organizationId}: vault ${address} is on chain ${chainId}, which the node does not serve.`

function vouchedLine({ organizationId, sequence, upTo, payment }: AnchoredTrail): string {
  const newer =
    upTo < sequence ? `Only kept heads can confirm events ${upTo + 1} to ${sequence}.` : ''
  const anchored = payment
    ? `the chain anchors events 1 to ${upTo} ` +
      `(payment ${payment.transactionHash} in block ${payment.blockNumber}).`
    : 'the chain anchors no events.'
  return `${organizationId}: ${anchored} ${newer}`.trimEnd()
}

async function verify(ctx: Context, options: { rpc?: string; head?: string[] }): Promise<string> {
  const kept = await readKeptHeads(options.head ?? [])
  const chain = options.rpc === undefined ? undefined : await readChain(ctx, options.rpc)
  const { trail, anchors } = await ctx.observerDb.transaction(
    {},
    async (tx) => {
      const trail = await verifyAudit(tx.query, { kept })
      const payments = chain?.payments ?? []
      return { trail, anchors: await verifyAnchors(tx.query, { trails: trail.trails, payments }) }
    },
    { isolation: 'snapshot' },
  )
  const notes = [...trail.clockNotes.map(clockLine), ...(chain?.elsewhere ?? []).map(elsewhereLine)]
  const vouched = chain ? anchors.vouched.map(vouchedLine) : []
  const problems = [...trail.problems, ...anchors.problems]
  if (problems.length > 0) {
    const lines = problems.map(problemLine)
    const report = ['The audit trail does not verify.', ...lines, ...vouched, ...notes]
    throw new StartupError(report.join('\n'))
  }
  const counts = `${count(trail.events, 'event')} in ${count(trail.chains, 'chain')}`
  return [`The audit trail verifies: ${counts}.`, ...vouched, ...notes].join('\n')
}

async function listHeads({ observerDb }: Context, organization?: string): Promise<string> {
  const heads = await readHeads(observerDb.query)
  const shown = heads.filter(
    ({ organizationId }) =>
      organization === undefined || (organizationId ?? SERVICE) === organization.toLowerCase(),
  )
  if (shown.length > 0) return shown.map(headLine).join('\n')
  throw new StartupError(
    organization ? `${organization} has no trail.` : 'There is no audit trail yet.',
  )
}

export async function main(args: string[], env = readEnvironment()): Promise<string> {
  const { positionals, ...options } = readArguments(args)
  const { organization, ...ofDatabase } = options
  const [action, subject, ...rest] = positionals
  if (rest.length > 0) throw usage(positionals)
  if (action === 'verify' && subject === undefined && organization === undefined) {
    return withContext((ctx) => verify(ctx, ofDatabase), { env })
  }
  if (action === 'verify' && subject !== undefined && options.rpc === undefined) {
    return verifyTrailFile(subject, { organization, heads: options.head ?? [] })
  }
  const isHead = action === 'head' && Object.keys(options).length === 0
  if (!isHead) throw usage(positionals)
  return withContext((ctx) => listHeads(ctx, subject), { env })
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)))
