/**
 * Presses at places chosen in a screenshot: performed while the place still looks like that, refused
 * otherwise.
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Conflict, Desk } from "../../clients/typescript/src/mod.ts";
import { contains, type Point, type Region } from "../../control/desktop/geometry.ts";
import { pictureSize } from "../../control/image/read_picture.ts";
import { call, wordsOf } from "../support/agent_tools.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { mustRun, until } from "../support/shell.ts";
import { type Client, Xvfb } from "../support/xvfb.ts";

const BOARD = fromFileUrl(new URL("../support/observed_board.py", import.meta.url));
const CLIENT = fromFileUrl(new URL("../../clients/python", import.meta.url));
const PYTHON = "/usr/bin/python3";
/**
 * The position of the board's field, relative to its button 0, and of a terminal whose text scrolls
 * constantly.
 */
const FIELD = { x: 5, y: -65 }, FILM = { x: 1100, y: 620 };

/** The answer to a click. */
interface Clicked {
  status: number;
  error?: string;
  changed?: Region[];
  picture?: string;
}

/** A desktop with the board and a terminal, and deskhand in it. */
class Stage implements AsyncDisposable {
  private constructor(
    readonly server: Xvfb,
    readonly board: Client,
    readonly url: string,
    readonly parts: AsyncDisposableStack,
  ) {}

  static async start(): Promise<Stage> {
    await using parts = new AsyncDisposableStack();
    const server = parts.use(await Xvfb.start());
    parts.use(await server.manager("openbox"));
    const board = parts.use(server.spawn(PYTHON, BOARD, "still"));
    const film = "while :; do date +%N%N%N%N%N%N; sleep 0.03; done";
    parts.use(server.spawn("xterm", "-T", "film", "-geometry", "50x14+900+480", "-e", film));
    const program = parts.use(new Program(["--http", "0", "--desktop", "x11"], { env: server.env }));
    await board.printing((printed) => printed.includes("beside"));
    await server.window("--name", "^film$");
    return new Stage(server, board, await program.controlUrl(), parts.move());
  }

  request = (method: string, path: string, body?: unknown, init: RequestInit = {}) =>
    fetch(this.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...init,
    });

  /** Takes the screenshot that later clicks name. */
  async look(): Promise<void> {
    const answer = await this.request("GET", "/api/screenshot?format=png&seen=mine");
    assertEquals(answer.status, 200);
    await answer.bytes();
  }

  async click(place: Point, more: Record<string, unknown> = {}): Promise<Clicked> {
    const answer = await this.request("POST", "/api/click", {
      ...place,
      button: "left",
      seen: "mine",
      ...more,
    });
    return { status: answer.status, ...await answer.json() };
  }

  /** Clicks something that has changed; the click is refused with a message and a box at the place. */
  async refuses(place: Point, words: RegExp): Promise<void> {
    const { status, error, changed } = await this.click(place);
    assertMatch(error!, words);
    assertEquals(status, 409);
    assert(
      changed!.some((box) => contains(box, place)),
      `${JSON.stringify(changed)} at ${place.x},${place.y}`,
    );
  }

  /** The position of a button of the board, while the board is in its first position. */
  button(number: number): Point {
    const [, x, y] = new RegExp(`^button ${number} (\\d+) (\\d+)$`, "m").exec(this.board.printed)!;
    return { x: Number(x), y: Number(y) };
  }

  /** Waits until the board has the focus and has drawn it: the caret in its field blinks. */
  async blinking(): Promise<void> {
    const { x, y } = beside(this.button(0), FIELD), shown: string[] = [];
    await until(async () => {
      const part = `x=${x - 60}&y=${y - 12}&width=120&height=24`;
      const picture = (await (await this.request("GET", `/api/screenshot?${part}`)).bytes()).toBase64();
      if (picture !== shown.at(-1)) shown.push(picture);
      const [first, second, third, fourth] = shown.slice(-4);
      return fourth !== undefined && first === third && second === fourth;
    });
  }

  /** The presses of a button. */
  presses(number: number): number {
    return this.board.printed.split("\n").filter((line) => line === `press ${number}`).length;
  }

  async pressed(number: number, times: number): Promise<void> {
    await until(() => this.presses(number), (count) => count === times);
  }

  async [Symbol.asyncDispose]() {
    await this.parts[Symbol.asyncDispose]();
  }
}

const beside = ({ x, y }: Point, by: Point): Point => ({ x: x + by.x, y: y + by.y });

Deno.test({
  name: "a click that names its screenshot tolerates carets, films and hover, and refuses a changed place",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xprop", "xterm", PYTHON),
}, async (t) => {
  await using stage = await Stage.start();
  const { server } = stage,
    first = stage.button(0),
    person = (...args: string[]) => server.run("xdotool", ...args);
  const done = { status: 200, ok: true };
  await person("mousemove", "1000", "600");

  await t.step("what stays, blinks or moves by itself is clicked", async () => {
    const front = { seen: undefined, observe: true }; // the terminal took the focus
    assertEquals((await stage.click(beside(first, { x: -65, y: 0 }), front)).status, 200);
    await stage.blinking();
    await stage.look();
    const looked = performance.now();
    assertEquals(await stage.click(first), done);
    await stage.pressed(0, 1);
    await person("mousemove", "1000", "600");
    const clicked = async (place: Point) => {
      const { status, error } = await stage.click(place, { observe: true });
      assertEquals([status, error], [200, undefined]);
    };
    while (performance.now() - looked < 2500) await clicked(beside(first, FIELD)); // its caret blinks twice
    for (let i = 0; i < 3; i++) await clicked(FILM);
  });

  await t.step(
    "a button is clicked after a person moved the pointer over it, or off it",
    async () => {
      await person("mousemove", "1000", "600");
      await stage.look();
      await person("mousemove", `${stage.button(1).x}`, `${stage.button(1).y}`);
      assertEquals((await stage.click(stage.button(1), { observe: true })).status, 200); // it is drawn by then
      await stage.pressed(1, 1);
      await stage.look();
      await person("mousemove", "1000", "600");
      assertEquals((await stage.click(stage.button(1), { observe: true })).status, 200); // it is drawn by then
      await stage.pressed(1, 2);
    },
  );

  await t.step("what another press changed is refused, and clicked with the new screenshot", async () => {
    await stage.look();
    const { x, y } = stage.button(2);
    await person("mousemove", `${x}`, `${y}`, "click", "1", "mousemove", "1000", "600");
    await stage.pressed(2, 1);
    await stage.refuses(
      { x, y },
      /^changed: the screen has changed at the position since the picture was taken$/,
    );
    assertEquals(await stage.click(stage.button(3)), done); // the screenshot still shows that place
    const ofClient = await assertRejects(
      () => new Desk({ url: stage.url }).click({ x, y, button: "left", seen: "mine" }),
      Conflict,
    );
    assert(ofClient.changed!.some((box: Region) => contains(box, { x, y })));
    const python = [
      "from deskhand import Conflict, Desk",
      "import os",
      "try:",
      " Desk(os.environ['URL']).click(",
    ];
    python.push(`  x=${x}, y=${y}, button='left', seen='mine', picture=True)`, "except Conflict as error:");
    python.push(" print(len(error.changed), error.picture[:4])");
    const env = { PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: "1", URL: stage.url };
    const told = await mustRun(PYTHON, ["-c", python.join("\n")], { env });
    assertEquals(told, "1 b'\\x89PNG'\n");
    await stage.pressed(2, 1);
    await person("mousemove", `${x}`, `${y}`, "click", "1", "mousemove", "1000", "600");
    await stage.pressed(2, 2);
    const { status, picture } = await stage.click({ x, y }, { picture: true });
    assertEquals(status, 409);
    const { width, height } = pictureSize(Uint8Array.fromBase64(picture!));
    assertEquals({ width, height }, { width: 1280, height: 720 });
    assertEquals(await stage.click({ x, y }), done);
    await stage.pressed(2, 3);
  });

  await t.step("drags, presses and the wheel are refused, too", async () => {
    await stage.look();
    const { x, y } = stage.button(4), at = { x, y, seen: "mine" };
    await person("mousemove", `${x}`, `${y}`, "click", "1", "mousemove", "1000", "600");
    await stage.pressed(4, 1);
    for (
      const [path, body] of [
        ["press", { button: "left", ...at }],
        ["scroll", { direction: "down", amount: 1, ...at }],
        ["drag", { from: { x, y }, to: first, seen: "mine" }],
      ] as const
    ) {
      const answer = await stage.request("POST", `/api/${path}`, body);
      assertMatch(
        (await answer.json()).error,
        /^changed: the screen has changed at the position since the picture was taken$/,
        path,
      );
      assertEquals(answer.status, 409);
    }
    assertEquals(await stage.click(stage.button(6)), done); // nothing is held, and the pointer is free
    await stage.pressed(6, 1);
    assertEquals(stage.presses(4), 1);
  });

  await t.step("agents: a stale click returns a new screenshot for the next click", async () => {
    assertEquals((await call(stage, "screenshot")).isError, undefined);
    const { x, y } = stage.button(5), place = { x, y };
    await person("mousemove", `${x}`, `${y}`, "click", "1", "mousemove", "1000", "600");
    await stage.pressed(5, 1);
    const stale = await call(stage, "click", place);
    assertMatch(
      wordsOf(stale),
      /^changed: the screen has changed at the position since the picture was taken\n1280x720; pointer at /,
    );
    assertEquals([stale.isError, stale.content.filter(({ type }) => type === "image").length], [true, 1]);
    const again = await call(stage, "click", place);
    assertEquals(again.isError, undefined, wordsOf(again));
    await stage.pressed(5, 2);
    const own = await call(stage, "click", place); // its own press has changed the button
    assertEquals(own.isError, undefined, wordsOf(own));
    await stage.pressed(5, 3);

    await call(stage, "see", { what: "picture", window: "screen" });
    await person("mousemove", `${x}`, `${y}`, "click", "1", "mousemove", "1000", "600");
    await stage.pressed(5, 4);
    const steps = await call(stage, "act", { steps: [{ click: [x, y] }, { key: "a" }] });
    assertMatch(
      wordsOf(steps),
      /^0\/2 done; .*\n1\. failed: changed: the screen has changed at the position since the picture was taken/,
    );
    assert(steps.content.some(({ type }) => type === "image"));
    assertEquals(stage.presses(5), 4);
  });

  await t.step("a place is refused if its window moved, or is a different window", async () => {
    await stage.look();
    const board = await server.window("--name", "^board$"), { x, y } = beside(first, { x: 0, y: 45 });
    await person("windowmove", "--sync", board, "30", "60");
    await stage.refuses({ x, y }, /^changed: "board" has moved, or another size$/);
    await stage.look();
    await using _terminal = server.spawn("xterm", "-T", "over", "-geometry", "150x40+0+0");
    await until(
      async () => (await (await stage.request("GET", "/api/windows")).json()).windows[0],
      (window) => window.title === "over",
    );
    await stage.refuses({ x, y }, /^changed: "over" is where "board" was in the picture$/);
    const { windows } = await (await stage.request("GET", "/api/windows")).json();
    const { id } = windows.find(({ title }: { title: string }) => title === "board");
    const covered = await stage.request("GET", `/api/screenshot?format=png&seen=mine&window=${id}`);
    await covered.bytes();
    await stage.refuses({ x, y }, /^changed: "over" is where "board" was in the picture$/);
    const linked = await stage.request("GET", "/api/screenshot?seen=mine", undefined, {
      headers: { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    });
    assertEquals(linked.status, 403);
    assertMatch((await linked.json()).error, /^seen keeps the picture, which a link /);
    for (let i = 0; i < 40; i++) { // more names than are stored
      await (await stage.request("GET", `/api/screenshot?width=9&height=9&seen=other${i}`)).bytes();
    }
    const late = await stage.click({ x, y });
    assertEquals([late.status, late.error], [409, "changed: the picture is no longer kept; take a new one"]);
    const { status, error } = await stage.click({ x, y }, { seen: "another" });
    assertEquals([status, error], [409, "changed: the picture is no longer stored"]);
    const without = await stage.click({ x, y }, {
      x: undefined,
      y: undefined,
      button: undefined,
      at: "pointer",
    });
    assertEquals([without.status, without.error], [400, "seen needs a position: x and y"]);
  });
});
