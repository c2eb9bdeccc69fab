/** VNC servers of other projects, each on a separate desktop, on loopback. */

import type { Region } from "../../control/desktop/desktop.ts";
import { need } from "./need.ts";
import { freePort, typewriter } from "./program.ts";
import { until } from "./shell.ts";
import { needSway, Sway } from "./sway.ts";
import { Xvfb } from "./xvfb.ts";

export const SIZE = { width: 640, height: 480 } as const;

/** A running server. */
interface RunningVnc extends AsyncDisposable {
  port: number;
  /** The address for `--desktop`. */
  address: string;
  /** The environment for programs on its desktop. */
  env: Record<string, string>;
  /** Red, green and blue of its screen, as captured by another program. */
  pixels(): Promise<Uint8Array>;
  /** Starts a program that records the text typed into it. */
  typewriter(): Promise<AsyncDisposable & { received: () => Promise<string> }>;
}

/** Waits until a port accepts connections. */
async function listening(port: number): Promise<void> {
  await until(() =>
    Deno.connect({ hostname: "127.0.0.1", port }).then((conn) => {
      conn.close();
      return true;
    }, () => false)
  );
}

/** The pixels of an X server, or of a part of its screen, as captured by ImageMagick: red, green and blue. */
export async function pixelsOf(env: Record<string, string>, part?: Region): Promise<Uint8Array> {
  const crop = part ? ["-crop", `${part.width}x${part.height}+${part.x}+${part.y}`] : [];
  const { stdout } = await new Deno.Command("import", {
    args: ["-silent", "-window", "root", ...crop, "-depth", "8", "rgb:-"],
    env,
    stdout: "piped",
    stderr: "null",
  }).output();
  return stdout;
}

function onX11(display: Xvfb, port: number, stack: AsyncDisposableStack): RunningVnc {
  return {
    port,
    address: `vnc://127.0.0.1:${port}`,
    env: display.env,
    pixels: () => pixelsOf(display.env),
    typewriter: () => typewriter(display),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Starts TigerVNC's X server. @param args Additional arguments; no security type means no password. */
export async function startXvnc(args: string[] = ["-SecurityTypes", "None"], port = freePort()) {
  await using stack = new AsyncDisposableStack();
  const display = stack.use(
    await Xvfb.start({ ...SIZE, vnc: ["-rfbport", `${port}`, "-localhost", ...args] }),
  );
  await listening(port);
  return Object.assign(onX11(display, port, stack.move()), { display });
}

async function startX11vnc(): Promise<RunningVnc> {
  await using stack = new AsyncDisposableStack();
  const display = stack.use(await Xvfb.start(SIZE)), port = freePort();
  stack.use(
    // If the variable is set, even to an empty value, x11vnc assumes a Wayland desktop.
    display.spawn(
      "env",
      "-u",
      "WAYLAND_DISPLAY",
      "x11vnc",
      "-rfbport",
      `${port}`,
      "-localhost",
      "-nopw",
      "-forever",
      "-shared",
    ),
  );
  await listening(port);
  return onX11(display, port, stack.move());
}

/** A terminal on sway that records the text typed into it. */
export async function swayTypewriter(sway: Sway) {
  const file = `${sway.folder}/received`;
  const foot = sway.spawn("foot", "sh", "-c", `stty raw -echo; : >${file}; exec cat >>${file}`);
  await sway.windows(1);
  await until(() => Deno.stat(file).then(() => true, () => false));
  return {
    received: () => Deno.readTextFile(file),
    [Symbol.asyncDispose]: () => foot[Symbol.asyncDispose](),
  };
}

async function startWayvnc(): Promise<RunningVnc> {
  await using stack = new AsyncDisposableStack();
  const { width, height } = SIZE;
  const sway = stack.use(await Sway.start({ outputs: [`output HEADLESS-1 resolution ${width}x${height}`] }));
  const port = freePort();
  stack.use(sway.spawn("wayvnc", "127.0.0.1", `${port}`));
  await listening(port);
  const all = stack.move();
  return {
    port,
    address: `vnc://127.0.0.1:${port}`,
    env: sway.env,
    pixels: () => sway.picture(),
    typewriter: () => swayTypewriter(sway),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const WITNESSES = ["Xvfb", "xterm", "xdotool", "import"];

/** The servers. */
export const VNC_SERVERS = [
  { name: "Xvnc", needs: need("Xvnc", ...WITNESSES), start: () => startXvnc() as Promise<RunningVnc> },
  { name: "x11vnc", needs: need("x11vnc", ...WITNESSES), start: startX11vnc },
  { name: "wayvnc", needs: needSway("wayvnc", "foot", "grim"), start: startWayvnc },
] as const;
