import type { CheckedTrail } from '@countersign/proof/check-trail.ts'
import { Notice } from '@countersign/ui/notice.tsx'
import { Plural, Trans } from '@lingui/react/macro'

const PROBLEMS_SHOWN = 10

/** What the check found, and what it cannot show. */
export function TrailVerdict({ checked }: { checked: CheckedTrail }) {
  const { verdict, events, problems, problemCount, confirmedHeads } = checked
  if (verdict === 'refused') {
    return (
      <Notice tone="bad" isLive title={<Trans>The trail does not hold</Trans>}>
        <Trans>Keep the file and contact support. What is wrong:</Trans>
        <ul className="list-disc ps-5">
          {problems.slice(0, PROBLEMS_SHOWN).map(({ line, problem }) => (
            <li key={`${line} ${problem}`}>
              {line !== null && <Trans>line {line}: </Trans>}
              {problem}
            </li>
          ))}
        </ul>
        {problemCount > PROBLEMS_SHOWN && (
          <Plural
            value={problemCount - PROBLEMS_SHOWN}
            one="and one more problem"
            other="and # more problems"
          />
        )}
      </Notice>
    )
  }
  return (
    <Notice
      tone="ok"
      isLive
      title={
        <Plural
          value={events}
          one="# event, and every link holds"
          other="# events, and every link holds"
        />
      }
    >
      {confirmedHeads.length > 0 ? (
        <Trans>
          The head that this browser kept is in it, so nothing before that was cut off or rewritten.
          The trail shows what the service recorded, not that it is true.
        </Trans>
      ) : (
        <Trans>
          Computed in this page. Without a head that you kept, it cannot show that the service did
          not compute the whole trail anew. Keep this head elsewhere, and compare it later.
        </Trans>
      )}
    </Notice>
  )
}
