/** Counts actions, for metrics. */

/** Calls of one action that have ended. */
export interface ActionCount {
  done: number;
  /** Refused, or failed. */
  failed: number;
}

/** Calls of all actions, by name; one that was never called has no entry. */
export class ActionCounts extends Map<string, ActionCount> {
  /** The calls of an action, by its name. */
  of(name: string): ActionCount {
    let count = this.get(name);
    if (!count) this.set(name, count = { done: 0, failed: 0 });
    return count;
  }
}
