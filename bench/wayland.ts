/** A Wayland desktop, compared with the usual commands. */

import { openWayland } from "../ffi/wayland/mod.ts";
import { delay } from "@std/async/delay";
import { Program } from "../tests/support/program.ts";
import { Sway } from "../tests/support/sway.ts";
import { commandsPerSecond, contest, has, percentile, wrk } from "./measure.ts";
import { type Row, rowsOf } from "./table.ts";

const OUTPUTS = ["output HEADLESS-1 resolution 1920x1080 position 0 0"];
/** Number of screenshots of an unchanged screen, and the pause before each, in milliseconds. */
const IDLE = { pictures: 9, pauseMs: 1200 };
const MOVES = 2000;

/** Measures actions on a headless sway, 1920x1080. */
export async function waylandRows(): Promise<Row[]> {
  if (!await has("sway")) return [];
  await using sway = await Sway.start({ outputs: OUTPUTS });
  await using _window = sway.spawn("foot", "sh", "-c", "stty -echo; exec cat >/dev/null");
  await sway.windows(1);
  await using program = new Program(["--http", "0"], { env: sway.env });
  const url = await program.controlUrl();
  return [...await inProcess(sway), ...await pictures(url, sway), ...await typing(url, sway)];
}

/** Measures the back end alone, without HTTP. */
async function inProcess(sway: Sway): Promise<Row[]> {
  const desktop = await openWayland(sway.socket), region = desktop.screen.layout(), times: number[] = [];
  for (let i = 0; i < IDLE.pictures; i++) {
    await delay(IDLE.pauseMs);
    const start = performance.now();
    (await desktop.screen.picture(region, false)).release();
    times.push(performance.now() - start);
  }
  const start = performance.now();
  for (let i = 0; i < MOVES; i++) await desktop.pointer.move({ x: i % 1920, y: i % 1080 });
  const moved = (performance.now() - start) / MOVES * 1000;
  desktop.close();
  const none = { against: "", theirs: "" };
  return [
    {
      what: "Wayland: picture of a resting screen, median",
      ours: `${percentile(times, 0.5).toFixed(2)} ms`,
      ...none,
      aim: "3 ms",
    },
    {
      what: "Wayland: a move of many in a row, at the pace of programs",
      ours: `${moved.toFixed(0)} µs`,
      ...none,
      aim: "stated",
    },
  ];
}

/** Screenshots of an unchanged screen. */
async function pictures(url: string, sway: Sway): Promise<Row[]> {
  const region = "100,100 200x100", path = "x=100&y=100&width=200&height=100";
  const grim = (...args: string[]) =>
    commandsPerSecond("grim", [...args, "-t", "ppm", "/dev/null"], sway.env);
  const whole = await contest({
    deskhand: () => wrk(`${url}/api/screenshot?format=bmp`, { connections: 1 }),
    "grim command, PPM": () => grim(),
  });
  const png = await contest({
    deskhand: () => wrk(`${url}/api/screenshot?format=png`, { connections: 1 }),
    "grim command, PNG": () => commandsPerSecond("grim", ["/dev/null"], sway.env),
  });
  const part = await contest({
    deskhand: () => wrk(`${url}/api/screenshot?format=bmp&${path}`, { connections: 1 }),
    "grim command, PPM": () => grim("-g", region),
  });
  return [
    ...rowsOf("Wayland: screenshot, BMP (8 MB), 1 connection", whole, () => "1"),
    ...rowsOf("Wayland: screenshot, PNG, 1 connection", png, () => "1"),
    ...rowsOf("Wayland: screenshot of 200x100, BMP, 1 connection", part, () => "1"),
  ];
}

async function typing(url: string, sway: Sway): Promise<Row[]> {
  const short = await contest({
    deskhand: () => wrk(`${url}/api/type`, { connections: 1, body: { text: "hello" } }),
    "wtype command": () => commandsPerSecond("wtype", ["hello"], sway.env),
  });
  const key = await contest({
    deskhand: () => wrk(`${url}/api/key`, { connections: 1, body: { keys: "f5" } }),
    "wtype command": () => commandsPerSecond("wtype", ["-k", "F5"], sway.env),
  });
  return [
    ...rowsOf("Wayland: a text of 5 characters, 1 connection", short, () => "10"),
    ...rowsOf("Wayland: a key, 1 connection", key, () => "10"),
  ];
}
