/**
 * Changes. One idempotency key per intention: it is kept until the change succeeded, so that a second
 * click or a retry after a lost answer is the same change. Nothing is shown before the service has
 * confirmed it.
 */
import type { Failure } from '@countersign/client/errors.ts'
import type { CallInput, DataOf, OperationId } from '@countersign/client/operation-types.ts'
import { randomKey } from '@countersign/client/random-key.ts'
import type { Result } from '@countersign/client/result.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { client } from './api.ts'

export type Action<Id extends OperationId> = {
  run(input: CallInput<Id>): Promise<Result<DataOf<Id>>>
  isBusy: boolean
  failure: Failure | null
  /** Forget the failure, for instance when the form changes. */
  reset(): void
}

export function useAction<Id extends OperationId>(
  id: Id,
  /** Reads that this change outdates. Live events name others. */
  outdates: readonly OperationId[] = [],
): Action<Id> {
  const cache = useQueryClient()
  const key = useRef<{ of: string; key: string } | null>(null)
  const isRunning = useRef(false)
  const [state, setState] = useState<{ isBusy: boolean; failure: Failure | null }>({
    isBusy: false,
    failure: null,
  })

  /** The same input is the same intention until it has succeeded. */
  const keyFor = (input: CallInput<Id>): string => {
    const of = JSON.stringify(input)
    if (key.current?.of !== of) key.current = { of, key: randomKey() }
    return key.current.key
  }

  const run = async (input: CallInput<Id>): Promise<Result<DataOf<Id>>> => {
    // A second click waits for nothing: the first one decides what happens next.
    if (isRunning.current) return new Promise(() => {})
    isRunning.current = true
    setState({ isBusy: true, failure: null })
    const call = client.call as unknown as (id: Id, input: unknown) => Promise<Result<DataOf<Id>>>
    const result = await call(id, { idempotencyKey: keyFor(input), ...input })
    isRunning.current = false
    if (result.ok) {
      key.current = null
      await Promise.all(outdates.map((read) => cache.invalidateQueries({ queryKey: [read] })))
    }
    setState({ isBusy: false, failure: result.ok ? null : result.failure })
    return result
  }
  return { ...state, run, reset: () => setState({ isBusy: false, failure: null }) }
}
