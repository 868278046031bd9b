/** A script of its own, because of its size. The page fetches it before the first step. */
export const loadSealing = () => import('./sealing.ts')
