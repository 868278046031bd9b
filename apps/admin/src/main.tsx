import './early.ts'
import './main.css'
import { startApp } from '@countersign/app-kit/start-app.tsx'
import { catalogs } from './catalogs.ts'
import { createReadCache } from './data/read-cache.ts'
import { createAppRouter } from './router.tsx'

const cache = createReadCache()
await startApp({ realm: 'admin', catalogs, cache, router: createAppRouter(cache) })
