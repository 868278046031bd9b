import { Type } from 'typebox'

/** An invalid cursor is answered by a reset event in the stream, never by an error status. */
export const StreamQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      description: 'Resume after this cursor of a snapshot or an event',
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

export const EventStreamSchema = {
  description: 'Server-Sent Events: id is the cursor, event the kind, data a live event as JSON',
  content: { 'text/event-stream': { schema: Type.String() } },
}
