/** Server-Sent Events as text: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import type { LiveEvent } from './live-event.ts'

/** JSON contains no raw line breaks, so one `data:` line holds it. */
export const eventFrame = (event: LiveEvent): Buffer =>
  Buffer.from(`id: ${event.cursor}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`)

/** Sets the client's last event id without dispatching an event. */
export const cursorFrame = (cursor: string): Buffer => Buffer.from(`id: ${cursor}\n\n`)

export const commentFrame = (text: string): Buffer => Buffer.from(`: ${text}\n\n`)
