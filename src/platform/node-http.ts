/**
 * Node's `http`. Importing it as an ES module reads all that it exports, and so loads Node's
 * WebSocket client with it: a tenth of the time at start, for something that is not used.
 */
export const http = process.getBuiltinModule('node:http')
