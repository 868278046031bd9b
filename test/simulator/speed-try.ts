import { runSeries } from './series.ts'
await runSeries({ from: 1, seeds: 100 })
process.stdout.write(`cpu ${process.cpuUsage().user / 100000} + ${process.cpuUsage().system / 100000} ms a seed\n`)
