/**
 * deskhand on GNOME with IBus, from outside: every answer comes after the input has arrived.
 * `DESKHAND_ROUNDS=60` repeats each step 60 times.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { delay } from "@std/async/delay";
import { GNOME } from "../support/gnome.ts";
import { need } from "../support/need.ts";
import { TYPED_TEXTS } from "../support/program.ts";
import { MutterKeys } from "../support/held_keys.ts";
import { until } from "../support/shell.ts";
import { startInSession } from "../support/ordinary_user.ts";
import { Stage } from "./gnome_ibus_stage.ts";

const NEEDED = GNOME.ignore ? GNOME : need(
  ...["ibus", "ibus-daemon", "foot", "wev", "chromium", "yes"],
  ...[
    "/usr/share/ibus/component/libpinyin.xml",
    "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib",
    "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-4.0.typelib",
  ],
);

const ROUNDS = Number(Deno.env.get("DESKHAND_ROUNDS") ?? 2);
/** Sixty different characters, more than a keyboard has spare keys. */
const HAN = Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x4e00 + i * 7)).join("");
/** Characters of many scripts; half of a random text is ASCII. */
const POOL = [..."éàçñßøåŁžПриветשלוםあ漢字한글€“”…→😀🎉👍"];
const SHORTCUTS = [["ctrl", "c"], ["ctrl", "shift", "t"], ["shift", "home"], ["ctrl", "a"], ["alt", "x"], [
  "shift",
  "tab",
]];
/** GTK's name for a key. */
const GTK_NAMES: Record<string, string> = { t: "T", home: "Home", tab: "ISO_Left_Tab" };

let seed = 1;
function random(below: number): number {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor(seed / 2147483648 * below);
}

function randomText(length: number, pool: readonly string[]): string {
  const ascii = () => String.fromCharCode(0x20 + random(95));
  return Array.from({ length }, () => pool.length && random(2) ? pool[random(pool.length)] : ascii()).join(
    "",
  );
}

/** Texts by kind, with new random texts each time. */
function texts(): string[] {
  return [
    ...TYPED_TEXTS.map(([, text]) => text),
    "Hello, World! It's (not) a Test",
    randomText(60, []),
    randomText(40, POOL),
  ];
}

/** Steps about the first events of a seat without devices. */
async function firstSteps(t: Deno.TestContext, stage: Stage): Promise<void> {
  await t.step(
    "the first click and wheel turn arrive, though the seat has no pointer",
    async () => {
      await stage.witness("gtk");
      for (
        const [act, body] of [["click", { x: 640, y: 400, button: "left" }], ["scroll", {
          direction: "down",
          amount: 1,
        }]]
      ) {
        const before = (await stage.events()).length;
        await stage.restart();
        if (act === "scroll") await stage.act("move", { x: 640, y: 400 });
        await stage.act(act as string, body);
        const event = act === "click" ? "button" : "scroll";
        await until(() => stage.events(), (events) => events.slice(before).includes(event));
      }
    },
  );

  await t.step("doctor reports the input method", async () => {
    await using doctor = await startInSession(stage.gnome.session, ["doctor"]);
    assertMatch(
      (await doctor.ended()).stdout,
      /^ok {2}input method +IBus with xkb:us::eng, which passes keys/m,
    );
  });
}

/** Steps about text in several programs. */
async function textSteps(t: Deno.TestContext, stage: Stage): Promise<void> {
  for (const kind of ["terminal", "gtk"] as const) {
    await t.step(`text arrives in a ${kind} window while two programs use all processors`, async () => {
      await stage.witness(kind);
      using _busy = busy();
      for (let round = 0; round < ROUNDS; round++) for (const text of texts()) await stage.arrives(text);
    });
  }

  for (const [kind, handled] of [["gtk", "key ctrl a"], ["gtk4", "selected"]] as const) {
    await t.step(`a committed text replaces what a key has selected, in ${kind}`, async () => {
      await stage.witness(kind);
      using _busy = busy();
      for (let round = 0; round < 10 * ROUNDS; round++) {
        const before = (await stage.events()).length;
        // An empty field has nothing to select: a late key would select the first text and go unnoticed.
        if (round) {
          await stage.act("key", { keys: "ctrl+a" });
          // Under load a program may take longer to handle the key than deskhand waits.
          await until(() => stage.events(), (events) => events.slice(before).includes(handled));
        }
        const text = `${round}: ${randomText(6, POOL)}é😀`;
        await stage.act("type", { text });
        await until(() => stage.received(), (received) => received.endsWith(text));
        assertEquals(await stage.received(), text);
      }
    });
  }

  await t.step("characters that no key types stay in order with the text after each", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await stage.arrives(Array.from({ length: 4 }, () => randomText(6, POOL) + "é").join("\n") + "\n");
    }
  });
}

/** Steps about keys, and about a person's engine. */
async function keySteps(t: Deno.TestContext, stage: Stage): Promise<void> {
  await t.step("shortcuts arrive with their modifiers", async () => {
    await stage.witness("gtk");
    using _busy = busy();
    for (let round = 0; round < ROUNDS; round++) {
      for (const keys of SHORTCUTS) {
        const before = (await stage.events()).length, expected = gtkEvent(keys);
        await stage.act("key", { keys: keys.join("+") });
        const told = async () =>
          (await stage.events()).slice(before).split("\n").filter((line) => !isModifier(line));
        await until(told, (events) => events.length > 1);
        assertEquals(await told(), [expected, ""]);
      }
    }
  });

  await t.step("held keys are recorded and replayed", async () => {
    await stage.witness("gtk");
    await stage.post("recording/start");
    for (const key of ["shift", "a", "b"]) await stage.act("press", { key });
    for (const key of ["b", "a", "shift"]) await stage.act("release", { key });
    await stage.act("key", { keys: "c" });
    await stage.post("recording/stop");
    await until(() => stage.received(), (received) => received === "ABc");
    assertEquals((await stage.post("recording/play", { speed: 10 }))[0], 200);
    const replay = await stage.idle();
    const seen = async () => ({ received: await stage.received(), replay, events: await stage.events() });
    await until(seen, ({ received }) => received === "ABcABc");
  });

  await t.step("a letter and a Shift that a person holds do not change a text", async () => {
    await stage.witness("gtk");
    using person = new MutterKeys(stage.gnome.env.DBUS_SESSION_BUS_ADDRESS.replace("unix:path=", ""));
    for (const [code, own] of [[21, "y"], [42, ""]] as const) {
      const before = await stage.received() + own;
      person.press(code, true);
      await person.flush();
      await until(() => stage.received(), (received) => received === before);
      await stage.act("type", { text: "maybe why C1" });
      await until(() => stage.received(), (received) => received === before + "maybe why C1");
      person.press(code, false);
      await person.flush();
    }
  });

  await t.step("Slow Keys and Bounce Keys cause errors that name them", async () => {
    for (const [key, name] of [["slowkeys", "Slow Keys are on"], ["bouncekeys", "Bounce Keys are on"]]) {
      const set = (isOn: boolean) =>
        stage.gnome.run("gsettings", "set", "org.gnome.desktop.a11y.keyboard", `${key}-enable`, `${isOn}`);
      await set(true);
      for (const [path, body] of [["type", { text: "hello" }], ["key", { keys: "a" }]] as const) {
        const [status, answer] = await stage.post(path, body);
        assertEquals([status, answer.includes(name)], [409, true], answer);
      }
      await set(false);
      await stage.act("key", { keys: "shift" });
    }
    await stage.arrives("hello");
  });

  await t.step(
    "text is typed while a Chinese engine is active, and the engine is active again afterwards",
    async () => {
      const sources = (value: string) =>
        stage.gnome.run("gsettings", "set", "org.gnome.desktop.input-sources", "sources", value);
      await sources("[('ibus', 'libpinyin')]");
      await until(() => stage.engine(), (engine) => engine === "libpinyin");
      await using doctor = await startInSession(stage.gnome.session, ["doctor"]);
      assertMatch(
        (await doctor.ended()).stdout,
        /^ok {2}input method +IBus with libpinyin, which converts keys/m,
      );
      for (const kind of ["terminal", "gtk"] as const) {
        await stage.witness(kind);
        for (const text of ["hello World 1, 2; ", "héllo 漢字 "]) {
          await stage.arrives(text);
          assertEquals(await stage.engine(), "libpinyin");
        }
      }
      const program = await stage.restart(), line = "é".repeat(50) + "\n";
      const typing = stage.post("type", { text: line.repeat(400) }).catch(() => {});
      await until(() => stage.engine(), (engine) => engine.startsWith("deskhand"));
      Deno.kill(program.pid, "SIGKILL");
      await typing;
      await until(() => stage.engine(), (engine) => engine !== "libpinyin");
      await stage.restart();
      await until(() => stage.engine(), (engine) => engine === "libpinyin");
      await sources("[('xkb', 'us')]");
      await until(() => stage.engine(), (engine) => engine === "xkb:us::eng");
    },
  );
}

/** Steps about an engine that does not answer. */
async function engineSteps(t: Deno.TestContext, stage: Stage): Promise<void> {
  const text = "CqQ aBcD xY ";
  await t.step(
    "text waits for an engine that repeatedly stops for longer than a second",
    async () => {
      await stage.restart(); // without what it has learned of IBus
      await stage.witness("terminal");
      await using _ = stopping(stage.engineProcess(), 1500);
      await stage.arrives(text);
    },
  );

  await t.step("an engine that stops for good causes an error, and no modifier stays pressed", async () => {
    await stage.witness("terminal");
    const engine = stage.engineProcess();
    Deno.kill(engine, "SIGSTOP");
    const [status, body] = await stage.post("type", { text });
    Deno.kill(engine, "SIGCONT");
    assertEquals(status, 409, body);
    assertMatch(body, /the input method IBus has not processed the earlier keys for 10 s/);
    await stage.act("key", { keys: "x" });
    await until(() => stage.received(), (received) => received.endsWith("x"));
    // The key that the engine held comes without its Shift, which has been released.
    const received = await stage.received();
    assert(text.toLowerCase().startsWith(received.slice(0, -1).toLowerCase()), received);
    await stage.arrives(text);
  });
}

/** Steps about a program without a text field, and a browser. */
async function otherSteps(t: Deno.TestContext, stage: Stage): Promise<void> {
  await t.step("a program without a text field refuses text that it would not receive", async () => {
    await stage.show("wev", "wev");
    assert(!await stage.hasField());
    const [status, body] = await stage.post("type", { text: "a漢" });
    assertEquals(status, 409, body);
    assertMatch(body, /did not paste them on Ctrl\+V/);
  });

  await t.step("60 different characters arrive in a browser, and none of them opens a tab", async () => {
    await stage.witness("gtk"); // replaces the previous program
    const page = `data:text/html,<textarea autofocus oninput="document.title=this.value"></textarea>`;
    const profile = `--user-data-dir=${stage.gnome.env.HOME}/chromium`;
    // An installed keyring would ask for its password before the first window.
    const own = ["--ozone-platform=wayland", "--no-sandbox", "--no-first-run", "--password-store=basic"];
    const args = [...own, profile, page];
    await stage.show("chrom", "chromium", ...args);
    await until(() => stage.hasField());
    await stage.act("type", { text: HAN });
    const titles = () =>
      stage.gnome.evaluate<string[]>("global.get_window_actors().map((a) => a.meta_window.title ?? '')");
    await until(titles, (titles) => titles.some((title) => title.startsWith(HAN)));
  });
}

Deno.test(
  { name: "on GNOME with IBus, all input that deskhand confirms arrives", ...NEEDED },
  async (t) => {
    await using stage = await Stage.start();

    await firstSteps(t, stage);

    await textSteps(t, stage);

    await keySteps(t, stage);

    await engineSteps(t, stage);

    await otherSteps(t, stage);
  },
);

/** Two programs that use a whole processor each, until disposed. */
function busy(): Disposable {
  const children = [1, 2].map(() => new Deno.Command("yes", { stdout: "null" }).spawn());
  return { [Symbol.dispose]: () => children.forEach((child) => child.kill("SIGKILL")) };
}

/** Repeatedly stops a process for a time and resumes it for 40 ms, until disposed. */
function stopping(pid: number, ms: number): AsyncDisposable {
  let isOver = false;
  const stops = (async () => {
    while (!isOver) {
      Deno.kill(pid, "SIGSTOP");
      await delay(ms);
      Deno.kill(pid, "SIGCONT");
      await delay(40);
    }
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await stops;
    },
  };
}

/** The line that the GTK window prints for a shortcut. */
function gtkEvent(keys: readonly string[]): string {
  const key = keys.at(-1)!, held = ["shift", "ctrl", "alt"].filter((name) => keys.includes(name));
  return ["key", ...held, GTK_NAMES[key] ?? key].join(" ");
}

function isModifier(line: string): boolean {
  return /(Control|Shift|Alt)_L$/.test(line);
}
