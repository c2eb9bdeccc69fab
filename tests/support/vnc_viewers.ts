/** VNC viewers of other projects, which connect to a port on this machine. */

import { fromFileUrl, join } from "@std/path";
import { openBrowser } from "./browser.ts";
import { kept, whyUnavailable } from "./config.ts";
import { need } from "./need.ts";
import { npmProgram } from "./npm_package.ts";
import { rgbOfFile } from "./pictures.ts";
import type { Program } from "./program.ts";
import { Lines, mustRun, temporary, until } from "./shell.ts";
import { pixelsOf } from "./vnc_servers.ts";
import { waiting } from "./waits.ts";
import { Xvfb } from "./xvfb.ts";

/** The size of a picture, in pixels. */
interface Size {
  width: number;
  height: number;
}

/** A connected viewer. */
export interface Viewer extends AsyncDisposable {
  /** Red, green and blue of the picture that it shows. */
  pixels(): Promise<Uint8Array>;
  /** Whether the server draws the pointer into the picture. */
  hasPointer?: boolean;
  /** Does what a user does; omitted for programs that only take screenshots. */
  hand?: {
    move(x: number, y: number): Promise<void>;
    click(x: number, y: number): Promise<void>;
    type(text: string): Promise<void>;
    /** Presses a combination in Playwright's notation, such as `Control+c`. */
    press(keys: string): Promise<void>;
  };
}

/** Maximum number of rows at the bottom of a picture covered by a pointer in the corner. */
const POINTER_ROWS = 32;

/**
 * Waits until a viewer shows exactly what another program sees. If the picture contains the pointer, that
 * must be in the bottom right corner.
 */
export async function showsTheSame(
  { pixels, hasPointer }: Viewer,
  { width, height }: Size,
  seen: () => Promise<Uint8Array>,
): Promise<void> {
  const length = 3 * width * (hasPointer ? height - POINTER_ROWS : height);
  await until(
    async () => {
      const [ours, theirs] = [await pixels(), await seen()];
      return ours.length === theirs.length
        ? differing(ours.subarray(0, length), theirs.subarray(0, length))
        : Infinity;
    },
    (count) => count === 0,
    (count) => `${count} bytes of the picture differ`,
  );
}

/** Counts the differing bytes in pictures of the same size. */
export function differing(a: Uint8Array, b: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count++;
  return count;
}

/** Waits for deskhand's VNC server. @returns Its port. */
export async function vncPort(program: Program): Promise<number> {
  return Number((await program.printed(/^VNC server started on port (\d+)$/m))[1]);
}

// TigerVNC's viewer on a separate display.

/** Names of keys that differ in xdotool. */
const XDOTOOL: Readonly<Record<string, string>> = {
  Control: "ctrl",
  Enter: "Return",
  Backspace: "BackSpace",
};

/** Starts TigerVNC's viewer with a window manager, which gives it the focus. */
export async function openTiger(port: number, size: Size, ...args: string[]) {
  await using stack = new AsyncDisposableStack();
  const display = stack.use(await Xvfb.start({ width: size.width + 160, height: size.height + 160 }));
  stack.use(await display.manager("openbox"));
  // xdotool assigns a key to a character without one, but reverts this before a busy viewer looks the key up.
  await display.run("xmodmap", "-e", "keycode 247 = eacute", "-e", "keycode 248 = EuroSign");
  const geometry = `-geometry=${size.width}x${size.height}+20+40`;
  stack.use(display.spawn("xtigervncviewer", geometry, "-RemoteResize=0", ...args, `127.0.0.1::${port}`));
  const id = await display.window("--name", "TigerVNC");
  /** The position of the picture on the display: the window manager moves the window into its frame. */
  const place = async () => {
    const [, x, y] = /X: +(\d+)[^]*?Y: +(\d+)/.exec(await display.run("xwininfo", "-id", id))!;
    return { x: Number(x), y: Number(y) };
  };
  const xdotool = async (...words: string[]) => void await display.run("xdotool", ...words);
  const at = async (x: number, y: number, ...words: string[]) => {
    const { x: left, y: top } = await place();
    await xdotool("mousemove", `${left + x}`, `${top + y}`, ...words);
  };
  const all = stack.move();
  return {
    display,
    pixels: async () => await pixelsOf(display.env, { ...await place(), ...size }),
    hand: {
      move: (x: number, y: number) => at(x - 1, y, "mousemove_relative", "1", "0"),
      click: (x: number, y: number) => at(x, y, "click", "1"),
      type: (text: string) => xdotool("type", "--delay", "20", text),
      press: (keys: string) => xdotool("key", keys.replace(/Control|Enter|Backspace/, (key) => XDOTOOL[key])),
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

// libvncclient, in a program of a hundred lines.

const SOURCE = fromFileUrl(new URL("./vnc_viewer.c", import.meta.url));
const LEFT_BUTTON = 1;
/** Keysyms of keys without a character (X11/keysymdef.h). */
const KEYSYMS: Readonly<Record<string, number>> = {
  Control: 0xffe3,
  Enter: 0xff0d,
  Tab: 0xff09,
  Backspace: 0xff08,
};

/** Compiles the program, once per version of its source. @returns Its path. */
async function compiled(): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await Deno.readFile(SOURCE))).toHex();
  const folder = await kept(`vnc-viewer-${digest}`, async (folder) => {
    await mustRun("gcc", ["-O1", "-Wall", "-o", join(folder, "viewer"), SOURCE, "-lvncclient"]);
  });
  return join(folder, "viewer");
}

/** Connects libvncclient. @param encodings The encodings to request; defaults to its own. */
export async function openLibvncclient(
  port: number,
  encodings?: string,
): Promise<Viewer & Required<Pick<Viewer, "hand">>> {
  const child = new Deno.Command(await compiled(), {
    args: [`${port}`, ...encodings === undefined ? [] : [encodings]],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const input = child.stdin.getWriter(), output = new Lines(child.stdout);
  const answered = (count: number) => until(() => output.lines.length >= count);
  const send = async (command: string) => {
    const before = output.lines.length;
    await input.write(new TextEncoder().encode(`${command}\n`));
    await answered(before + 1);
  };
  const keysym = (key: string) => {
    const code = key.codePointAt(0)!;
    return KEYSYMS[key] ?? (code < 0x100 ? code : 0x1000000 + code);
  };
  const key = (name: string, down: boolean) => send(`key ${keysym(name)} ${Number(down)}`);
  const press = async (keys: readonly string[]) => {
    for (const name of keys) await key(name, true);
    for (const name of keys.toReversed()) await key(name, false);
  };
  await answered(1);
  return {
    pixels: () =>
      temporary(async (folder) => {
        await send(`picture ${folder}/picture`);
        return await Deno.readFile(`${folder}/picture`);
      }),
    hand: {
      move: (x, y) => send(`pointer ${x} ${y} 0`),
      async click(x, y) {
        for (const buttons of [0, LEFT_BUTTON, 0]) await send(`pointer ${x} ${y} ${buttons}`);
      },
      async type(text) {
        for (const character of text) await press([character]);
      },
      press: (keys) => press(keys.split("+")),
    },
    async [Symbol.asyncDispose]() {
      await input.close().catch(() => {});
      await waiting("the end of libvncclient", child.status);
      await output.ended;
    },
  };
}

// noVNC in a browser, with a bridge from WebSockets to TCP, like websockify.

const NOVNC = {
  spec: "@novnc/novnc@1.7.0",
  integrity:
    "sha512-ucEJOx4T2avIRCleodk7YobZj5O2Ga2AeLfQ69A/yjG9HHba2+PDgwSkN3FttrmG+70ZGx21sElNFouK13RzyA==",
  program: "package/core",
};
const noNovnc = await whyUnavailable(() => npmProgram(NOVNC));
if (noNovnc) console.error(`\n!!! SKIPPED: noVNC is not tried, since ${noNovnc} !!!\n`);

/** A page with noVNC, and functions in the page that do what the viewer does. */
const NOVNC_PAGE = `<!doctype html><body style="margin:0"><script type="module">
  import RFB from "/core/rfb.js";
  const rfb = globalThis.rfb = new RFB(document.body, location.href.replace("http", "ws"));
  rfb.addEventListener("connect", () => rfb.focus());
  rfb.addEventListener("disconnect", () => delete globalThis.shown); // the test then fails
  globalThis.shown = () => {
    const { data } = rfb.getImageData(), rgb = new Uint8Array(data.length / 4 * 3);
    for (let at = 0, to = 0; at < data.length; at += 4, to += 3) rgb.set(data.subarray(at, at + 3), to);
    return rgb.toBase64();
  };
</script>`;

/** Connects noVNC. */
async function openNovnc(port: number, size: Size): Promise<Viewer> {
  await using stack = new AsyncDisposableStack();
  const core = await npmProgram(NOVNC);
  const server = stack.use(Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    if (request.headers.get("upgrade") === "websocket") return await bridge(request, port);
    const { pathname } = new URL(request.url), headers = { "content-type": "text/javascript" };
    if (pathname === "/") return new Response(NOVNC_PAGE, { headers: { "content-type": "text/html" } });
    return new Response(await Deno.readFile(join(core, "..", pathname)), { headers });
  }));
  const browser = stack.adopt(await openBrowser(), (browser) => browser.close());
  const page = await browser.newPage({ viewport: size });
  await page.goto(`http://127.0.0.1:${server.addr.port}/`);
  await page.waitForSelector("canvas");
  const all = stack.move(), { mouse, keyboard } = page;
  return {
    pixels: async () => Uint8Array.fromBase64(await page.evaluate("shown()")),
    hand: {
      move: (x, y) => mouse.move(x, y),
      click: (x, y) => mouse.click(x, y),
      async type(text) {
        for (const character of text) {
          if (character <= "~") await keyboard.type(character);
          // Playwright has no key for other characters, so this sends the events of a keyboard that has one.
          else {await page.evaluate(`for (const type of ["keydown", "keyup"]) {
            const event = { key: "${character}", code: "KeyE", bubbles: true };
            document.querySelector("canvas").dispatchEvent(new KeyboardEvent(type, event));
          }`);}
        }
      },
      press: (keys) => keyboard.press(keys),
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Upgrades a request to a WebSocket that forwards bytes to and from a port. */
async function bridge(request: Request, port: number): Promise<Response> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port }), writer = conn.writable.getWriter();
  const { socket, response } = Deno.upgradeWebSocket(request);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => void writer.write(new Uint8Array(data)).catch(() => socket.close());
  socket.onclose = () => void writer.close().catch(() => {});
  socket.onopen = async () => {
    try {
      for await (const bytes of conn.readable) socket.send(bytes);
    } catch {
      // The browser has closed.
    }
    socket.close();
  };
  return response;
}

// gtk-vnc, the basis of GNOME Connections and virt-viewer, through its program that takes a screenshot.

/** The first port of VNC displays. */
const FIRST_PORT = 5900;

function openGtkVnc(port: number): Promise<Viewer> {
  return Promise.resolve({
    hasPointer: true,
    pixels: () =>
      temporary(async (folder) => {
        const file = `${folder}/picture.png`;
        await mustRun("gvnccapture", ["-q", `127.0.0.1:${port - FIRST_PORT}`, file]);
        return await rgbOfFile(await Deno.readFile(file));
      }),
    async [Symbol.asyncDispose]() {},
  });
}

/** The needs of {@linkcode openLibvncclient}. */
export const LIBVNCCLIENT = need("gcc", "/usr/include/stdio.h", "/usr/include/rfb/rfbclient.h");
/** The needs of {@linkcode openTiger}. */
export const TIGER = need(
  ...["Xvfb", "xtigervncviewer", "xdotool", "import", "openbox", "xprop", "xwininfo", "xmodmap"],
);
const tiger = (...args: string[]) => (port: number, size: Size): Promise<Viewer> =>
  openTiger(port, size, ...args);

/** A row of {@linkcode VIEWERS}. */
interface ViewerRow {
  name: string;
  needs: { ignore: boolean };
  open(port: number, size: Size): Promise<Viewer>;
}

/** The viewers, with default settings and with the encodings preferred by programs based on them. */
export const VIEWERS: readonly ViewerRow[] = [
  { name: "TigerVNC's viewer", needs: TIGER, open: tiger() },
  {
    name: "TigerVNC's viewer with ZRLE",
    needs: TIGER,
    open: tiger("-AutoSelect=0", "-PreferredEncoding=ZRLE"),
  },
  {
    name: "TigerVNC's viewer with Raw",
    needs: TIGER,
    open: tiger("-AutoSelect=0", "-PreferredEncoding=Raw"),
  },
  { name: "libvncclient", needs: LIBVNCCLIENT, open: (port) => openLibvncclient(port) },
  {
    name: "libvncclient as Remmina uses it",
    needs: LIBVNCCLIENT,
    open: (port) => openLibvncclient(port, "copyrect zlib hextile raw"),
  },
  {
    name: "noVNC",
    needs: { ignore: noNovnc !== undefined || need("chromium-headless-shell").ignore },
    open: openNovnc,
  },
  { name: "gtk-vnc", needs: need("gvnccapture", "convert"), open: openGtkVnc },
];
