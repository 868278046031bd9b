import { Type } from 'typebox'

/** Whatever is sent as a cursor is answered by the stream itself: with a reset, never a refusal. */
export const StreamQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      description: 'Go on behind this cursor, of a snapshot or of an event',
      'x-extension': true,
    }),
  ),
})

export const StreamHeaders = Type.Object({
  'last-event-id': Type.Optional(
    Type.String({
      description: 'The id of the last event received; goes before the query',
      'x-extension': true,
    }),
  ),
})

export const EventStreamSchema = {
  description: 'Server-Sent Events: id is the cursor, event the kind, data a live event as JSON',
  content: { 'text/event-stream': { schema: Type.String() } },
}
