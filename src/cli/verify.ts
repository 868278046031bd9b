/**
 * `npm run verify -- bundle.json [--rpc URL]… [--file PATH]…` verifies why a payment left a vault,
 * from the response of `GET …/payments/{paymentId}`, without the service or a database. With a node
 * it verifies the chain as well; without one it only shows that the bundle is self-consistent.
 * docs/EVIDENCE.md lists the checks and the exit codes.
 */
import { parseArgs } from 'node:util'
import {
  type CheckedEvidence,
  type CheckOptions,
  checkEvidence,
} from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import type { Pins } from '@countersign/proof/evidence-pins.ts'
import { isEvidence, shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { isHash } from '@countersign/proof/values.ts'
import { createPaymentWitness, NodeUnavailable } from '#adapters/chain/payment-facts.ts'
import { StartupError } from '#platform/errors.ts'
import { type CommandAnswer, runCommand } from '#platform/terminal.ts'
import { EXIT, hashFile, isNodeUrl, isTypedAddress, readJsonFile, unusable } from './input.ts'

const USAGE =
  'Usage: npm run verify -- bundle.json [--rpc URL]… [--file PATH]… [--confirmations N]\n' +
  '         [--vault ADDRESS] [--owner ADDRESS] [--organization-hash HASH] [--token ADDRESS]'

type Arguments = {
  path: string
  rpcUrls: string[]
  files: string[]
  pins: Pins
  confirmations: number | null
}

const OPTIONS = {
  rpc: { type: 'string', multiple: true },
  file: { type: 'string', multiple: true },
  vault: { type: 'string' },
  owner: { type: 'string' },
  'organization-hash': { type: 'string' },
  token: { type: 'string' },
  confirmations: { type: 'string' },
} as const

function readOptions(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw unusable(`${(error as Error).message.split('\n')[0]}\n${USAGE}`)
  }
}

function readArguments(args: string[]): Arguments {
  const { values, positionals } = readOptions(args)
  const [path, ...rest] = positionals
  if (!path || rest.length > 0) throw unusable(USAGE)
  for (const name of ['vault', 'owner', 'token'] as const) {
    const pin = values[name]
    if (pin !== undefined && !isTypedAddress(pin)) {
      throw unusable(`--${name} must be an address, lower case or with a correct checksum.`)
    }
  }
  const organizationHash = values['organization-hash']
  if (organizationHash !== undefined && !isHash(organizationHash)) {
    throw unusable('--organization-hash must be 0x and 64 hex digits.')
  }
  const { rpc: rpcUrls = [], file: files = [], confirmations, vault, owner, token } = values
  if (!rpcUrls.every(isNodeUrl)) throw unusable('--rpc must be an http or https URL.')
  if (confirmations !== undefined && !/^[1-9]\d{0,5}$/.test(confirmations)) {
    throw unusable('--confirmations must be a positive integer.')
  }
  const pins = { vault, owner, token, organizationHash }
  const depth = confirmations === undefined ? null : Number(confirmations)
  return { path, rpcUrls, files, pins, confirmations: depth }
}

async function readEvidence(path: string): Promise<Evidence> {
  const bundle = await readJsonFile(path)
  const isDetail = typeof bundle === 'object' && bundle !== null && 'evidence' in bundle
  const evidence = isDetail ? bundle.evidence : bundle
  if (isEvidence(evidence)) return evidence
  const lines = shapeProblems(evidence).map((problem) => `  ${problem}`)
  throw unusable([`${path} is not a payment with its evidence:`, ...lines].join('\n'))
}

/** Evidence of the right shape can still contain values without canonical JSON, such as 1e999. */
const toUnusable = (path: string) => (cause: unknown) => {
  if (cause instanceof NodeUnavailable) {
    throw new StartupError(
      `A node did not answer, so there is no verdict: ${cause.message}\n` +
        'Verifying an old payment needs an archive node.',
      { cause, exitCode: EXIT.nodeUnavailable },
    )
  }
  throw unusable(`${path} contains a value that cannot be encoded or hashed.`, cause)
}

function linesOf({ findings, unpinned, unchecked }: CheckedEvidence): string[] {
  return [
    ...findings.map(({ link, holds, detail }) => `${holds ? 'ok  ' : 'NO  '} ${link}: ${detail}`),
    ...unpinned.map((what) => `not pinned: ${what}`),
    ...unchecked.map((what) => `not checked: ${what}`),
  ]
}

export async function main(args: string[]): Promise<CommandAnswer> {
  const { path, rpcUrls, files, pins, confirmations } = readArguments(args)
  const evidence = await readEvidence(path)
  const options: CheckOptions = {
    witnesses: rpcUrls.map(createPaymentWitness),
    pins,
    files: await Promise.all(files.map(hashFile)),
    confirmations,
  }
  const checked = await checkEvidence(evidence, options).catch(toUnusable(path))
  const lines = linesOf(checked)
  switch (checked.verdict) {
    case 'verified':
      return [...lines, 'VERIFIED: the chain confirms the evidence.'].join('\n')
    case 'consistent':
      return {
        text: [...lines, 'CONSISTENT with itself. To verify the chain too, pass --rpc URL.'].join(
          '\n',
        ),
        exitCode: EXIT.consistent,
      }
    case 'refused':
      throw new StartupError([...lines, 'REFUSED: the evidence does not hold.'].join('\n'))
  }
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)))
