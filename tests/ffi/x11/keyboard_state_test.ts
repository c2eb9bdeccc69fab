/** Text and keys next to a user's keyboard: its layout, held keys, latches, locks and AccessX aids. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { combination } from "../../../control/operator/gestures.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { StateError } from "../../../core/errors.ts";
import { AIDS, aidsOn } from "../../../ffi/x11/xkb.ts";
import { Connection } from "../../../ffi/x11/connection.ts";
import { keysDown } from "../../../ffi/x11/keyboard_state.ts";
import { readState } from "../../../ffi/x11/keymap.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { need } from "../../support/need.ts";
import { PersonKeyboard } from "../../support/person_keyboard.ts";
import { receives, typewriter } from "../../support/program.ts";
import { until } from "../../support/shell.ts";
import { Xvfb } from "../../support/xvfb.ts";

const NEEDED = need("Xvfb", "xdotool", "xinput", "xterm", "setxkbmap", "xset");
const KEY = { a: 38, y: 29, enter: 36, shift: 50, capsLock: 66, altGr: 108, q: 24 } as const;

/** An X server with an xterm, a user's keyboard and a desktop. */
async function stage() {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start());
  await server.run("setxkbmap", "us");
  const { received } = stack.use(await typewriter(server)),
    person = stack.use(await PersonKeyboard.of(server));
  const desktop = openX11(server.display), state = Connection.open(server.display)!;
  stack.defer(() => {
    state.close();
    desktop.close();
  });
  let all = "";
  /** Waits for text after the earlier text. */
  const gets = async (text: string) => await receives(received, all += text);
  return {
    server,
    person,
    desktop,
    state,
    received,
    gets,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

Deno.test(
  { name: "text and keys arrive after a user has typed on a keyboard with another layout", ...NEEDED },
  async () => {
    await using on = await stage();
    const { server, person, desktop: { keyboard }, gets } = on;
    await server.run("setxkbmap", "-device", person.id, "de");
    person.tap(KEY.a);
    await gets("a");
    await keyboard.type("yz-hello;@1 €");
    await gets("yz-hello;@1 €");
    for (const [key, text] of [["y", "y"], ["/", "/"]]) {
      person.tap(KEY.a);
      for (const down of [true, false]) await keyboard.key(key, down);
      await gets(`a${text}`);
    }
  },
);

Deno.test({ name: "text and keys arrive while a user holds one of their keys", ...NEEDED }, async () => {
  await using on = await stage();
  const { server, person, desktop: { keyboard }, gets } = on;
  const pressed = async (...keys: string[]) => {
    for (const key of keys) await keyboard.key(key, true);
    for (const key of keys.toReversed()) await keyboard.key(key, false);
  };
  const held: [code: number, itself: string, text: string, comes: string][] = [
    [KEY.y, "y", "youtube y", "youtube y"],
    [KEY.enter, "\r", "a\nb", "a\rb"],
  ];
  for (const [code, itself, text, comes] of held) {
    person.key(code, true);
    await gets(itself);
    await keyboard.type(text);
    await gets(comes);
    person.key(code, false);
  }
  await keyboard.key("y", true);
  await gets("y");
  await keyboard.type("yes"); // deskhand's own key stays down
  await gets("yes");
  await keyboard.key("y", false);
  person.key(KEY.y, true);
  for (const down of [true, false]) await keyboard.key("y", down);
  await gets("yy");
  person.key(KEY.y, false);
  for (const type of [() => keyboard.type("W"), () => pressed("shift", "w")]) {
    person.key(KEY.shift, true);
    await keyboard.type("ab");
    await gets("ab");
    person.key(KEY.shift, false); // must leave no Shift down that would swallow the next one
    await type();
    await gets("W");
  }
  await server.run("setxkbmap", "de");
  person.key(KEY.altGr, true);
  await keyboard.type("qe7 hello");
  await gets("qe7 hello");
  person.key(KEY.altGr, false);
});

Deno.test({ name: "a key is typed once, however late its release may be", ...NEEDED }, async () => {
  await using on = await stage();
  const operator = new Operator(on.desktop), { keyboard } = on.desktop, key = keyboard.key.bind(keyboard);
  await on.server.run("xset", "r", "on"); // Xvfb.start turns it off
  await on.server.run("xset", "r", "rate", "1", "200"); // milliseconds, and repeats a second
  keyboard.key = async (...press) => {
    await key(...press);
    await delay(30);
  };
  for (const keys of [["a"], ["?"], ["shift", "b"]]) await combination(operator, keys);
  await on.gets("a?B");
  await combination(operator, ["enter"]);
  await on.gets("\r");
  assertEquals([keysDown(on.state), operator.held()], [[], []]);
});

Deno.test(
  { name: "latches, locks and aids do not change text, and are restored afterwards", ...NEEDED },
  async () => {
    await using on = await stage();
    const { person, desktop: { keyboard }, state, gets } = on;
    for (const mods of [1, 4, 8]) {
      person.latch(mods);
      await keyboard.type("abC1");
      await gets("abC1");
      assertEquals(readState(state).latchedMods, mods);
      person.latch(0);
      person.lock(mods);
      await keyboard.type("abC1");
      await gets("abC1");
      assertEquals(readState(state).lockedMods, mods);
      person.lock(0);
    }
    for (const aids of [AIDS.slow, AIDS.bounce, AIDS.sticky]) {
      person.aids(aids);
      await keyboard.type("hello Wood");
      await gets("hello Wood");
      for (let i = 0; i < 2; i++) for (const down of [true, false]) await keyboard.key("x", down);
      await gets("xx");
      assertEquals(aidsOn(state), aids);
    }
  },
);

Deno.test({ name: "presses a key again that a user has released", ...NEEDED }, async () => {
  await using on = await stage();
  const { person, desktop: { keyboard }, gets } = on;
  await keyboard.key("shift", true);
  person.tap(KEY.shift);
  await keyboard.key("shift", true);
  for (const down of [true, false]) await keyboard.key("a", down);
  await keyboard.key("shift", false);
  await gets("A");
});

Deno.test({
  name: "reports a keyboard change while typing, with how much was typed",
  ...NEEDED,
}, async () => {
  await using on = await stage();
  const { person, desktop: { keyboard }, received } = on, text = "hello ".repeat(20_000);
  const outcome = assertRejects(() => keyboard.type(text), StateError, "Caps Lock was pressed");
  await until(received, (all) => all.length > 100);
  person.tap(KEY.capsLock);
  const { message } = await outcome;
  assert(/after \d+ of 120000 characters/.test(message), message);
});

Deno.test({ name: "records a character typed with AltGr", ...NEEDED }, async () => {
  await using on = await stage();
  const { server, person, desktop } = on, seen: (string | undefined)[] = [];
  await server.run("setxkbmap", "de");
  const watch = await desktop.observer.watch({
    actions: (batch) => {
      for (const { action } of batch) if (action.type === "key" && action.down) seen.push(action.text);
    },
    problem() {},
  });
  person.key(KEY.altGr, true);
  person.tap(KEY.q);
  person.key(KEY.altGr, false);
  await until(() => seen.length === 2);
  await watch.close();
  assertEquals(seen, [undefined, "@"]);
});
