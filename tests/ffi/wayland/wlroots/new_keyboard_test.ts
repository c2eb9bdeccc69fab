/** The wait for programs that do not know a seat's first keyboard yet; key maps for text; Fcitx 5. */

import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { InputError } from "../../../../core/errors.ts";
import { isStopped } from "../../../../ffi/linux/threads.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { Connection } from "../../../../ffi/wayland/wire/connection.ts";
import { type KeyPlace, partsOf, PLACES, SPARE_CODES } from "../../../../ffi/wayland/wire/keymaps.ts";
import { KeyMeanings } from "../../../../ffi/wayland/wlroots/keyboard.ts";
import { NewKeyboard } from "../../../../ffi/wayland/wlroots/new_keyboard.ts";
import { wevEvents } from "../../../support/compositors.ts";
import { Fcitx, FCITX_PROGRAMS } from "../../../support/fcitx5.ts";
import { need } from "../../../support/need.ts";
import { TYPED_TEXTS } from "../../../support/program.ts";
import { SessionBus } from "../../../support/session_bus.ts";
import { temporary, until } from "../../../support/shell.ts";
import { needSway, Sway } from "../../../support/sway.ts";

/** Whether a wait ended before the timeout for programs that cannot be observed. */
async function isShort(sway: Sway): Promise<boolean> {
  const connection = Connection.open(sway.socket)!;
  try {
    const keyboard = new NewKeyboard(connection, true);
    await keyboard.known();
    return !keyboard.isKnown;
  } finally {
    connection.close();
  }
}

const KEYS = [["a", true], ["a", false]] as const;

Deno.test({
  name: "the first key of a seat's first keyboard waits for its program, and no longer",
  ...needSway("wev", "stdbuf"),
  async fn(t) {
    await using sway = await Sway.start();
    Deno.env.set("SWAYSOCK", sway.env.SWAYSOCK); // as in a sway session
    using after = new DisposableStack();
    after.defer(() => Deno.env.delete("SWAYSOCK"));
    // On a busy machine a single wait may take the whole time.
    await t.step("no program has focus", async () => {
      await until(() => isShort(sway));
    });

    await t.step("only this user's screen locker on this compositor gets the whole time", async () => {
      await temporary(async (folder) => {
        await Deno.chmod(folder, 0o755);
        const display = { WAYLAND_DISPLAY: sway.env.WAYLAND_DISPLAY },
          other = Deno.uid() === 0 ? 65534 : undefined;
        for (
          const [name, env, uid, isWhole] of [
            ["xclock", display, other, false],
            ["gnome-clocks", display, undefined, false],
            ["swaylock", { WAYLAND_DISPLAY: "wayland-other" }, undefined, false],
            ...other === undefined ? [] : [["swaylock", display, other, false] as const],
            ["gtklock", display, undefined, true],
          ] as const
        ) {
          await Deno.copyFile("/bin/sleep", `${folder}/${name}`);
          await Deno.chmod(`${folder}/${name}`, 0o755);
          const lock = new Deno.Command(`${folder}/${name}`, { args: ["60"], env, uid, cwd: "/" }).spawn();
          try {
            await until(async () => (await Deno.readTextFile(`/proc/${lock.pid}/comm`)).trim() === name);
            if (isWhole) assertEquals(await isShort(sway), false, name);
            else await until(() => isShort(sway), Boolean, () => `${name} of ${uid ?? "this user"}`);
          } finally {
            lock.kill("SIGKILL");
            await lock.status;
          }
        }
      });
    });

    await using wev = sway.spawn("stdbuf", "-oL", "wev");
    await sway.windows(1);
    await t.step("an idle program", async () => {
      await until(() => isShort(sway));
    });

    await t.step("a stopped program gets the whole time", async () => {
      Deno.kill(wev.pid, "SIGSTOP");
      try {
        await until(() => isStopped(`${wev.pid}/task/${wev.pid}`)); // the signal arrives with a delay
        assertEquals(await isShort(sway), false);
      } finally {
        Deno.kill(wev.pid, "SIGCONT");
      }
    });

    await t.step("a seat with a keyboard does not wait", () => {
      const connection = Connection.open(sway.socket)!;
      assert(new NewKeyboard(connection, false).isKnown);
      connection.close();
    });

    await t.step("each first key arrives", async () => {
      const pressed = () => wevEvents(wev.printed).filter((event) => event.startsWith("pressed a")).length;
      for (let round = 1; round <= 5; round++) {
        const desktop = await openWayland(sway.socket), before = pressed();
        for (const [key, down] of KEYS) await desktop.keyboard.key(key, down);
        await until(() => pressed() > before);
        desktop.close();
      }
    });
  },
});

// The meanings of keys as more text is typed.

/** Distinct characters that a US keyboard lacks. */
function characters(count: number, from = 0x4e00): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

function placesOf(meanings: KeyMeanings, all: readonly number[]): KeyPlace[] {
  return all.map((one) => {
    const { code, group, level } = meanings.strokeOf(one, 0);
    return { code, group, level };
  });
}

Deno.test("a US keyboard's characters have their usual keys", () => {
  const meanings = new KeyMeanings(), before = meanings.map;
  meanings.place([..."aA!\n "].map((one) => one.codePointAt(0)!));
  assertEquals(
    [..."aA!\n "].map((one) => meanings.strokeOf(one.codePointAt(0)!, 0)).map((
      { code, level },
    ) => [code, level]),
    [[30, 0], [30, 1], [2, 1], [28, 0], [57, 0]],
  );
  assertEquals(meanings.map, before);
});

Deno.test("other characters get a key each, and keep it while more are added", () => {
  const meanings = new KeyMeanings(), first = characters(300), more = characters(PLACES.length - 300, 0x6000);
  meanings.place(first);
  const places = placesOf(meanings, first), map = meanings.map;
  meanings.place(more);
  assertNotEquals(meanings.map, map);
  assertEquals(placesOf(meanings, first), places);
  const all = [...places, ...placesOf(meanings, more)].map((place) => JSON.stringify(place));
  assertEquals(new Set(all).size, PLACES.length);
  assertEquals(meanings.readyAt, -Infinity, "no key lost a meaning");
});

Deno.test("when full, replaces the least recently used character, a second after it was typed", () => {
  const meanings = new KeyMeanings(() => 1000), all = characters(PLACES.length), [first, second, third] = all;
  meanings.place(all);
  meanings.strokeOf(first, 9000);
  meanings.strokeOf(second, 5000);
  const [, place] = placesOf(meanings, [third, second]);
  meanings.strokeOf(second, 5000);
  meanings.place([first]);
  meanings.place([0x6000]);
  assertEquals(placesOf(meanings, [0x6000]), [place]);
  assertEquals(meanings.readyAt, 6000);
});

Deno.test("spare keys keep their symbols until one that is not held is reused", () => {
  const meanings = new KeyMeanings(() => 1000),
    none = new Set<number>(),
    symbols = SPARE_CODES.map((_, i) => 0x1000100 + i);
  const codes = symbols.map((symbol, i) => meanings.spare(symbol, "it", none, i));
  assertEquals(codes, SPARE_CODES);
  assertEquals(meanings.spare(symbols[3], "it", none, 50), codes[3]);
  assertEquals(meanings.readyAt, -Infinity);
  assertThrows(() => meanings.spare(0x1000200, "the key", new Set(codes), 60), InputError, "the key");
  assertEquals(meanings.spare(0x1000200, "it", new Set([codes[0]]), 70), codes[1]);
  assertEquals(meanings.readyAt, 1001);
});

Deno.test("splits a text with more distinct characters than keys", () => {
  const all = characters(PLACES.length + 1), text = [...all.slice(0, -1), 0x61, ...all];
  assertEquals([...partsOf(text)], [text.slice(0, -1), text.slice(-1)]);
  assertEquals([...partsOf([0x61])], [[0x61]]);
});

// Text while a Fcitx 5 engine is on, which receives the keys of every program that uses it.

const NEEDED = need("sway", "foot", ...FCITX_PROGRAMS);

Deno.test(
  { name: "sway: switches Fcitx 5 off for a text, and on again afterwards", ...NEEDED },
  async (t) => {
    await using sway = await Sway.start();
    await using bus = await SessionBus.start();
    const buses = [bus.socket], state = `${bus.folder}/state`;
    const env = {
      ...sway.env,
      HOME: sway.folder,
      XDG_CONFIG_HOME: `${bus.folder}/config`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus.socket}`,
    };
    Deno.env.set("XDG_STATE_HOME", state);
    await using fcitx = await Fcitx.start(env);
    const file = `${sway.folder}/received`;
    const script = `stty raw -echo; echo ready >${file}.ready; exec dd bs=1 of=${file} 2>/dev/null`;
    await using _foot = sway.spawn("foot", "sh", "-c", script);
    await until(() => Deno.stat(`${file}.ready`).then(() => true, () => false));
    await sway.windows(1);
    let desktop = await openWayland(sway.socket, buses), all = "";
    for (const isOn of [false, true]) {
      await t.step(isOn ? "while Hangul is on" : "while the keyboard is on", async () => {
        await fcitx.switch(isOn);
        for (const [, text] of [["words", "hello world 1, nihao "], ...TYPED_TEXTS]) {
          await desktop.keyboard.type(text);
          all += text;
          assertEquals(await fcitx.isOn(), isOn);
        }
        await until(() => Deno.readTextFile(file), (received) => received === all);
      });
    }
    await t.step("the next start switches on what a killed deskhand left off", async () => {
      desktop.close();
      await fcitx.switch(false);
      await Deno.writeTextFile(`${state}/deskhand/fcitx5-engine.json`, '{"engine":"hangul"}');
      desktop = await openWayland(sway.socket, buses);
      await until(() => fcitx.isOn());
    });
    desktop.close();
  },
);
