/** The section “Files” of ARCHITECTURE.md against the files that exist. */

/** Names by folder, as the bullets below the folder's heading have them. */
type FileMap = Map<string, string[]>

/** Their names say where they belong; the map has those that also hold a rule. */
const FOLLOWS_A_RULE = /\.(routes|schema|actions|machine)\.ts$/

export function readFileMap(architecture: string): FileMap {
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
export function fileMapProblems(
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
