/** The section “Files” of ARCHITECTURE.md against the files that exist. */
import { expect, test } from 'vitest'
import { readSource, readSources } from '#test/tidy/source.ts'

/** Names by folder, as the bullets below the folder's heading have them. */
type FileMap = Map<string, string[]>

/** Their names say where they belong; the map has those that also hold a rule. */
const FOLLOWS_A_RULE = /\.(routes|schema|actions|machine)\.ts$/

function readFileMap(architecture: string): FileMap {
  const [, files = ''] = architecture.split(/^## Files$/m)
  const [section = ''] = files.split(/^## /m)
  const map: FileMap = new Map()
  for (const part of section.split(/^### `/m).slice(1)) {
    const end = part.indexOf('`')
    const names = [...part.slice(end + 1).matchAll(/`([\w./-]+\.(?:tsx?|sol))`/g)]
    map.set(
      part.slice(0, end),
      names.map(([, name = '']) => name),
    )
  }
  return map
}

/** The longest heading that the path is below. */
function folderOf(map: FileMap, path: string): string | undefined {
  const above = [...map.keys()].filter((folder) => path.startsWith(`${folder}/`))
  return above.toSorted((one, other) => other.length - one.length)[0]
}

/** A bullet may leave out a folder that it has named before. */
const isNamed = (names: readonly string[], path: string): boolean =>
  names.some((name) => path === name || path.endsWith(`/${name}`))

/** The map must name `paths`, and may name the `others`. */
function fileMapProblems(
  architecture: string,
  paths: readonly string[],
  others: readonly string[] = [],
): string[] {
  const all = [...paths, ...others]
  const map = readFileMap(architecture)
  const missing = paths
    .filter((path) => !FOLLOWS_A_RULE.test(path))
    .filter((path) => !isNamed(map.get(folderOf(map, path) ?? '') ?? [], path))
    .map((path) => `${path} is missing from the section “Files” of ARCHITECTURE.md`)
  const gone = [...map].flatMap(([folder, names]) =>
    names
      .filter((name) => !all.some((path) => isNamed([name], path)))
      .map((name) => `${name} is named below ${folder} in ARCHITECTURE.md, but does not exist`),
  )
  return [...missing, ...gone]
}

test('ARCHITECTURE.md names every source file, and says what it decides', () => {
  const folders = [
    ...['src', 'packages/proof/src', 'packages/client/src', 'packages/app-kit/src'],
    ...['packages/ui/src', 'apps/consumer/src', 'apps/admin/src', 'apps/dev-wallet/src'],
    ...['contracts/src', 'deploy', 'tools/openapi-types/src', 'tools/packages', 'tools/service'],
    'tools/web',
  ]
  const paths = folders
    .flatMap((folder) => readSources(folder, ['.ts', '.tsx', '.sol']))
    .filter((file) => !/\.test\.tsx?$/.test(file.path))
    .map(({ path }) => path)
  const others = ['tools/side-by-side.ts', 'apps/dev-wallet/build.ts', 'lingui.config.ts']
  const architecture = readSource('ARCHITECTURE.md').text
  expect(fileMapProblems(architecture, paths, others)).toEqual([])
})

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
