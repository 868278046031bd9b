/** Severity levels, in ascending order, of health, live events, tasks and metrics. */
export const severities = ['healthy', 'degraded', 'action_required'] as const

export type Severity = (typeof severities)[number]

/** 0 is healthy; metrics report this number. */
export const rankOf = (severity: Severity): number => severities.indexOf(severity)

export const worstOf = (found: readonly Severity[]): Severity =>
  found.reduce((a, b) => (rankOf(b) > rankOf(a) ? b : a), 'healthy')
