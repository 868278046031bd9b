/**
 * `ExecutorProvider` over Circle's program `circle`, whose wallets somebody made and opened a
 * session for. It is run without a shell, each argument as it is, with an environment of its own;
 * what it prints is bounded, parsed and never handed on. Whatever does not end in a transaction
 * that it names may have been sent all the same, so that nothing here is ever a refusal.
 */
import { execFile } from 'node:child_process'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import {
  type AbiFunction,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  toFunctionSignature,
} from 'viem'
import type { CommandLineConfig } from '#platform/config/executor.ts'
import { AppError } from '#platform/errors.ts'
import { tryParseJson } from '#platform/http-client/read-body.ts'
import { lowerCased } from '#platform/values.ts'
import type { EntrustedExecutor, EntrustedReport, Entrusting } from '#ports/executor-provider.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import { reportIn } from './circle-report.ts'

/** It waits for the chain itself. */
const EXECUTE_WITHIN_MS = 180_000
const STATUS_WITHIN_MS = 8_000
const OUTPUT_BYTES_MAX = 256 * 1024
const RETRY_AFTER_SECONDS = 30

export type CommandLineOptions = CommandLineConfig & { executeWithinMs?: number }

export function createCommandLineExecutor(options: CommandLineOptions): EntrustedExecutor {
  const { wallets, executeWithinMs = EXECUTE_WITHIN_MS } = options
  return {
    type: 'agent_stack_cli',
    check: () => check(options),
    async provision({ organizationId }) {
      const address = wallets.get(lowerCased(organizationId))
      if (address === undefined) throw unavailable('has no wallet for this organization')
      return { address, reference: Buffer.from(address) }
    },
    fundGas: async () => {},
    holdsKey: async ({ organizationId, address }) =>
      wallets.get(lowerCased(organizationId)) === lowerCased(address),
    entrusting: {
      submit: (input) => submit({ ...options, executeWithinMs }, input),
      poll: undefined,
      // One that was given up may still be under way: by then it has come to an end.
      repeatAfterMs: executeWithinMs,
      inFlightMax: 1,
      paysOwnGas: false,
    },
  }
}

const unavailable = (reason: string): AppError =>
  new AppError('dependency_unavailable', {
    message: 'The provider of the executor gave no usable answer. Retry shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(`The program circle ${reason}`),
  })

type Run = { args: readonly string[]; withinMs: number; signal?: AbortSignal }

/** What it printed, however it ended; undefined where that is no JSON or it was stopped. */
function run(
  { program, home, path }: CommandLineConfig,
  { args, withinMs, signal }: Run,
): Promise<unknown> {
  const inTime = AbortSignal.timeout(withinMs)
  const stops = AbortSignal.any(signal ? [signal, inTime] : [inTime])
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        env: { HOME: home, PATH: path, NO_COLOR: '1' },
        cwd: home,
        maxBuffer: OUTPUT_BYTES_MAX,
        signal: stops,
        killSignal: 'SIGKILL',
      },
      (_error, stdout) => resolve(stops.aborted ? undefined : tryParseJson(stdout)),
    )
    // One that asks a question must not wait for an answer.
    child.stdin?.end()
  })
}

const Wrapped = Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) })
const Sessions = Type.Record(Type.String(), Type.Unknown())
const ValidSession = Type.Object({ tokenStatus: Type.Literal('VALID') })

/** The session is opened by a person, with a code that was sent to them, and ends after a time. */
async function check(config: CommandLineConfig): Promise<'ready' | 'rejects_credentials'> {
  const args = ['wallet', 'status', '--type', 'agent', '--output', 'json']
  const printed = await run(config, { args, withinMs: STATUS_WITHIN_MS })
  const sessions = Check(Wrapped, printed) ? printed.data : printed
  if (!Check(Sessions, sessions)) throw unavailable('did not tell its status')
  return Check(ValidSession, sessions[config.network]) ? 'ready' : 'rejects_credentials'
}

const payments = vaultAbi.filter(
  (item) => item.type === 'function' && ['executeApproved', 'executeAutomatic'].includes(item.name),
) as AbiFunction[]

/** As the program takes it: the signature of the function, then each argument by itself. */
export function flatCall({ data }: Pick<VaultCall, 'data'>): string[] {
  const call = decodeFunctionData({ abi: vaultAbi, data: data as Hex })
  const item = payments.find(({ name }) => name === call.functionName)
  const flat = [...(call.args ?? [])].map(String)
  const isFlat = flat.every((arg) => /^(?:0x[0-9a-fA-F]*|[0-9]+)$/.test(arg))
  // The program encodes it again: it must come to the same.
  const isSame = encodeFunctionData({ abi: vaultAbi, ...call } as never) === lowerCased(data)
  if (!item || !isFlat || !isSame) {
    throw new Error('This call cannot be told to the program')
  }
  return [toFunctionSignature(item), ...flat]
}

async function submit(
  config: CommandLineConfig & { executeWithinMs: number },
  { idempotencyKey, address, call, signal }: Parameters<Entrusting['submit']>[0],
): Promise<EntrustedReport> {
  const args = [
    ...['wallet', 'execute', ...flatCall(call)],
    ...['--contract', call.vaultAddress],
    ...['--address', address],
    ...['--chain', config.blockchain],
    ...['--idempotency-key', idempotencyKey],
    ...['--output', 'json'],
  ]
  const printed = await run(config, { args, withinMs: config.executeWithinMs, signal })
  const report = Check(Wrapped, printed) ? reportIn(printed.data) : undefined
  if (!report) throw unavailable('named no transaction')
  return report
}
