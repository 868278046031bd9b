import './main.css'
import { askForFirstSnapshot } from '@countersign/app-kit/data/first-snapshot.ts'
import { firstReading } from '@countersign/app-kit/data/queries.ts'
import { startApp } from '@countersign/app-kit/start-app.tsx'
import { catalogs } from './catalogs.ts'
import { createReadCache } from './data/read-cache.ts'
import { organizationId } from './early.ts'
import { createAppRouter } from './router.tsx'

const cache = createReadCache()
const readFirst = () => {
  void cache.prefetchQuery(firstReading('getAccount', {}))
  void cache.prefetchQuery(firstReading('getClientConfig', {}))
  if (organizationId) askForFirstSnapshot(organizationId)
}
await startApp({
  realm: 'consumer',
  catalogs,
  cache,
  router: createAppRouter(cache),
  readFirst,
})
