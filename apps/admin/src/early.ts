import { beginApp } from '@countersign/app-kit/early/begin-app.ts'
import { catalogs } from './catalogs.ts'

void beginApp(catalogs, [])
