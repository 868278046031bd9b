import { component } from '#http/openapi.ts'
import { Type } from '#platform/schema.ts'
import { TRANSPORT_POLICY } from '#platform/transport-policy.ts'
import { LiveEventSchema } from './live.schema.ts'

/** An invalid cursor is answered by a reset event in the stream, never by an error status. */
export const StreamQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      description:
        'Resume after this cursor of a snapshot or an event. Without it, the stream starts now',
      'x-extension': true,
    }),
  ),
})

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'Id of the last event received; takes precedence over `cursor`',
      'x-extension': true,
    }),
  ),
})

const { keepaliveSeconds, staleAfterSeconds, maxConnectionSeconds } = TRANSPORT_POLICY

const framing = `Server-Sent Events. \`id\` is the cursor of the event, \`event\` its kind, and \
\`data\` a [LiveEvent](#/components/schemas/LiveEvent) as JSON in one line. A browser's \
\`EventSource\` cannot send the access token: read the stream with \`fetch\`.

\`\`\`
retry: 3000

id: AXwXVmEfPVy-iufQoqg0A1QSRTbyWQedu9SqRoo6kGVs

id: AQ0oYwq4n1R0dVw2mZpG7cTt3sKxUeLh9bJyFvPqWiOa
event: expense.changed
data: {"id":"0198a3c4-…","cursor":"AQ0oYwq4…","kind":"expense.changed",…}

: keepalive

: end: lifetime
\`\`\`

The stream first sends what was missed since the cursor, then an \`id\` alone, then new events. A \
\`keepalive\` comment comes every ${keepaliveSeconds} seconds; if nothing came for \
${staleAfterSeconds} seconds, reconnect.

**Resume.** Send the last \`id\` as \`Last-Event-ID\`, or any cursor as \`cursor\`. Events are \
kept for 7 days; none is missed and none is sent twice.

**Reset.** A \`stream.reset\` event asks the client to read the snapshot again; the stream goes on \
after it. Its \`code\` is \`cursor_unknown\` (not a cursor of this stream), \`cursor_expired\` \
(the events after it were deleted) or \`role_changed\` (the caller now sees other events).

**End.** The last comment says why the server ended the stream. Reconnect at once with the last \
\`id\`, except after \`token\`, \`access\` and \`replaced\`.

- \`lifetime\`: ${maxConnectionSeconds} seconds have passed.
- \`token\`: the access token has expired. Get a new one first.
- \`access\`: the caller may no longer read this stream.
- \`replaced\`: the account has opened too many streams, and this was the oldest.
- \`slow\`: too many new events came while the missed ones were sent.
- \`restored\`: the order of events was reset. The next stream sends a \`stream.reset\`.
- \`trouble\`: the missed events could not be read.
- \`stopping\`: the server process stops.

A client that leaves 1 MiB unread, or reads nothing for ${staleAfterSeconds} seconds, is \
disconnected without a comment.`

export const EventStreamSchema = {
  description: framing,
  content: {
    'text/event-stream': {
      schema: Type.String({ description: 'Lines as described above' }),
      // OpenAPI 3.1 cannot describe the items of a stream.
      'x-event-schema': component(LiveEventSchema),
    },
  },
}
