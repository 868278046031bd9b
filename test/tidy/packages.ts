/** The house rules about dependencies: exact versions, and no address of where they came from. */
type PackageFile = Record<string, unknown>

const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/
const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides']

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export const pinProblems = (packageFile: PackageFile): string[] =>
  GROUPS.flatMap((group) =>
    Object.entries(recordOf(packageFile[group]))
      .filter(([, version]) => typeof version !== 'string' || !EXACT.test(version))
      .map(([name, version]) => `${group}: ${name} is ${JSON.stringify(version)}`),
  )

type Locked = { resolved?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean }

export function lockProblems(lockFile: { packages: Record<string, Locked> }): string[] {
  return Object.entries(lockFile.packages)
    .filter(([path, { link }]) => /(?:^|\/)node_modules\//.test(path) && !link)
    .flatMap(([path, { resolved, integrity }]) => [
      ...(resolved === undefined ? [] : [`${path} is resolved to ${resolved}`]),
      ...(integrity?.startsWith('sha512-') ? [] : [`${path} has no sha512 integrity`]),
    ])
}
