/** The steps of an export, from the request to the opened key. */
import type { Failure } from '@countersign/client/errors.ts'
import { useCallback, useEffect, useRef, useState } from 'react'
import { stepUpPath } from '../data/session.ts'
import { type Ceremony, forgetCeremony, keepCeremony, keptCeremony } from './ceremony-store.ts'
import { type ExportRealm, exportCalls } from './export-calls.ts'
import { isOwnPayload, makeExportKeys, openSealed, signPayload } from './export-protocol.ts'

export type Phase = 'loading' | 'ready' | 'requested' | 'proved' | 'opened' | 'forgotten'
/** Not failures of the service: what this page itself found wrong. */
export type OwnProblem = 'other_payload' | 'cannot_open' | 'cannot_store'

export type UsedCeremony = {
  phase: Phase
  expiresAt: string | null
  requestId: string | null
  isBusy: boolean
  failure: Failure | null
  problem: OwnProblem | null
  begin(): Promise<void>
  prove(): Promise<void>
  complete(): Promise<void>
  cancel(): Promise<void>
  /** The exported key. Only for showing it while someone holds the button, and for copying. */
  secret(): string | null
  forget(): void
}

type State = {
  phase: Phase
  ceremony: Ceremony | null
  isBusy: boolean
  failure: Failure | null
  problem: OwnProblem | null
}

const START: State = {
  phase: 'loading',
  ceremony: null,
  isBusy: false,
  failure: null,
  problem: null,
}

export function useCeremony(walletId: string, realm: ExportRealm): UsedCeremony {
  const calls = exportCalls(realm)
  const [state, setState] = useState<State>(START)
  // In a reference, not in the state: it reaches no tree, no cache and no tool that shows them.
  const secret = useRef<string | null>(null)
  const set = useCallback(
    (change: Partial<State>) => setState((old) => ({ ...old, ...change })),
    [],
  )

  useEffect(() => {
    let isCurrent = true
    keptCeremony(walletId).then(
      (ceremony) => {
        if (!isCurrent) return
        const phase = !ceremony ? 'ready' : ceremony.isProving ? 'proved' : 'requested'
        set({ phase, ceremony })
      },
      () => isCurrent && set({ phase: 'ready', problem: 'cannot_store' }),
    )
    return () => {
      isCurrent = false
      secret.current = null
    }
  }, [walletId, set])

  const forget = useCallback(() => {
    if (secret.current === null) return
    secret.current = null
    set({ phase: 'forgotten' })
  }, [set])

  const begin = async () => {
    set({ isBusy: true, failure: null, problem: null })
    const keys = await makeExportKeys()
    const { recipientPublicKey } = keys
    const asked = await calls.request({
      path: { walletId },
      body: { recipientPublicKey },
    })
    if (!asked.ok) return set({ isBusy: false, failure: asked.failure })
    const { requestId, expiresAt, authorizationPayload: payload } = asked.data
    if (!isOwnPayload(payload, { requestId, recipientPublicKey })) {
      return set({ isBusy: false, problem: 'other_payload' })
    }
    const ceremony = { ...keys, walletId, requestId, payload, expiresAt, isProving: false }
    try {
      await keepCeremony(ceremony)
    } catch {
      return set({ isBusy: false, problem: 'cannot_store' })
    }
    set({ isBusy: false, phase: 'requested', ceremony })
  }

  const prove = async () => {
    if (!state.ceremony) return
    await keepCeremony({ ...state.ceremony, isProving: true })
    location.assign(stepUpPath(state.ceremony.requestId, location.pathname))
  }

  const complete = async () => {
    const { ceremony } = state
    if (!ceremony) return
    set({ isBusy: true, failure: null, problem: null })
    const { requestId, recipientPublicKey } = ceremony
    const authorizationSignature = await signPayload(ceremony.signs, ceremony.payload)
    // The gateway adds the assertion, which this page never sees.
    const body = { recipientPublicKey, authorizationSignature } as {
      recipientPublicKey: string
      authorizationSignature: string
      mfaAssertion: string
    }
    const headers = { 'x-step-up': requestId }
    const sealed = await calls.complete({
      path: { walletId, requestId },
      headers,
      body,
    })
    if (!sealed.ok) {
      const isWrongProof = sealed.failure.code === 'fresh_authentication_required'
      if (sealed.failure.code === 'export_unusable') await forgetCeremony(walletId)
      return set({
        isBusy: false,
        failure: sealed.failure,
        phase: isWrongProof ? 'requested' : state.phase,
      })
    }
    try {
      secret.current = await openSealed(ceremony, sealed.data)
      set({ isBusy: false, phase: 'opened', ceremony: null })
    } catch {
      set({ isBusy: false, phase: 'ready', ceremony: null, problem: 'cannot_open' })
    }
    await forgetCeremony(walletId)
  }

  const cancel = async () => {
    const { ceremony } = state
    if (ceremony) {
      const path = { walletId, requestId: ceremony.requestId }
      await calls.cancel({ path })
      await forgetCeremony(walletId)
    }
    setState({ ...START, phase: 'ready' })
  }

  return {
    phase: state.phase,
    expiresAt: state.ceremony?.expiresAt ?? null,
    requestId: state.ceremony?.requestId ?? null,
    isBusy: state.isBusy,
    failure: state.failure,
    problem: state.problem,
    ...{ begin, prove, complete, cancel, forget },
    secret: () => secret.current,
  }
}
