/** The whole program on Windows: its control API and prompt from outside. */

import { assertEquals, assertMatch } from "@std/assert";
import { Program, run } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { openReference, QUARTERS, tellConsoleEvent, WitnessWindow } from "./witness.ts";

/** Sends JSON; returns status and body. */
async function post(url: string, body: unknown): Promise<[status: number, body: unknown]> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  return [response.status, await response.json()];
}

const get = async (url: string) => await (await fetch(url)).json();
const OK = [200, { ok: true }];

/** Requests to one program: each start takes a second of processor time under Wine. */
const ACTIONS: Record<string, (url: string) => Promise<void>> = {
  async "the API moves, clicks, scrolls, types and presses keys in a real window"(url) {
    await using witness = await WitnessWindow.open(100, 100);
    using reference = openReference();
    const screen = await get(`${url}/api/screen`);
    assertEquals([screen.width, screen.height], [1280, 720]);

    assertEquals(await post(`${url}/api/move`, { x: 321, y: 234 }), OK);
    await until(() => String(reference.pointer()) === "321,234");
    assertEquals(await get(`${url}/api/position`), { x: 321, y: 234 });

    await witness.sees(
      async () => {
        assertEquals(await post(`${url}/api/click`, { x: 150, y: 160, button: "right" }), OK);
        const clicked = await witness.take(2, "WM_RBUTTONDOWN", "WM_RBUTTONDBLCLK", "WM_RBUTTONUP");
        return clicked.map(({ x, y }) => [x, y]);
      },
      [[50, 60], [50, 60]],
    );
    await witness.sees(
      async () => {
        assertEquals(await post(`${url}/api/click`, { x: 300, y: 300, button: "left", count: 2 }), OK);
        const clicked = await witness.take(4, "WM_LBUTTONDOWN", "WM_LBUTTONDBLCLK", "WM_LBUTTONUP");
        return clicked.map(({ name, x }) => [name, x]).slice(2);
      },
      [["WM_LBUTTONDBLCLK", 200], ["WM_LBUTTONUP", 200]],
    );

    assertEquals(await post(`${url}/api/scroll`, { direction: "down", amount: 2, x: 400, y: 400 }), OK);
    assertEquals((await witness.take(2, "WM_MOUSEWHEEL")).map(({ data }) => data), [-120, -120]);

    await witness.sees(
      async () => {
        assertEquals(await post(`${url}/api/drag`, { from: { x: 200, y: 200 }, to: { x: 260, y: 280 } }), OK);
        const dragged = await witness.take(2, "WM_LBUTTONDOWN", "WM_LBUTTONDBLCLK", "WM_LBUTTONUP");
        return dragged.map(({ x, y }) => [x, y]);
      },
      [[100, 100], [160, 180]],
    );

    assertEquals(await post(`${url}/api/type`, { text: "héllo €5 漢字 😀\n" }), OK);
    assertEquals(await witness.text(15), "héllo €5 漢字 😀\r");

    assertEquals(await post(`${url}/api/key`, { keys: "ctrl+shift+f5" }), OK);
    const pressed = await witness.take(6, "WM_KEYDOWN", "WM_KEYUP");
    assertEquals(pressed.map(({ name, code }) => [name, code]).filter(([, code]) => code === 0x74), [
      ["WM_KEYDOWN", 0x74],
      ["WM_KEYUP", 0x74],
    ]);
  },

  async "a screenshot over HTTP has the window's colors"(url) {
    await using _witness = await WitnessWindow.open(40, 20, 400, 300);
    const bmp = new DataView(await (await fetch(`${url}/api/screenshot`)).arrayBuffer());
    const [start, width, height, bits] = [
      bmp.getUint32(10, true),
      bmp.getInt32(18, true),
      bmp.getInt32(22, true),
      bmp.getUint16(28, true),
    ];
    assertEquals([width, height], [1280, 720]); // a positive height: rows from the bottom up
    const rowBytes = Math.ceil(width * bits / 32) * 4;
    const colours = [[100, 100], [400, 100], [100, 250], [400, 250]].map(([x, y]) => {
      const at = start + (height - 1 - y) * rowBytes + x * bits / 8;
      return [0, 1, 2].map((i) => bmp.getUint8(at + i));
    });
    assertEquals(colours, QUARTERS);
    const pixel = await get(`${url}/api/pixel?x=400&y=250`);
    assertEquals([pixel.b, pixel.g, pixel.r], QUARTERS[3]);
    const png = new Uint8Array(await (await fetch(`${url}/api/screenshot?format=png`)).arrayBuffer());
    assertEquals(Array.from(png.subarray(0, 4)), [0x89, 0x50, 0x4e, 0x47]);
  },

  async "finds a picture cut from the screen in the window, and clicks it"(url) {
    await using witness = await WitnessWindow.open(100, 100);
    // The window's center, where its four colors meet.
    const cut = { x: 490, y: 390, width: 20, height: 20 };
    const query = Object.entries(cut).map(([name, value]) => `${name}=${value}`).join("&");
    const png = await (await fetch(`${url}/api/screenshot?format=png&${query}`)).bytes();
    const found = await fetch(`${url}/api/find?click=left`, { method: "POST", body: png });
    const [{ center, ...place }] = (await found.json()).matches;
    assertEquals(place, { ...cut, match: 1 });
    const clicked = await witness.take(2, "WM_LBUTTONDOWN", "WM_LBUTTONUP");
    assertEquals(clicked.map(({ x, y }) => [x, y]), [0, 1].map(() => [center.x - 100, center.y - 100]));
  },

  async "refuses positions off the screen and unknown keys, and moves nothing"(url) {
    using reference = openReference();
    await post(`${url}/api/move`, { x: 11, y: 12 });
    await until(() => String(reference.pointer()) === "11,12");
    for (
      const [path, body, error] of [
        ["move", { x: 1280, y: 0 }, /1279/],
        ["move", { x: -1, y: 0 }, /0/],
        ["click", { x: 1, y: 720, button: "left" }, /719/],
        ["click", { x: 1, y: 1 }, /^Missing button$/],
        ["key", { keys: "kpequal" }, /kpequal/],
        ["type", { text: "a\x07" }, /U\+0007|control/],
      ] as const
    ) {
      const [status, answer] = await post(`${url}/api/${path}`, body);
      assertEquals(status, 400, path);
      assertMatch((answer as { error: string }).error, error);
    }
    assertEquals(reference.pointer(), [11, 12]);
  },
};

Deno.test("the control API acts on real windows", async (test) => {
  await using program = new Program(["--desktop", "auto", "--http", "0"]);
  const url = await program.controlUrl();
  for (const [name, act] of Object.entries(ACTIONS)) await test.step(name, () => act(url));
});

Deno.test("releases keys held over HTTP when the program ends", async () => {
  await using witness = await WitnessWindow.open(100, 100);
  using reference = openReference();
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const url = await program.controlUrl();
  await post(`${url}/api/move`, { x: 200, y: 200 });
  assertEquals(await post(`${url}/api/press`, { button: "left" }), OK);
  assertEquals(await post(`${url}/api/press`, { key: "shift" }), OK);
  await witness.take(1, "WM_LBUTTONDOWN");
  await until(() => reference.isDown(0xa0));
  await program.write("quit");
  assertEquals((await program.ended()).code, 0);
  await until(() => !reference.isDown(0xa0) && !reference.isDown(0x01));
});

Deno.test("releases keys on Ctrl-C, on Ctrl-Break and when the console window is closed", async () => {
  using reference = openReference();
  for (const [event, code] of [["interrupt", 130], ["break", 149], ["close", 129]] as const) {
    await using program = new Program(["--desktop", "windows", "--http", "0"]);
    const url = await program.controlUrl();
    assertEquals(await post(`${url}/api/press`, { key: "shift" }), OK);
    await until(() => reference.isDown(0xa0));
    tellConsoleEvent(program.pid, event);
    assertEquals((await program.ended()).code, code, event);
    // Windows may still report the previous state.
    await until(() => !reference.isDown(0xa0), Boolean, () => `Shift stays down after ${event}`);
  }
});

Deno.test("the prompt reads commands from a pipe and from the command line", async () => {
  const piped = await run(["--desktop", "windows"], "m70-80\ng\nm9999-1\n");
  assertMatch(piped.stdout, /70\D+80/);
  assertMatch(piped.stderr, /line 3.*1279/s);
  const line = await run(["--desktop", "windows", "-c", "m31-32; g"]);
  assertMatch(line.stdout, /31\D+32/);
  assertEquals(line.code, 0);
});

Deno.test("exit codes tell the kind of error", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = listener.addr;
    for (
      const [args, code, said] of [
        [["--http", String(port)], 2, /port/],
        [["--desktop", "x11"], 3, /./],
        [
          ["--http", "0", "--host", "nowhere.invalid"],
          2,
          /nowhere\.invalid is not an address of this machine/,
        ],
        [["--http", "0", "--log", "C:\\windows"], 2, /windows is a folder/],
        [["--http", "0", "--log", "NUL"], 0, /^/],
      ] as const
    ) {
      const ended = await run([...args], "quit\n");
      assertEquals(ended.code, code, args.join(" "));
      assertMatch(ended.stderr, said);
    }
  } finally {
    listener.close();
  }
});
