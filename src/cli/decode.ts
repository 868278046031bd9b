/**
 * `npm run decode -- TRANSACTION [--rpc URL]` describes what an owner's transaction does, offline,
 * from the ABI. With a node it also says what it changes in the vault as it is, or why the vault
 * would refuse it. TRANSACTION is a file, hex, or - for standard input. docs/VAULT.md lists the
 * formats and the exit codes.
 */
import { parseArgs } from 'node:util'
import {
  type DecodedTransaction,
  decodeOwnerTransaction,
  UndecodableTransaction,
} from '@countersign/proof/owner-call.ts'
import {
  parseJsonTransaction,
  parseSerialized,
  type Statement,
} from '@countersign/proof/owner-call-input.ts'
import { compareWithStatement } from '@countersign/proof/owner-call-statement.ts'
import { describeOwnerCall } from '@countersign/proof/owner-call-text.ts'
import { connectNode, toNodeUnavailable } from '#adapters/chain/payment-facts.ts'
import { readOnChainVault } from '#adapters/chain/policy-in-force.ts'
import { StartupError } from '#platform/errors.ts'
import { runCommand } from '#platform/terminal.ts'
import { accountsOf, type Effects, effectsOn } from './decoded-effects.ts'
import { EXIT, isNodeUrl, parseJsonInput, readBytes, unusable } from './input.ts'

const USAGE = 'Usage: npm run decode -- TRANSACTION [--rpc URL]   (a file, hex, or - for stdin)'

function readArguments(args: string[]): { input: string; rpcUrl: string | undefined } {
  const parsed = (() => {
    try {
      return parseArgs({ args, options: { rpc: { type: 'string' } }, allowPositionals: true })
    } catch (error) {
      throw unusable(`${(error as Error).message.split('\n')[0]}\n${USAGE}`)
    }
  })()
  const [input, ...rest] = parsed.positionals
  if (!input || rest.length > 0) throw unusable(USAGE)
  const rpcUrl = parsed.values.rpc
  if (rpcUrl !== undefined && !isNodeUrl(rpcUrl)) {
    throw unusable('--rpc must be an http or https URL.')
  }
  return { input, rpcUrl }
}

type ReadTransaction = { decoded: DecodedTransaction; statement: Statement | null }

async function readTransaction(input: string): Promise<ReadTransaction> {
  const isHex = /^0x[0-9a-f]*$/i.test(input)
  const bytes = isHex ? Buffer.from(input) : await readBytes(input)
  const text = bytes.toString('utf8').trim()
  const { transaction, statement } = /^"?0x/i.test(text)
    ? { transaction: parseSerialized(text.replaceAll('"', '')), statement: null }
    : parseJsonTransaction(parseJsonInput(bytes, input === '-' ? 'The input' : input))
  return { decoded: decodeOwnerTransaction(transaction), statement }
}

async function readNode(rpcUrl: string, decoded: DecodedTransaction) {
  const client = connectNode(rpcUrl)
  const { to, chainId } = decoded.transaction
  const served = await client.getChainId()
  if (chainId !== served) return { served, state: null }
  const isOfVault = to !== null && decoded.call.name !== 'approve'
  const accounts = accountsOf(decoded)
  return {
    served,
    state: isOfVault ? await readOnChainVault(client, { address: to, chainId, accounts }) : null,
  }
}

async function chainFindings(rpcUrl: string, decoded: DecodedTransaction): Promise<Effects> {
  const { transaction, call } = decoded
  const { served, state } = await readNode(rpcUrl, decoded).catch((cause) => {
    const { message } = toNodeUnavailable(cause)
    throw new StartupError(`The node did not answer: ${message}`, {
      cause,
      exitCode: EXIT.nodeUnavailable,
    })
  })
  if (transaction.chainId !== served) {
    const problem = `The node serves chain ${served}, but the transaction is for another chain.`
    return { lines: [], problems: [problem] }
  }
  if (transaction.to === null || call.name === 'approve') return { lines: [], problems: [] }
  if (!state)
    return { lines: [], problems: ['The code at the target address is not the published vault.'] }
  return effectsOn(state, decoded)
}

export async function main(args: string[]): Promise<string> {
  const { input, rpcUrl } = readArguments(args)
  const { decoded, statement } = await readTransaction(input).catch((error) => {
    if (!(error instanceof UndecodableTransaction)) throw error
    throw new StartupError(`DO NOT SIGN: ${error.message}`, { cause: error })
  })
  const stated = statement ? compareWithStatement(decoded, statement) : []
  const found = rpcUrl ? await chainFindings(rpcUrl, decoded) : { lines: [], problems: [] }
  const lines = [...describeOwnerCall(decoded), ...found.lines]
  const problems = [
    ...stated.map(
      ({ field, requested, actual }) => `${field} is stated as ${requested}, but is ${actual}.`,
    ),
    ...found.problems,
  ]
  if (problems.length === 0) return lines.join('\n')
  const warned = problems.map((problem) => `DO NOT SIGN: ${problem}`)
  throw new StartupError([...lines, ...warned].join('\n'))
}

if (import.meta.main) await runCommand(() => main(process.argv.slice(2)))
