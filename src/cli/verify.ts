/**
 * `npm run verify -- bundle.json [--rpc URL]`: checks why a payment left, from the answer of
 * `GET …/payments/{paymentId}`. Nothing of the service is needed, nor a database; with a node's
 * URL the vault's log is looked up on the chain as well.
 */
import { readFile } from 'node:fs/promises'
import { findPaymentLog } from '#adapters/payment-log.ts'
import type { Evidence } from '#payments/evidence.ts'
import { type Finding, verifyEvidence } from '#payments/verify-evidence.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'

const USAGE = 'Usage: npm run verify -- bundle.json [--rpc URL]'

function readArguments(args: readonly string[]): { path: string; rpcUrl: string | undefined } {
  const [path, flag, rpcUrl, ...rest] = args
  const isGood = path && rest.length === 0 && (flag === undefined || (flag === '--rpc' && rpcUrl))
  if (!isGood) throw new StartupError(USAGE)
  return { path, rpcUrl }
}

async function readEvidence(path: string): Promise<Evidence> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new StartupError(`There is no readable file ${path}.`)
  })
  try {
    const bundle = JSON.parse(text)
    const evidence = bundle.evidence ?? bundle
    if (evidence.version !== 1) throw new Error('version')
    return evidence
  } catch {
    throw new StartupError(`${path} is not the JSON of a payment with its evidence.`)
  }
}

/** The log as a node tells it, field by field beside the one in the bundle. */
async function chainFindings({ event }: Evidence, rpcUrl: string): Promise<Finding[]> {
  if (!event) return []
  const link = 'the log on the chain'
  const found = await findPaymentLog(rpcUrl, {
    transactionHash: event.transactionHash,
    vaultAddress: String(event.vaultAddress),
  })
  if (!found) return [{ link, holds: false, detail: 'the node does not have it' }]
  const differing = Object.keys(found).filter((key) => found[key] !== event[key])
  const detail = differing.length === 0 ? 'as in the bundle' : `differs in ${differing.join(', ')}`
  return [{ link, holds: differing.length === 0, detail }]
}

const lineOf = ({ link, holds, detail }: Finding) => `${holds ? 'ok  ' : 'NO  '} ${link}: ${detail}`

async function main(args: string[]): Promise<string> {
  const { path, rpcUrl } = readArguments(args)
  const evidence = await readEvidence(path)
  const malformed = (cause: unknown) =>
    new StartupError(`${path} does not hold together: a field is missing or malformed.`, { cause })
  const offline = await verifyEvidence(evidence).catch((error) => {
    throw malformed(error)
  })
  const findings = [...offline, ...(rpcUrl ? await chainFindings(evidence, rpcUrl) : [])]
  const lines = findings.map(lineOf)
  if (findings.every(({ holds }) => holds)) {
    return [...lines, 'The evidence holds.'].join('\n')
  }
  throw new StartupError([...lines, 'The evidence does NOT hold.'].join('\n'))
}

await runCommand(() => main(process.argv.slice(2)))
