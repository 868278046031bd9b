/**
 * A lane is the ordered queue of transactions of one executor address. The binding's row holds its
 * lease, its next nonce and its hold; only the engine that holds the lease writes them, through
 * these functions.
 */
// biome-ignore lint/performance/noBarrelFile: stores of other modules may only be read directly
export {
  claimLane,
  extendLease,
  findLane,
  type LaneKey,
  type LaneRow,
  lockLane,
  lockLaneRow,
  raiseFloor,
  takeNonces,
  updateHold,
} from './lanes.store.ts'
