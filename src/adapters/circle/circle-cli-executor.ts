/**
 * `ExecutorProvider` over Circle's command-line program `circle`. An operator creates the wallets
 * and logs in beforehand. The program runs without a shell and with a minimal environment; its
 * output is bounded, parsed and never passed on. If the output names no transaction, the payment
 * may still have been sent, so `submit` never reports a refusal.
 */
import { execFile } from 'node:child_process'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
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
import { fits, Type } from '#platform/schema.ts'
import { lowerCased } from '#platform/values.ts'
import type { DelegatedExecutor, Delegation, ProviderReport } from '#ports/executor-provider.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import { parseReport } from './circle-report.ts'

/** The program itself waits for the transaction to be mined. */
const EXECUTE_WITHIN_MS = 180_000
const STATUS_WITHIN_MS = 8_000
const OUTPUT_BYTES_MAX = 256 * 1024
const RETRY_AFTER_SECONDS = 30

export type CommandLineOptions = CommandLineConfig & { executeWithinMs?: number }

export function createCommandLineExecutor(options: CommandLineOptions): DelegatedExecutor {
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
    delegation: {
      submit: (input) => submit({ ...options, executeWithinMs }, input),
      poll: undefined,
      // A call that timed out may still be running at Circle; by then it has ended.
      repeatAfterMs: executeWithinMs,
      inFlightMax: 1,
      paysOwnGas: false,
    },
  }
}

const unavailable = (reason: string): AppError =>
  new AppError('dependency_unavailable', {
    message: 'The executor provider gave no usable answer. Retry shortly.',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(`The program circle ${reason}`),
  })

type Run = { args: readonly string[]; withinMs: number; signal?: AbortSignal }

/** Its output, whatever the exit code; undefined if that is not JSON or the call timed out. */
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
    // Ends a prompt, which would otherwise wait for input.
    child.stdin?.end()
  })
}

const Wrapped = Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) })
const Sessions = Type.Record(Type.String(), Type.Unknown())
const ValidSession = Type.Object({ tokenStatus: Type.Literal('VALID') })

/** An operator opens the session with a one-time code, and it expires. */
async function check(config: CommandLineConfig): Promise<'ready' | 'rejects_credentials'> {
  const args = ['wallet', 'status', '--type', 'agent', '--output', 'json']
  const printed = await run(config, { args, withinMs: STATUS_WITHIN_MS })
  const sessions = fits(Wrapped, printed) ? printed.data : printed
  if (!fits(Sessions, sessions)) throw unavailable('did not print its status')
  return fits(ValidSession, sessions[config.network]) ? 'ready' : 'rejects_credentials'
}

const payments = vaultAbi.filter(
  (item) => item.type === 'function' && ['executeApproved', 'executeAutomatic'].includes(item.name),
) as AbiFunction[]

/** The program's arguments: the function signature, then each argument. */
export function callArguments({ data }: Pick<VaultCall, 'data'>): string[] {
  const call = decodeFunctionData({ abi: vaultAbi, data: data as Hex })
  const item = payments.find(({ name }) => name === call.functionName)
  const flat = [...(call.args ?? [])].map(String)
  const isFlat = flat.every((arg) => /^(?:0x[0-9a-fA-F]*|[0-9]+)$/.test(arg))
  // The program encodes the call again: the result must be identical.
  const isSame = encodeFunctionData({ abi: vaultAbi, ...call } as never) === lowerCased(data)
  if (!item || !isFlat || !isSame) {
    throw new Error('The program circle cannot encode this call')
  }
  return [toFunctionSignature(item), ...flat]
}

async function submit(
  config: CommandLineConfig & { executeWithinMs: number },
  { idempotencyKey, address, call, signal }: Parameters<Delegation['submit']>[0],
): Promise<ProviderReport> {
  const args = [
    ...['wallet', 'execute', ...callArguments(call)],
    ...['--contract', call.vaultAddress],
    ...['--address', address],
    ...['--chain', config.blockchain],
    ...['--idempotency-key', idempotencyKey],
    ...['--output', 'json'],
  ]
  const printed = await run(config, { args, withinMs: config.executeWithinMs, signal })
  const report = fits(Wrapped, printed) ? parseReport(printed.data) : undefined
  if (!report) throw unavailable('printed no transaction')
  return report
}
