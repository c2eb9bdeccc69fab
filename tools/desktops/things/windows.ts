/** Changes of windows and of the screen size, and the end of the session. */

import type { Part } from "../cell.ts";
import type { Bench } from "../field.ts";
import { SilentError, tried } from "../faults.ts";
import type { Answer } from "../hand.ts";
import { PROGRAMS } from "../programs.ts";
import type { Row } from "../rows.ts";
import { SMALLER } from "../sessions/kind.ts";
import { waitFor } from "../waiting.ts";
import { reach } from "./pointer.ts";

/** Changes, in an order in which each one is visible, and the resulting state. */
const CHANGES = [
  ["maximize", "maximized"],
  ["restore", "normal"],
  ["minimize", "minimized"],
  ["restore", "normal"],
  ["fullscreen", "fullscreen"],
  ["restore", "normal"],
] as const;

/** Lists and changes a Mousepad window. */
export async function changeWindows({ session, hand }: Bench): Promise<Part[]> {
  const title = "windows.txt", seen = () => hand.get(`/api/windows?title=${title}`);
  const { command } = PROGRAMS.find(({ name }) => name === "gtk3")!;
  session.write(title, "");
  const mark = session.launch("mousepad", command, { FILE: `${session.env.HOME}/${title}` });
  const only = (answer: Answer) => answer.windows.length === 1;
  const list = await tried("list", async () => {
    const windows = await waitFor(seen, only, 20) ?? await seen();
    if (!only(windows)) throw new SilentError(`${windows.windows.length} windows in place of one`);
    // A window is listed before it has the focus.
    const first = (answer: Answer) => answer.windows[0]?.active;
    const { windows: all } = await waitFor(() => hand.get("/api/windows"), first) ??
      await hand.get("/api/windows");
    if (!all[0]?.active) {
      throw new SilentError(`the first one is ${JSON.stringify(all[0]?.title)}, which is not active`);
    }
  });
  const parts = [list], state = async () => (await seen()).windows[0]?.state;
  for (const [change, wanted] of CHANGES) {
    if (list.outcome === "refused") break;
    parts.push(
      await tried(change, async () => {
        await hand.post(`/api/window/${change}`, { title });
        const now = await waitFor(state, (now) => now === wanted, 3);
        if (now !== wanted) throw new SilentError(`it is ${now}`);
      }),
    );
  }
  parts.push(
    await tried("activate", () => hand.post("/api/window/activate", { title })),
    await tried("place", async () => {
      const place = { x: 90, y: 80, width: 500, height: 400 };
      const answer = await hand.post("/api/window/place", { title, ...place });
      const { windows: [window] } = await seen();
      const wrong = Object.keys(place).filter((key) => answer[key] !== window[key]);
      if (wrong.length) throw new SilentError(`the answer has ${JSON.stringify(answer)}`);
      if (Math.abs(window.x - place.x) > 40) throw new SilentError(`it is at ${window.x},${window.y}`);
    }),
    await tried("close", async () => {
      await hand.post("/api/window/close", { title });
      if (!await waitFor(async () => (await seen()).windows.length === 0, Boolean, 5)) {
        throw new SilentError("it is there yet");
      }
    }),
  );
  await session.end(mark);
  return parts;
}

/** Resizes the screen; deskhand must notice and reach the new corner. */
export async function changeResolution(bench: Bench, row: Row): Promise<Part[]> {
  const { session, kind, hand } = bench;
  return [
    await tried(`${SMALLER.width}x${SMALLER.height}`, async () => {
      if (!kind.resize) throw new Error("a session without a screen has one size here");
      await kind.resize(session, row);
      const fits = (screen: Answer) => screen.width === SMALLER.width && screen.height === SMALLER.height;
      const screen = await waitFor(() => hand.get("/api/screen"), fits, 5) ?? await hand.get("/api/screen");
      if (!fits(screen)) throw new SilentError(`the screen has ${screen.width}x${screen.height}`);
      await hand.settled(); // window managers rearrange their screen
      const corner = { x: SMALLER.width - 1, y: SMALLER.height - 1 };
      await reach(bench, corner);
      await hand.bytes("/api/screenshot?format=png");
    }),
  ];
}

/** Kills the session's server; deskhand must report that, and continue. */
export async function endSession({ session, kind, hand }: Bench, row: Row): Promise<Part[]> {
  return [
    await tried("a sentence, and deskhand goes on", async () => {
      await session.run(`pkill -KILL -x ${kind.server(row).slice(0, 15)}`); // only processes in the sandbox
      const act = () =>
        hand.post("/api/move", { x: 5, y: 5 }).then(() => "ok", (error: Error) => error.message);
      const answer = await waitFor(act, (answer) => /^503: .{10}/.test(answer), 15);
      if (answer === "ok") throw new SilentError("it answers ok after the session's end");
      if (!answer?.startsWith("503: ")) throw new SilentError(`it answers ${answer}`);
      const { status } = await fetch(`${hand.url}/healthz`);
      if (status !== 200) throw new SilentError(`/healthz answers ${status}`);
    }),
  ];
}
