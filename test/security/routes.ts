/** The routes of the service, as the permission table and the OpenAPI document name them. */
import { type Access, permissions } from '#access/permissions.ts'
import { document } from '#test/support/contract.ts'

export type Route = { name: string; method: string; template: string; access: Access }

export const routes: Route[] = Object.entries(permissions).map(([name, access]) => {
  const [method = '', template = ''] = name.split(' ')
  return { name, method, template, access }
})

/** Routes within one organization, which must be isolated between tenants. */
export const organizationRoutes = routes.filter(
  ({ template, access }) => access.realm === 'consumer' && template.includes('/:organizationId'),
)

export const guardedRoutes = routes.filter(({ access }) => access.realm !== 'public')

/** The document writes no slash at the end of a path. */
export const documentPath = (template: string): string =>
  template.replace(/:(\w+)/g, '{$1}').replace(/(.)\/$/, '$1')

export const declares = ({ method, template }: Route, status: number): boolean =>
  String(status) in
  (document.paths[documentPath(template)]?.[method.toLowerCase()]?.responses ?? {})

export const parametersOf = (template: string): string[] =>
  [...template.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/** Throws for a parameter without a value, which is an error of the test. */
export const fill = (template: string, values: Record<string, string>): string =>
  template.replace(/:(\w+)/g, (_match, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`${template} needs a value for ${name}`)
    return value
  })
