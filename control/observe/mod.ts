/** What actions did, and what changes by itself; loaded when it is first asked for. */

export { targetOf } from "./aims.ts";
export { ChangeFollower } from "./follower.ts";
export { observe, type Seen } from "./observation.ts";
export { ChangeWatch } from "./watch.ts";
