/** Presses keys of GNOME, which also tells of Caps Lock. */

import type { KeyPresser } from "../layout/key_presser.ts";
import type { MutterSession } from "./mutter_session.ts";
import type { RemoteInput } from "../streamed/remote_input.ts";
import { type KeyOrder, RemoteKeys } from "../streamed/remote_keys.ts";

/** Keys of Mutter's sessions. */
export class MutterKeys extends RemoteKeys implements KeyPresser {
  /** @param session Gives the open session. */
  constructor(input: RemoteInput, readonly session: () => Promise<MutterSession>, order: KeyOrder) {
    super(input, order);
  }

  async isCapsLocked(): Promise<boolean> {
    const { bus, object } = await this.session();
    return await bus.propertyAsync(object, "CapsLockState") === true;
  }
}
