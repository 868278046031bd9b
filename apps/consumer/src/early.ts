/** What every screen of the consumer application reads first. See `beginApp`. */
import { beginApp } from '@countersign/app-kit/early/begin-app.ts'
import { catalogs } from './catalogs.ts'

const [, organizationId] = /^\/organizations\/([\da-f-]{36})(?:\/|$)/.exec(location.pathname) ?? []

void beginApp(catalogs, [
  '/v1/consumer/me',
  '/v1/consumer/config',
  ...(organizationId ? [`/v1/consumer/organizations/${organizationId}/live/snapshot`] : []),
])
