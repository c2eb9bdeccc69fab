/** The effects of actions, and changes that no action caused; loaded on first use. */

export { targetOf } from "./aims.ts";
export { ChangeFollower } from "./follower.ts";
export type { Patience } from "./approach.ts";
export { observe, type Seen } from "./observation.ts";
export { pressPlace, SeenPictures } from "./seen_pictures.ts";
export { ChangeWatch } from "./watch.ts";
export { wholeOf } from "./verdict.ts";
