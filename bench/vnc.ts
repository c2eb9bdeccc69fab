/**
 * The VNC server with two viewers of a flood of changes, compared with x0vncserver on X11 and wayvnc on sway.
 */

import { delay } from "@std/async/delay";
import { processTree, Scene, signal } from "../tests/support/pictures.ts";
import { Program } from "../tests/support/program.ts";
import { Sway } from "../tests/support/sway.ts";
import { vncPort } from "../tests/support/vnc_viewers.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { askPosition, has, percentile, processorMs } from "./measure.ts";
import { freePort } from "./servers.ts";
import type { Row } from "./table.ts";
import type { ViewerCounts } from "./vnc_viewer.ts";

const SCREEN = { width: 1920, height: 1080 };
const VIEWERS = 2;
/** Delay before a measurement, and its duration, in milliseconds. */
const SETTLE_MS = 2500, MEASURED_MS = 5000;
/** Number of timed keys, and the pause between two, in milliseconds. */
const KEYS = 60, KEY_REST_MS = 200;
const VIEWER = new URL("./vnc_viewer.ts", import.meta.url);
/** Another VNC server and its program. */
interface Peer {
  name: string;
  program: string;
}

const PEERS = {
  x11: { name: "x0vncserver", program: "X0tigervnc" }, // x0vncserver is a script that starts it and exits
  sway: { name: "wayvnc", program: "wayvnc" },
} as const;
/** The name of deskhand's own baseline. */
const WITHOUT = "deskhand without viewers";
const LISTING = "while :; do ls -l /usr/bin /usr/sbin; done";

/** A server's measured figures. */
interface Figures {
  /** Updates per second for one viewer. */
  updates: number;
  /** Kilobytes sent to a viewer per screenful of pixels. */
  screenKb: number;
  /** Processor time, in percent of one core. */
  processor: number;
}

/** Measures the server on X11 and sway, and then its peer there. */
export async function vncRows(): Promise<Row[]> {
  return [...await onX11(), await besideLines(), await keysOnX11(), ...await onSway()];
}

async function onX11(): Promise<Row[]> {
  await using server = await Xvfb.start(SCREEN);
  await using _flood = await Scene.start(server, "terminal, without end");
  return await compared("X11", server.env, PEERS.x11, (port) => x11Args(server.display, port));
}

/** Requests the position with viewers of a scene that, unlike a flood, leaves the processors partly idle. */
async function besideLines(): Promise<Row> {
  await using server = await Xvfb.start(SCREEN);
  await using _lines = await Scene.start(server, "terminal, 50 lines a second");
  const { before, beside } = await deskhandFigures(server.env);
  return positionRow(`VNC on X11, ${VIEWERS} viewers of 50 lines a second`, beside.waits, before.waits);
}

/** Measures the time from a viewer's key to the update that shows its letter. */
async function keysOnX11(): Promise<Row> {
  await using server = await Xvfb.start(SCREEN);
  await using _letters = server.spawn("xterm", "-geometry", "310x80+0+0", "-e", "cat");
  await server.window("--class", "xterm");
  await server.run("xdotool", "mousemove", "200", "200");
  await using program = new Program(["--vnc", "0"], { env: server.env });
  const ours = times(await keyWaits(await vncPort(program)));
  const hasPeer = await has(PEERS.x11.program), peer = (port: number) => x11Args(server.display, port);
  const theirs = hasPeer
    ? times(await besidePeer(server.env, PEERS.x11.program, peer, keyWaits))
    : "not installed";
  return {
    what: "VNC on X11: a key until its picture",
    ours,
    against: PEERS.x11.name,
    theirs,
    aim: "3 ms more",
  };
}

/**
 * Presses keys one by one, each on an unchanged screen.
 * @returns The time until the update after each, in milliseconds.
 */
async function keyWaits(port: number): Promise<number[]> {
  const viewer = new Worker(VIEWER, { type: "module" }), waits: number[] = [];
  viewer.postMessage({ port });
  await delay(SETTLE_MS);
  for (let i = 0; i < KEYS; i++) {
    viewer.postMessage({ key: "a".charCodeAt(0) + i % 26 });
    waits.push(await new Promise((resolve) => viewer.onmessage = ({ data }) => resolve(data)));
    await delay(KEY_REST_MS);
  }
  viewer.terminate();
  return waits;
}

const x11Args = (
  display: string,
  port: number,
) => ["-display", display, "-SecurityTypes", "None", "-localhost", "-rfbport", `${port}`];

async function onSway(): Promise<Row[]> {
  if (!await has("sway")) return [];
  const outputs = [`output HEADLESS-1 resolution ${SCREEN.width}x${SCREEN.height} position 0 0`];
  await using sway = await Sway.start({ outputs });
  await using _flood = sway.spawn("foot", "sh", "-c", LISTING);
  await sway.windows(1);
  return await compared("sway", sway.env, PEERS.sway, (port) => ["127.0.0.1", `${port}`]);
}

/** Measures deskhand, then the other server, on the same desktop. */
async function compared(
  where: string,
  env: Record<string, string>,
  { name: peer, program }: Peer,
  args: (port: number) => string[],
): Promise<Row[]> {
  const { ours, before, beside } = await deskhandFigures(env);
  const theirs = await has(program) ? await besidePeer(env, program, args, figures) : undefined;
  const what = `VNC on ${where}, ${VIEWERS} viewers of a flood`;
  const row = (name: string, key: keyof Figures, unit: string, isLess: boolean, aim: string): Row => ({
    what: `${what}: ${name}`,
    ours: `${ours[key].toFixed(1)}${unit}`,
    against: peer,
    theirs: theirs ? `${theirs[key].toFixed(1)}${unit}` : "not installed",
    ...theirs ? { ratio: isLess ? theirs[key] / ours[key] : ours[key] / theirs[key] } : {},
    aim,
  });
  return [
    row("updates of each", "updates", "/s", false, "1"),
    row("bytes a screen of change", "screenKb", " KB", true, "1.25"),
    row("processor", "processor", " %", true, "none"),
    positionRow(what, beside.waits, before.waits),
    {
      what: `${what}: time of the serving thread`,
      ours: `${beside.serving.toFixed(1)} %`,
      against: WITHOUT,
      theirs: `${before.serving.toFixed(1)} %`,
      aim: "stated",
    },
  ];
}

const positionRow = (what: string, beside: readonly number[], before: readonly number[]): Row => ({
  what: `${what}: position answered after`,
  ours: times(beside),
  against: WITHOUT,
  theirs: times(before),
  aim: "99 % 5 ms",
});

async function deskhandFigures(env: Record<string, string>) {
  await using program = new Program(["--http", "0", "--vnc", "0"], { env });
  const url = await program.controlUrl(), port = await vncPort(program);
  await delay(SETTLE_MS);
  const before = await asked(url, program.pid, () => delay(MEASURED_MS));
  let ours!: Figures;
  const beside = await asked(url, program.pid, async (begun) => {
    ours = await figures(port, program.pid, begun);
  });
  return { ours, before, beside };
}

/**
 * Requests the pointer's position while other work runs.
 * @param work Calls its argument when the measurement begins, unless it begins immediately.
 * @returns The time until each response, in milliseconds, and the serving thread's share of a processor.
 */
async function asked(url: string, pid: number, work: (begun: () => void) => Promise<void>) {
  const waits: number[] = [], asking = askPosition(url, waits);
  let from = servingMs(pid), at = performance.now();
  await work(() => {
    waits.length = 0;
    [from, at] = [servingMs(pid), performance.now()];
  });
  const serving = (servingMs(pid) - from) / (performance.now() - at) * 100;
  await asking.end();
  return { waits, serving };
}

/** Processor time of a process's first thread, in milliseconds. */
function servingMs(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/task/${pid}/schedstat`).split(" ")[0]) / 1e6;
}

/** Runs another VNC server for a measurement. */
async function besidePeer<T>(
  env: Record<string, string>,
  program: string,
  args: (port: number) => string[],
  measure: (port: number, pid: number) => Promise<T>,
): Promise<T> {
  const port = freePort(), options = { args: args(port), env, stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, options).spawn();
  try {
    await delay(SETTLE_MS);
    return await measure(port, child.pid);
  } finally {
    signal(child.pid, "SIGKILL"); // x0vncserver does not always exit on SIGTERM
    await child.status;
  }
}

/** @param begun Called when the measurement begins. */
async function figures(port: number, pid: number, begun = () => {}): Promise<Figures> {
  const viewers = Array.from({ length: VIEWERS }, () => new Worker(VIEWER, { type: "module" }));
  for (const viewer of viewers) viewer.postMessage({ port });
  await delay(SETTLE_MS);
  begun();
  const before = await look(viewers, pid);
  await delay(MEASURED_MS);
  const after = await look(viewers, pid), seconds = (after.at - before.at) / 1000;
  for (const viewer of viewers) viewer.terminate();
  const screens = (after.pixels - before.pixels) / (SCREEN.width * SCREEN.height);
  return {
    updates: (after.updates - before.updates) / seconds / VIEWERS,
    screenKb: (after.bytes - before.bytes) / 1000 / screens,
    processor: (after.processor - before.processor) / seconds / 10,
  };
}

async function look(viewers: Worker[], pid: number) {
  const sum = { updates: 0, bytes: 0, pixels: 0 };
  for (const viewer of viewers) {
    const counts = await new Promise<ViewerCounts>((resolve) => {
      viewer.onmessage = ({ data }) => resolve(data);
      viewer.postMessage("counts");
    });
    for (const name of Object.keys(sum) as (keyof ViewerCounts)[]) sum[name] += counts[name];
  }
  const processor = processTree(pid).reduce((all, one) => all + processorMs(one), 0);
  return { ...sum, processor, at: performance.now() };
}

function times(waits: readonly number[]): string {
  const [median, most] = [0.5, 0.99].map((share) => percentile(waits, share).toFixed(1));
  return `median ${median}, 99 % ${most} ms`;
}
