import { expect, test } from 'vitest'
import { fileMapProblems } from '#test/tidy/file-map.ts'

const map = `
## Files

### \`src/support\`

- \`open-case.ts\`: opens a case; \`notes/add-note.ts\`: adds a note

### \`src\`

- \`main.ts\`: the API process

## Later
`
const files = ['src/support/open-case.ts', 'src/support/notes/add-note.ts', 'src/main.ts']

test('accepts a map that names every file below its folder', () => {
  expect(fileMapProblems(map, files)).toEqual([])
})

test('expects no files whose names follow a rule', () => {
  expect(fileMapProblems(map, [...files, 'src/support/support.routes.ts'])).toEqual([])
})

test('finds a file that no bullet names', () => {
  expect(fileMapProblems(map, [...files, 'src/support/move-case.ts'])).toEqual([
    'src/support/move-case.ts is missing from the section “Files” of ARCHITECTURE.md',
  ])
})

test('finds a file that only another folder’s bullets name', () => {
  expect(fileMapProblems(map, [...files, 'src/open-case.ts'])).toEqual([
    'src/open-case.ts is missing from the section “Files” of ARCHITECTURE.md',
  ])
})

test('finds a name that belongs to no file', () => {
  expect(fileMapProblems(map, files.slice(0, 2))).toEqual([
    'main.ts is named below src in ARCHITECTURE.md, but does not exist',
  ])
})
