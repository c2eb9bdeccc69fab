/**
 * The live picture in a browser compared with TigerVNC's x0vncserver and noVNC: frames, bytes and CPU time.
 */

import { attempt } from "../core/errors.ts";
import type { Page } from "playwright-core";
import { openX11 } from "../ffi/x11/desktop.ts";
import { openBrowser } from "../tests/support/browser.ts";
import {
  exactSince,
  NOTE_DRAWING,
  processTree,
  Scene,
  type SceneName,
  SCENES,
} from "../tests/support/pictures.ts";
import { Program } from "../tests/support/program.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { delay } from "@std/async/delay";
import { has, percentile, processorMs } from "./measure.ts";
import { freePort, started } from "./servers.ts";

export const SCREEN = { width: 1920, height: 1080 };
/** The browser window's size, in which both pages show the screen unscaled to spare the browser time. */
export const WINDOW = { width: 2000, height: 1330 };
/** How long a scene plays before the measurement, and how long the measurement lasts, in milliseconds. */
const SETTLE_MS = 2500, MEASURED_MS = 5000;
const NOVNC = "/usr/share/novnc";

interface LiveFigures {
  scene: string;
  server: string;
  /** Animation frames per second in which the picture had changed, at most 60. */
  painted: number;
  kilobytes: number;
  /** Percentage of one core. */
  serverCpu: number;
  browserCpu: number;
  /** Time from the end of a scene until every pixel is right, in milliseconds; only measured for deskhand. */
  exactMs?: number;
}

/** A program that shows a display in a browser. */
export interface Shown extends AsyncDisposable {
  url: string;
  /** The processes that show the display. */
  pids(): number[];
}

const SERVERS: Record<string, (server: Xvfb) => Promise<Shown>> = {
  deskhand: showDeskhand,
  "x0vncserver, noVNC": showVnc,
};

/**
 * Measures scenes and returns a table, in which each cell contains the figures of deskhand and x0vncserver.
 * @param names The scenes; all if there are none.
 */
export async function liveTable(names: readonly string[]): Promise<string> {
  const lines = [
    "| scene, deskhand / x0vncserver with noVNC | painted a second | KB a picture | processor ms a picture | processor, server + browser | exact after (limit 500 ms) |",
    "| --- | --- | --- | --- | --- | --- |",
  ];
  for (const name of (names.length ? names : Object.keys(SCENES)) as SceneName[]) {
    for (const program of [...SCENES[name].needs, "x0vncserver", "websockify"]) {
      if (!await has(program)) throw new Error(`${program} is not installed, which "${name}" needs`);
    }
    const both: LiveFigures[] = [];
    for (const [label, show] of Object.entries(SERVERS)) both.push(await measure(name, label, show));
    const cells = CELLS.map((cell) => both.map(cell).join(" / "));
    lines.push(`| ${name} | ${cells.join(" | ")} | ${both[0].exactMs} ms |`);
  }
  return `${lines.join("\n")}\n\n${await keyLatency()}`;
}

/** The table's columns. */
const CELLS: ((figures: LiveFigures) => string)[] = [
  ({ painted }) => painted.toFixed(1),
  ({ painted, kilobytes }) => painted < 1 ? "-" : (kilobytes / painted).toFixed(1),
  ({ painted, serverCpu, browserCpu }) =>
    painted < 1 ? "-" : ((serverCpu + browserCpu) * 10 / painted).toFixed(1),
  ({ serverCpu, browserCpu }) => `${serverCpu.toFixed(1)} + ${browserCpu.toFixed(1)} %`,
];

/**
 * Measures the time from a key sent by the page to the picture with its letter, on an otherwise idle desktop.
 */
async function keyLatency(): Promise<string> {
  await using server = await Xvfb.start(SCREEN);
  await using _terminal = server.spawn("xterm", "-geometry", "100x30+100+100", "-e", "cat");
  await using shown = await showDeskhand(server);
  await server.run("xdotool", "search", "--sync", "--onlyvisible", "--class", "xterm");
  await server.run("xdotool", "mousemove", "300", "300");
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: WINDOW });
    await page.addInitScript(COUNT_PICTURES);
    await page.goto(shown.url);
    await delay(SETTLE_MS);
    const waits: number[] = [];
    for (let i = 0; i < 60; i++) {
      waits.push(await page.evaluate("typed()") as number);
      await delay(150);
    }
    return `From a key to the picture with its letter, in a terminal on a desktop that does nothing else: median ` +
      `${percentile(waits, 0.5).toFixed(1)}, 90 % ${percentile(waits, 0.9).toFixed(1)} ms.`;
  } finally {
    await browser.close();
  }
}

async function measure(
  name: SceneName,
  label: string,
  show: (server: Xvfb) => Promise<Shown>,
): Promise<LiveFigures> {
  await using server = await Xvfb.start(SCREEN);
  await using scene = await Scene.start(server, name);
  if (name === "a page is scrolled") await delay(8000); // Chromium starts
  await using shown = await show(server);
  const others = new Set(processTree(Deno.pid));
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: WINDOW });
    await page.addInitScript(COUNT_PICTURES);
    await page.addInitScript(NOTE_DRAWING);
    await page.goto(shown.url);
    await delay(SETTLE_MS);
    const browserPids = () => processTree(Deno.pid).filter((pid) => !others.has(pid) && isChromium(pid));
    const before = await look(page, shown.pids(), browserPids());
    await delay(MEASURED_MS);
    const after = await look(page, shown.pids(), browserPids());
    const seconds = (after.time - before.time) / 1000;
    return {
      scene: name,
      server: label,
      painted: (after.painted - before.painted) / seconds,
      kilobytes: (after.bytes - before.bytes) / seconds / 1000,
      serverCpu: (after.server - before.server) / seconds / 10,
      browserCpu: (after.browser - before.browser) / seconds / 10,
      exactMs: label === "deskhand" ? await exactAfter(page, server, scene) : undefined,
    };
  } finally {
    await browser.close();
  }
}

/** Stops a scene; returns the time until the picture is right. */
export async function exactAfter(page: Page, server: Xvfb, scene: Scene): Promise<number> {
  const desktop = openX11(server.display);
  try {
    const stoppedAt = Date.now(); // the first of its programs; the last one stops a little later
    await scene.freeze();
    return Math.max(0, await exactSince(page, desktop, "the scene") - stoppedAt);
  } finally {
    desktop.close();
  }
}

async function look(page: Page, serverPids: number[], browserPids: number[]) {
  const { painted, bytes } = await page.evaluate("({ painted: counted.painted, bytes: counted.bytes })") as {
    painted: number;
    bytes: number;
  };
  const sum = (pids: number[]) => pids.reduce((all, pid) => all + processorMs(pid), 0);
  return { time: performance.now(), painted, bytes, server: sum(serverPids), browser: sum(browserPids) };
}

/**
 * A script for the page, run before its own ones, which counts received bytes and the frames in which a
 * canvas was drawn on. The script is a string, because the page's names are unknown in this module.
 */
export const COUNT_PICTURES = `
  globalThis.counted = { painted: 0, bytes: 0 };
  let isDrawn = false, onDrawn;
  globalThis.typed = () => new Promise((resolve) => {
    const start = performance.now();
    onDrawn = () => resolve(performance.now() - start);
    for (const down of [true, false]) counted.socket.send(JSON.stringify({ type: "key", key: "a", down }));
  });
  const context = CanvasRenderingContext2D.prototype;
  for (const name of ["drawImage", "putImageData", "fillRect"]) {
    const draw = context[name];
    context[name] = function (...args) {
      const result = draw.apply(this, args);
      if (this.canvas.isConnected) {
        isDrawn = true;
        onDrawn?.();
      }
      return result;
    };
  }
  const frame = () => {
    if (isDrawn) counted.painted++;
    isDrawn = false;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  WebSocket = new Proxy(WebSocket, {
    construct(target, args) {
      const socket = counted.socket = Reflect.construct(target, args);
      socket.addEventListener("message", ({ data }) => {
        counted.bytes += data.byteLength ?? data.size ?? data.length;
      });
      return socket;
    },
  });
`;

export async function showDeskhand(server: Xvfb): Promise<Shown> {
  const program = new Program(["--http", "0"], { env: server.env });
  return {
    url: await program.controlUrl(),
    pids: () => processTree(program.pid),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

async function showVnc({ display, env }: Xvfb): Promise<Shown> {
  const vncPort = freePort();
  const child = new Deno.Command("x0vncserver", {
    args: [
      "-display",
      display,
      "-rfbport",
      String(vncPort),
      "-SecurityTypes",
      "None",
      "-localhost",
    ],
    env,
    stdout: "null",
    stderr: "null",
  }).spawn();
  let proxy = 0;
  const websocket = await started("websockify", (port) => {
    proxy = port;
    return ["--web", NOVNC, `127.0.0.1:${port}`, `127.0.0.1:${vncPort}`];
  }, "SIGTERM");
  const pids = () =>
    [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) =>
      commandLine(pid).includes(String(vncPort))
    );
  return {
    url: `http://127.0.0.1:${proxy}/vnc_lite.html?host=127.0.0.1&port=${proxy}&scale=false`,
    pids,
    async [Symbol.asyncDispose]() {
      const all = pids();
      await websocket[Symbol.asyncDispose]();
      for (const pid of all) {
        attempt(() => Deno.kill(pid, "SIGTERM")); // it has exited
      }
      await child.status;
    },
  };
}

function commandLine(pid: number): string {
  return attempt(() => Deno.readTextFileSync(`/proc/${pid}/cmdline`), "");
}

function isChromium(pid: number): boolean {
  return /headless-shell|headless_shell/.test(commandLine(pid));
}
