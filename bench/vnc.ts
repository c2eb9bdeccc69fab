/** The VNC server with two viewers of a flood of changes, beside x0vncserver on X11 and wayvnc on sway. */

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
/** The time before a measurement, and the time of it, in milliseconds. */
const SETTLE_MS = 2500, MEASURED_MS = 5000;
/** Another server, and its program. */
interface Peer {
  name: string;
  program: string;
}

const PEERS = {
  x11: { name: "x0vncserver", program: "X0tigervnc" }, // x0vncserver is a script that starts it and ends
  sway: { name: "wayvnc", program: "wayvnc" },
} as const;
/** The other figure of deskhand itself. */
const WITHOUT = "deskhand without viewers";
const LISTING = "while :; do ls -l /usr/bin /usr/sbin; done";

/** The figures of a server. */
interface Figures {
  /** Updates a second of one viewer. */
  updates: number;
  /** Kilobytes in which a viewer gets as many pixels as the screen has. */
  screenKb: number;
  /** Percent of one core. */
  processor: number;
}

/** Measures both, each with its peer in turn. */
export async function vncRows(): Promise<Row[]> {
  return [...await onX11(), ...await onSway()];
}

async function onX11(): Promise<Row[]> {
  await using server = await Xvfb.start(SCREEN);
  await using _flood = await Scene.start(server, "terminal, without end");
  const display = ["-display", server.display, "-SecurityTypes", "None", "-localhost"];
  return await compared("X11", server.env, PEERS.x11, (port) => [...display, "-rfbport", `${port}`]);
}

async function onSway(): Promise<Row[]> {
  if (!await has("sway")) return [];
  const outputs = [`output HEADLESS-1 resolution ${SCREEN.width}x${SCREEN.height} position 0 0`];
  await using sway = await Sway.start({ outputs });
  await using _flood = sway.spawn("foot", "sh", "-c", LISTING);
  await sway.windows(1);
  return await compared("sway", sway.env, PEERS.sway, (port) => ["127.0.0.1", `${port}`]);
}

/** Measures deskhand, and then the other server on the same desktop. */
async function compared(
  where: string,
  env: Record<string, string>,
  { name: peer, program }: Peer,
  args: (port: number) => string[],
): Promise<Row[]> {
  const { ours, before, beside } = await deskhandFigures(env);
  const theirs = await has(program) ? await peerFigures(env, program, args) : undefined;
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
    {
      what: `${what}: position answered after`,
      ours: times(beside.waits),
      against: WITHOUT,
      theirs: times(before.waits),
      aim: "99 % 5 ms",
    },
    {
      what: `${what}: time of the serving thread`,
      ours: `${beside.serving.toFixed(1)} %`,
      against: WITHOUT,
      theirs: `${before.serving.toFixed(1)} %`,
      aim: "stated",
    },
  ];
}

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
 * Asks for the pointer's place while something else is done.
 * @param work Calls a function where the measurement begins, if that is not at once.
 * @returns The milliseconds to each answer, and the serving thread's share of a processor in percent.
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

async function peerFigures(env: Record<string, string>, program: string, args: (port: number) => string[]) {
  const port = freePort(), options = { args: args(port), env, stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, options).spawn();
  try {
    await delay(SETTLE_MS);
    return await figures(port, child.pid);
  } finally {
    signal(child.pid, "SIGKILL"); // x0vncserver does not always end at SIGTERM
    await child.status;
  }
}

/** @param begun Called when the measurement begins. */
async function figures(port: number, pid: number, begun = () => {}): Promise<Figures> {
  const module = new URL("./vnc_viewer.ts", import.meta.url);
  const viewers = Array.from({ length: VIEWERS }, () => new Worker(module, { type: "module" }));
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
