/**
 * Clicks on a real program report their effects while a caret blinks in its window and in another window next
 * to it.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { type Client, Xvfb } from "../support/xvfb.ts";

const BOARD = fromFileUrl(new URL("../support/observed_board.py", import.meta.url));
const PYTHON = "/usr/bin/python3";

interface Seen {
  verdict: "hit" | "miss" | "unsure";
  reason: string;
  settled_ms?: number;
  regions: { x: number; y: number; width: number; height: number }[];
  windows?: { opened: { title: string }[]; closed: { title: string }[] };
}

const NEEDED = need("Xvfb", "openbox", "xterm", "xev", "xprop", PYTHON);

/** A desktop with the board, and deskhand in it. */
class Stage implements AsyncDisposable {
  private constructor(
    readonly server: Xvfb,
    readonly board: Client,
    readonly url: string,
    readonly parts: AsyncDisposableStack,
  ) {}

  /** @param options deskhand's options, in addition to those of every test. */
  static async start(...options: string[]): Promise<Stage> {
    await using parts = new AsyncDisposableStack();
    const server = parts.use(await Xvfb.start());
    parts.use(await server.manager("openbox"));
    const board = parts.use(server.spawn(PYTHON, BOARD));
    const args = ["--http", "0", "--desktop", "x11", ...options];
    const program = parts.use(new Program(args, { env: server.env }));
    await board.printing((printed) => printed.includes("beside"));
    return new Stage(server, board, await program.controlUrl(), parts.move());
  }

  async [Symbol.asyncDispose]() {
    await this.parts[Symbol.asyncDispose]();
  }
}

Deno.test({
  name: "a click on a control is a hit and one next to it is not, though carets blink",
  ...NEEDED,
  async fn() {
    await using stage = await Stage.start();
    const { server, board, url } = stage;
    await using _terminal = server.spawn("xterm", "-bc", "-geometry", "60x10+700+400");
    // A window that opens later takes the focus from the board, which changes as a result.
    const front = async () => (await (await fetch(`${url}/api/windows`)).json()).windows[0];
    await until(front, (window) => window?.class === "XTerm" && window.active);
    const post = async (path: string, body: Record<string, unknown>) => {
      const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(body) });
      return [answer.status, await answer.json()];
    };
    const places = board.printed;
    const buttons = [...places.matchAll(/button (\d+) (\d+) (\d+)/g)].map(([, number, x, y]) => ({
      number,
      point: { x: Number(x), y: Number(y) },
    }));
    const click = async (point: { x: number; y: number }): Promise<Seen> => {
      const [status, { seen }] = await post("/api/click", { ...point, button: "left", observe: true });
      assertEquals(status, 200);
      return seen;
    };
    await until(
      async () => (await post("/api/window/activate", { title: "board" }))[0],
      (status) => status === 200,
    );
    await until(front, (window) => window.title === "board" && window.active);

    for (const { number, point } of buttons.slice(0, 6)) {
      const presses = board.printed.split("press").length;
      const seen = await click(point);
      await board.printing((printed) => printed.split("press").length > presses);
      assert(seen.verdict !== "miss", `button ${number}: ${seen.reason}`);
      // On an overloaded machine, the board may draw the button's release only now.
      await until(
        () => click({ x: point.x + 70, y: point.y + 42 }),
        ({ verdict }) => verdict !== "hit",
        ({ reason }) => `beside button ${number}: ${reason}`,
      );
    }
    assertEquals(board.printed.split("press").length, 7, "a click beside pressed nothing");
    // An overloaded machine may leave doubts, but not forever.
    const hit = await until(() => click(buttons[6].point), ({ verdict }) => verdict === "hit");
    assertMatch(hit.reason, /^the (place|window) changed$/);
    const miss = await until(() => click({ x: 680, y: 700 }), ({ verdict }) => verdict === "miss");
    assertEquals([miss.reason, miss.regions], ["nothing changed", []]);

    const close = { title: "xterm", any: true, timeout_ms: 30_000, observe: true };
    const [closing, closed] = await post("/api/window/close", close);
    assertEquals(closing, 200, closed.error);
    assertEquals([closed.ok, closed.seen.verdict, closed.seen.reason], [true, "hit", "a window closed"]);
    const [status, refused] = await post("/api/click", { x: 1, y: 1, button: "left", observe: "yes" });
    assertEquals([status, refused.error], [400, 'observe must be true, false or "elements", not "yes"']);
  },
});

Deno.test({
  name: "spontaneous changes since a serial are reported, but not a blinking caret",
  ...NEEDED,
  async fn() {
    await using stage = await Stage.start("--read-only");
    const { server, url } = stage;
    const changes = async (query = "") => await (await fetch(`${url}/api/changes${query}`)).json();
    const first = await changes();
    assertEquals([first.cut, first.regions, first.windows], [false, [], undefined]);
    let { serial } = await changes();
    // A caret is recognized once it has blinked, and it goes on blinking.
    await until(async () => {
      const next = await changes(`?since=${serial}&wait_ms=2000`), isStill = next.serial === serial;
      serial = next.serial;
      return isStill;
    });

    await using _terminal = server.spawn("xterm", "-title", "new one", "+bc", "-geometry", "40x10+700+400");
    const opened = (windows?: Seen["windows"]) => windows?.opened.map(({ title }) => title).join();
    const since = serial;
    await until(
      () => changes(`?since=${since}&wait_ms=5000`),
      ({ windows }) => opened(windows) === "new one",
    );
    await until(() => changes(`?since=${since}`), ({ regions }) => regions.length > 0);
    const wrong = await changes("?since=1000000");
    assertMatch(wrong.error, /^since must be a serial from an earlier response, at most \d+$/);
  },
});
