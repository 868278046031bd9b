/** All proofs, and every run that they need, by name. */
import { badInput } from './bad-input.ts'
import { contract } from './contract.ts'
import { faults } from './faults.ts'
import type { Proof, Run } from './kinds.ts'
import { load } from './load.ts'
import { pages } from './pages.ts'
import { security } from './security.ts'
import { sharedRuns } from './shared-runs.ts'

export const groups: [title: string, proofs: Proof[]][] = [
  ['Load', load],
  ['Faults', faults],
  ['Bad input', badInput],
  ['Security', security],
  ['Contract', contract],
  ['Pages', pages],
]

export const proofs: Proof[] = groups.flatMap(([, own]) => own)

/** A proof's own run has the proof's id. */
export const runNameOf = ({ id, run }: Proof): string => (typeof run === 'string' ? run : id)

export const runs: Record<string, Run> = {
  ...sharedRuns,
  ...Object.fromEntries(
    proofs.flatMap(({ id, run }) => (typeof run === 'string' ? [] : [[id, run]])),
  ),
}

/** Turns ids of proofs and names of runs into names of runs; nothing wanted means all of them. */
export function chooseRuns(wanted: readonly string[]): string[] {
  const unknown = wanted.filter(
    (name) => !Object.hasOwn(runs, name) && !proofs.some(({ id }) => id === name),
  )
  if (unknown.length > 0) {
    const all = [...Object.keys(sharedRuns), ...proofs.map(({ id }) => id)].join(', ')
    throw new Error(`There is no proof called ${unknown.join(', ')}. There are: ${all}.`)
  }
  if (wanted.length === 0) return Object.keys(runs)
  const named = wanted.map((name) => {
    const proof = proofs.find(({ id }) => id === name)
    return proof ? runNameOf(proof) : name
  })
  return [...new Set(named)]
}
