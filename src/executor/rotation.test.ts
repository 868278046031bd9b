import { expect, test } from 'vitest'
import { next } from '#platform/machine.ts'
import { bindingMachine } from './executor.machine.ts'
import { type RotatedBinding, rotationMoves } from './rotation.ts'

type Shown = [state: RotatedBinding['state'], ...facts: ('named' | 'needed')[]]

const movesOf = (...bindings: Shown[]) =>
  rotationMoves(
    bindings.map(([state, ...facts], place) => ({
      id: String(place + 1),
      state,
      isNamed: facts.includes('named'),
      isNeeded: facts.includes('named') || facts.includes('needed'),
    })),
  ).map(({ binding, event }) => `${binding.id} ${event}`)

test.each<[string, Shown[], string[]]>([
  ['no policy names any executor', [['active']], []],
  [
    'the next one is named by no policy yet',
    [
      ['active', 'named'],
      ['next', 'needed'],
    ],
    [],
  ],
  [
    'a policy names the next one',
    [
      ['active', 'needed'],
      ['next', 'named'],
    ],
    ['1 replace', '2 activate'],
  ],
  [
    'the old one has work',
    [
      ['draining', 'needed'],
      ['active', 'named'],
    ],
    [],
  ],
  ['the old one has none', [['draining'], ['active', 'named']], ['1 retire']],
  [
    'another vault still names the old one',
    [
      ['draining', 'named'],
      ['active', 'named'],
    ],
    [],
  ],
  [
    'a rollback removed the policy of the new one',
    [
      ['draining', 'named'],
      ['active', 'needed'],
    ],
    ['2 withdraw', '1 activate'],
  ],
  [
    'a policy skips one that was withdrawn',
    [
      ['active', 'needed'],
      ['next', 'needed'],
      ['next', 'named'],
    ],
    ['1 replace', '2 replace', '3 activate'],
  ],
  [
    'a rollback brings back the first of three',
    [
      ['draining', 'named'],
      ['draining', 'needed'],
      ['active', 'needed'],
    ],
    ['2 withdraw', '3 withdraw', '1 activate'],
  ],
])('when %s', (_situation, bindings, moves) => {
  expect(movesOf(...bindings)).toEqual(moves)
})

const states = ['next', 'active', 'draining'] as const
const facts = [[], ['needed'], ['named']] as const
const shapes = states.flatMap((state) => facts.map((some): Shown => [state, ...some]))

test('any two executors reach a state with one active in which nothing moves', () => {
  for (const first of shapes) {
    for (const second of shapes) {
      let bindings = [first, second].map(([state, ...some], place) => ({
        id: String(place),
        state: state as RotatedBinding['state'],
        isNamed: some.includes('named'),
        isNeeded: some.length > 0,
      }))
      if (!bindings.some(({ isNamed }) => isNamed)) continue
      for (let round = 0; round < 2; round += 1) {
        for (const { binding, event } of rotationMoves(bindings)) {
          binding.state = next(bindingMachine, { from: binding.state, event })
        }
        bindings = bindings.filter(({ state }) => state !== 'disabled')
      }
      expect(rotationMoves(bindings)).toEqual([])
      expect(bindings.filter(({ state }) => state === 'active')).toHaveLength(1)
    }
  }
})
