/** What every screen of the consumer application reads first. See `beginApp`. */
import { beginApp } from '@countersign/app-kit/early/begin-app.ts'
import { catalogs } from './catalogs.ts'

const ORGANIZATION = /^\/organizations\/([\da-f-]{36})(?:\/|$)/

/** Of the page that was opened. */
export const organizationId = ORGANIZATION.exec(location.pathname)?.[1]

void beginApp(catalogs, [
  '/v1/consumer/me',
  '/v1/consumer/config',
  ...(organizationId ? [`/v1/consumer/organizations/${organizationId}/live/snapshot`] : []),
])
