/** A Circle executor, and what tests ask of it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, vi } from 'vitest'
import { createCircleExecutor } from '#adapters/circle/circle-executor.ts'
import { readExecutorConfig } from '#platform/config/executor.ts'
import { AppError } from '#platform/errors.ts'
import type { DelegatedExecutor, ProvisionedExecutor } from '#ports/executor-provider.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import type { CircleEmulator } from '#test/support/circle-emulator.ts'

/** Long enough that a busy machine is never taken for a silent one. */
const PATIENT_MS = 20_000
const HASTY_MS = 1_500

export function circleExecutor(
  circle: CircleEmulator,
  env: Record<string, string> = {},
  timeoutMs = PATIENT_MS,
): DelegatedExecutor {
  const config = readExecutorConfig(
    { ...circle.env, ...env },
    { production: true, chainId: 31_337 },
  )
  if (config.provider !== 'circle') throw new Error('This is not Circle')
  return createCircleExecutor({ ...config, timeoutMs })
}

/** The same executor with a short time-out, for requests that get no answer. */
export const hasty = (circle: CircleEmulator, of: Delegated): Delegated => ({
  ...of,
  executor: circleExecutor(circle, {}, HASTY_MS),
})

export const provisioning = () => ({
  organizationId: randomUUID() as string,
  provisioningId: randomUUID() as string,
})

/** The reason for the log, from an error that says nothing more, whatever Circle answered. */
export async function unavailability(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  const { code, cause } = error as AppError
  expect(code).toBe('dependency_unavailable')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/canary|entitySecret|API_KEY/)
  return (cause as Error).message
}

export type Delegated = { executor: DelegatedExecutor; key: ProvisionedExecutor; address: string }

export async function provisioned(executor: DelegatedExecutor): Promise<Delegated> {
  const key = await executor.provision(provisioning())
  return { executor, key, address: key.address.toLowerCase() }
}

/** A call for a payment that nobody could make. */
export const anyCall = (): VaultCall => ({
  vaultAddress: `0x${'ab'.repeat(20)}`,
  data: `0x${randomBytes(68).toString('hex')}`,
  gasLimit: 400_000n,
})

export const submit = (
  { executor, key, address }: Delegated,
  call: VaultCall,
  { idempotencyKey = randomUUID() as string, signal = AbortSignal.timeout(10_000) } = {},
) => {
  const { reference } = key
  return executor.delegation.submit({ idempotencyKey, address, reference, call, signal })
}

export const delegate = async (of: Delegated, call: VaultCall, more = {}) => {
  const answer = await submit(of, call, more)
  if (answer.outcome !== 'reported') throw new Error('It was refused')
  return answer
}

export const pollReport = ({ executor }: Delegated, providerReference: string) => {
  const { poll } = executor.delegation
  if (!poll) throw new Error('It cannot be asked')
  return poll({ providerReference })
}

export const until = (of: Delegated, id: string, state: string) =>
  vi.waitFor(
    async () => {
      const report = await pollReport(of, id)
      expect(report.state).toBe(state)
      return report
    },
    { timeout: 30_000, interval: 20 },
  )
