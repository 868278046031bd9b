import { expect, test } from 'vitest'
import { fitting } from './file-choice.ts'

test.each([
  [3, ['a', 'b'], { taken: ['a', 'b'], leftOut: 0 }],
  [2, ['a', 'b', 'c'], { taken: ['a', 'b'], leftOut: 1 }],
  [0, ['a', 'b'], { taken: [], leftOut: 2 }],
  [-1, ['a', 'b'], { taken: [], leftOut: 2 }],
])('with room for %i of %o', (room, files, fit) => {
  expect(fitting(files, room)).toEqual(fit)
})
