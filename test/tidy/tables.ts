/**
 * Each table belongs to one module, whose stores alone write it. Another module's store may read it
 * if `reads` says why.
 */
import { isTest, lineAt, type SourceFile, scan } from './source.ts'

export type Owners = Record<string, string>
/** What stores of `module` read of others, and why a join is better than that module's store. */
export type ForeignRead = { module: string; tables: readonly string[]; reason: string }

const STATEMENT =
  /\b(insert\s+into|delete\s+from|update|truncate|from|join|using)\s+(?:only\s+)?(\w+)/gi

type Use = { module: string; table: string; isWrite: boolean; where: string }

const moduleOf = (path: string): string => path.split('/')[1] ?? ''

function usesIn(file: SourceFile, owners: Owners): Use[] {
  return scan(file.text).literals.flatMap(({ start, text }) =>
    [...text.matchAll(STATEMENT)].flatMap(([, verb = '', table = '']) =>
      Object.hasOwn(owners, table)
        ? [
            {
              module: moduleOf(file.path),
              table,
              isWrite: !/^(?:from|join|using)$/i.test(verb),
              where: `${file.path}:${lineAt(file.text, start)}`,
            },
          ]
        : [],
    ),
  )
}

export function tableProblems(
  files: readonly SourceFile[],
  { owners, reads }: { owners: Owners; reads: readonly ForeignRead[] },
): string[] {
  const stores = files.filter((file) => file.path.endsWith('.store.ts') && !isTest(file))
  const foreign = stores
    .flatMap((file) => usesIn(file, owners))
    .filter(({ module, table }) => owners[table] !== module)
  const mayRead = ({ module, table }: Use) =>
    reads.some((read) => read.module === module && read.tables.includes(table))
  const refused = foreign
    .filter((use) => use.isWrite || !mayRead(use))
    .map(({ where, isWrite, table }) => {
      const verb = isWrite ? 'writes' : 'reads'
      return `${where} ${verb} ${table}, which belongs to ${owners[table]}`
    })
  const needless = reads.flatMap(({ module, tables }) =>
    tables
      .filter((table) => !foreign.some((use) => use.module === module && use.table === table))
      .map((table) => `${module} needs no exception to read ${table}`),
  )
  return [...refused, ...needless]
}

/** Tables and views that the migrations leave behind, against those with an owner. */
export function ownerProblems(migrations: readonly SourceFile[], owners: Owners): string[] {
  const namesOf = (verb: string) =>
    migrations.flatMap(({ text }) =>
      [
        ...text.matchAll(
          new RegExp(`^${verb} (?:unlogged )?(?:table|view) (?:if exists )?(\\w+)`, 'gm'),
        ),
      ].map(([, name = '']) => name),
    )
  const dropped = namesOf('drop')
  const created = namesOf('create').filter((name) => !dropped.includes(name))
  return [
    ...created.filter((name) => !Object.hasOwn(owners, name)).map((name) => `${name} has no owner`),
    ...Object.keys(owners)
      .filter((name) => !created.includes(name))
      .map((name) => `${name} is no table`),
  ]
}
