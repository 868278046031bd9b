import type { Machine } from '#platform/machine.ts'

const moves = {
  queued: { start: 'running' },
  // A worker that died leaves the run in `running`; the next worker starts it again.
  running: { start: 'running', succeed: 'succeeded', fail: 'failed' },
  succeeded: {},
  failed: {},
} as const

export type AgentRunState = keyof typeof moves
export type AgentRunEvent = { [S in AgentRunState]: keyof (typeof moves)[S] }[AgentRunState]

export const agentRunMachine: Machine<AgentRunState, AgentRunEvent> = { name: 'agent run', moves }
