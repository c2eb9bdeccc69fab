/** Changes that no action causes, on the screen and among the windows. */

import { InputError } from "../../core/errors.ts";
import { action } from "./action.ts";
import { changesValues, REGIONS, WINDOWS_CHANGED } from "./observe_fields.ts";
import { count, flag, integer, optional } from "./schema.ts";

/** Callers that may wait at once. */
const WAITERS = 64;

/** The fields of changes. */
const CHANGES = {
  serial: count("The serial of the last change: the value of since for the next call"),
  cut: flag("true if since is so old that not all changes are kept"),
  regions: REGIONS,
  windows: optional(WINDOWS_CHANGED),
};

export const changes = action({
  name: "changes",
  summary: "Changes of the screen and of the windows",
  effect: "read",
  waits: true,
  input: {
    since: optional(count("The serial of an earlier answer; from now on if left out")),
    wait_ms: optional(integer(0, 600_000, "How long to wait for a change; 0 if left out")),
  },
  output: CHANGES,
  limit: { count: WAITERS, message: `${WAITERS} clients are waiting already; try again later` },
  async run({ since, wait_ms = 0 }, { followed, signal }) {
    const follower = await followed();
    using _ = await follower.follow();
    const first = since ?? follower.serial;
    if (first > follower.serial) {
      throw new InputError(`since must be a serial of an earlier answer, at most ${follower.serial}`);
    }
    if (wait_ms) await follower.waitFor(first, wait_ms, signal);
    return changesValues(follower.since(first));
  },
});
