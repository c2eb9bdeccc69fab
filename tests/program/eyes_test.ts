/**
 * Text on the screen, observed clicks and traces on Wayland compositors, which dismiss a real program's
 * dialog.
 */

import { assert, assertEquals } from "@std/assert";
import { GNOME, Gnome } from "../support/gnome.ts";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { SWAY, Sway } from "../support/sway.ts";
import { entriesOf } from "../support/recordings.ts";
import { until } from "../support/shell.ts";
import { startInSession } from "../support/ordinary_user.ts";
import type { Client } from "../support/xvfb.ts";

/** A desktop, and deskhand in it. */
interface Stage {
  program: Program;
  spawn(program: string, ...args: string[]): Client;
}

/** The compositors: the programs they need, and how to start them. */
const STAGES: [name: string, needed: { ignore?: boolean }, start: Start][] = [
  ["sway", SWAY, async (parts) => {
    const sway = parts.use(await Sway.start({ outputs: ["output HEADLESS-1 resolution 1280x720"] }));
    const program = parts.use(new Program(["--http", "0"], { env: sway.env }));
    return { program, spawn: (name, ...args) => sway.spawn(name, ...args) };
  }],
  ["GNOME", GNOME, async (parts) => {
    const gnome = parts.use(await Gnome.start());
    const program = parts.use(await startInSession(gnome.session, ["--http", "0"]));
    return { program, spawn: (name, ...args) => gnome.spawn(name, ...args) };
  }],
  ["KDE", KWIN, async (parts) => {
    const kwin = parts.use(await Kwin.start({ width: 1280, height: 720 }));
    const program = parts.use(await kwin.program("--http", "0"));
    return { program, spawn: (name, ...args) => kwin.spawn(name, ...args) };
  }],
];
type Start = (parts: AsyncDisposableStack) => Promise<Stage>;

/**
 * Waits until the desktop reports changes: a compositor that has just started draws its first frame, which on
 * a busy machine may take longer than the 5 s that deskhand waits.
 */
async function firstChanges(url: string): Promise<{ serial: number }> {
  const ask = async () => {
    const answer = await fetch(`${url}/api/changes`);
    return { status: answer.status, json: await answer.json() };
  };
  const { status, json } = await until(ask, ({ status }) => status !== 503);
  assertEquals(status, 200, JSON.stringify(json));
  return json;
}

const QUESTION = ["--question", "--text", "Keep the holiday pictures?", "--ok-label", "Keep them"];

for (const [name, needed, start] of STAGES) {
  Deno.test({
    name: `${name}: a text is found and clicked, its effect is reported, and a trace records it`,
    ignore: needed.ignore || need("zenity").ignore,
    async fn() {
      await using parts = new AsyncDisposableStack();
      const { program, spawn } = await start(parts), url = await program.controlUrl();
      const call = async (path: string, body?: unknown) => {
        const init = body === undefined ? undefined : { method: "POST", body: JSON.stringify(body) };
        const answer = await fetch(`${url}/api/${path}`, init), json = await answer.json();
        assertEquals(answer.status, 200, `${path}: ${JSON.stringify(json)}`);
        return json;
      };
      await call("trace/start", {});
      const { serial } = await firstChanges(url);
      parts.use(spawn("zenity", ...QUESTION, "--extra-button", "Maybe later"));
      const shown = { text: "Maybe later", source: "screen" };
      await call("wait", { text: shown, timeout_ms: 80_000 });
      await until(
        () => call(`changes?since=${serial}`),
        ({ regions }: { regions: unknown[] }) => regions.length > 0,
      );
      await call("move", { x: 20, y: 600 });
      await call("wait", { still: { ms: 500 }, timeout_ms: 80_000 }); // the dialog opens in steps

      // GNOME may show a notification at that moment, which counts as a change caused by the move.
      await until(async () => {
        await call("move", { x: 20, y: 600 });
        return (await call("move", { x: 60, y: 620, observe: true })).seen;
      }, ({ verdict }: { verdict: string }) => verdict !== "hit");
      const click = { text: "Keep them", click: "left", source: "screen", observe: true };
      const { matches: [match], seen } = await call("find", click);
      assertEquals([match.text, match.source, seen.verdict], ["Keep them", "screen", "hit"], seen.reason);
      await call("wait", { text: { ...shown, gone: true }, timeout_ms: 80_000 });

      const { file, pictures } = await call("trace/stop", {});
      const entries = await entriesOf(file), clicked = entries.find(({ name }) => name === "clickText");
      assertEquals((clicked?.seen as { verdict: string }).verdict, "hit");
      const kept = entries.filter(({ kind }) => kind === "picture");
      assertEquals([kept.length, kept[0].key], [pictures, true]);
      assert(pictures >= 2, `${pictures} pictures`);
    },
  });
}
