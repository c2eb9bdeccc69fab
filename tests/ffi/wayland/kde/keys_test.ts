/** KWin keys next to those that a user holds, as reported by org_kde_kwin_keystate of Plasma 5 and 6. */

import { assertEquals, assertRejects } from "@std/assert";
import { StateError } from "../../../../core/errors.ts";
import { FAKE_INPUT, KEY_STATE, KwinKeys } from "../../../../ffi/wayland/kde/keys.ts";

const FAKE = 7, STATES = 8, SHIFT = 42, Y = 21;
type Handler = (opcode: number, args: { uint(): number }) => void;

/** Keys on a connection that answers like KWin. @param version Of org_kde_kwin_keystate. */
function keysOf(version: number) {
  /** Key states that KWin reports, and the codes and states sent to it. */
  const states: [key: number, state: number][] = [], sent: unknown[][] = [];
  let handler: Handler = () => {};
  const connection = {
    handled: () => undefined,
    request(object: number, opcode: number, ...args: unknown[]) {
      if (object === FAKE && opcode === FAKE_INPUT.keyboardKey) sent.push(args);
      if (object !== STATES) return;
      for (const pair of states) {
        const values = pair.values();
        handler(KEY_STATE.stateChanged, { uint: () => values.next().value! });
      }
    },
  };
  const registry = {
    all: () => [{ version }],
    bind: (_global: unknown, _version: number, given: Handler) => {
      handler = given;
      return STATES;
    },
  };
  const bus = { dispatch: () => {}, listen: () => {}, owner: () => undefined };
  // deno-lint-ignore no-explicit-any
  const keys = new KwinKeys(connection as any, registry as any, FAKE, bus as any, true);
  return { keys, states, sent };
}

Deno.test("Plasma 6: refuses text while a modifier is held, naming it", async () => {
  const { keys, states, sent } = keysOf(KEY_STATE.newest);
  states.push([KEY_STATE.capsLock, 0], [4, 0], [5, KEY_STATE.pressed]);
  const refusal = () => keys.releaseOthers([SHIFT, Y]);
  await assertRejects(refusal, StateError, "Shift is held on another keyboard");
  states.push([4, KEY_STATE.pressed]);
  await assertRejects(refusal, StateError, "Shift+Ctrl is held");
  states.splice(0, Infinity, [4, 0], [5, 0]);
  await refusal();
  assertEquals(sent, []);
  states.push([KEY_STATE.capsLock, KEY_STATE.locked]);
  assertEquals(await keys.isCapsLocked(), true);
});

Deno.test("Plasma 5: releases keys before a text", async () => {
  const { keys, states, sent } = keysOf(1);
  states.push([KEY_STATE.capsLock, 0]);
  await keys.releaseOthers([SHIFT, Y]);
  assertEquals(sent, [[SHIFT, 0], [Y, 0]]);
});
