import { simulate } from './simulate.ts'
const [from='1', n='20', tr] = process.argv.slice(2)
const t=performance.now()
const kinds: Record<string, number> = {}; const ends: Record<string, number> = {}
for (let s=Number(from); s<Number(from)+Number(n); s++) {
  const r = await simulate({seed:s, hasRestore:true, hasFaults: !process.env['CALM'], isGuarded:true, ...(tr?{trace:(l:string)=>process.stdout.write(l+'\n')}:{})})
  for (const v of r.violations) { kinds[v.kind]=(kinds[v.kind]??0)+1; process.stdout.write(`${s} ${v.kind} ${v.detail}\n`) }
  for (const x of r.rows) { const k=`${x.state} ${x.blockCode}`; ends[k]=(ends[k]??0)+1 }
}
process.stdout.write(JSON.stringify({kinds,ends,ms:performance.now()-t})+'\n')
