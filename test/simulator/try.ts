import { runSeries } from './series.ts'
const t = performance.now()
const s = await runSeries({ from: 1, seeds: 150 })
process.stdout.write(`${(performance.now() - t) / 150} ms a seed, cpu ${process.cpuUsage().user / 150000} ms\n`)
