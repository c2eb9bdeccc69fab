/** Pictures of the desktop, and requests to find them, in tests. */

import type { Desktop, Frame } from "../../control/desktop/desktop.ts";
import type { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { type ControlApi, controlApi } from "./control.ts";
import { until } from "./shell.ts";
import type { Client, Xvfb } from "./xvfb.ts";

type Api = ControlApi<VirtualDesktop>;
export type Bytes = Uint8Array<ArrayBuffer>;

/** The ring that a click at 300, 200 leaves, and the pixels around it. */
export const RING = { x: 280, y: 180, width: 40, height: 30 };
export const FOUND = { ...RING, center: { x: 300, y: 195 }, match: 1 };

/** Returns a picture of a region of the desktop. */
export async function picture(api: Api, region = RING, format = "png"): Promise<Bytes> {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(region)) query.set(name, String(value));
  return await (await api.request("GET", `/api/screenshot?${query}`)).bytes();
}

/** A control API whose desktop was clicked at 300, 200, and the ring's picture. */
export async function clicked(options: { readOnly?: boolean } = {}): Promise<{ api: Api; png: Bytes }> {
  const api = controlApi(options);
  await api.operator.click({ x: 300, y: 200 }, "left");
  return { api, png: await picture(api) };
}

export async function find(api: Api, file: Bytes, query = "") {
  const response = await api.request("POST", `/api/find${query}`, undefined, { body: file });
  return { status: response.status, ...await response.json() };
}

export async function wait(api: Api, body: unknown) {
  const response = await api.request("POST", "/api/wait", body);
  return { status: response.status, ...await response.json() };
}

export function frame(width: number, height: number, color: (x: number, y: number) => number): Frame {
  const pixels = Uint32Array.from(
    { length: width * height },
    (_, i) => color(i % width, Math.floor(i / width)),
  );
  return { width, height, stride: width * 4, pixels: new Uint8Array(pixels.buffer) };
}

// Pictures as other programs decode them.

/** Red, green and blue of a frame's pixels, in rows without gaps. */
export function rgbOf({ width, height, stride, pixels }: Frame): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * stride + 4 * x;
      rgb[to++] = pixels[at + 2];
      rgb[to++] = pixels[at + 1];
      rgb[to++] = pixels[at];
    }
  }
  return rgb;
}

/** Red, green and blue of a picture file's pixels, as decoded by ImageMagick. */
export async function rgbOfFile(file: Bytes): Promise<Uint8Array> {
  const child = new Deno.Command("convert", {
    args: ["-", "-depth", "8", "rgb:-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const [{ stdout }] = await Promise.all([child.output(), new Blob([file]).stream().pipeTo(child.stdin)]);
  return stdout;
}

// Whether the page shows a screen exactly, and since when.

/**
 * Runs in the page before its own scripts: records in `globalThis.drawnAt` when a canvas was last drawn on,
 * as `Date.now()`. A string, because the page's names are unknown here.
 */
export const NOTE_DRAWING = `{
  const context = CanvasRenderingContext2D.prototype;
  for (const name of ["drawImage", "putImageData"]) {
    const draw = context[name];
    context[name] = function (...args) {
      draw.apply(this, args);
      globalThis.drawnAt = Date.now();
    };
  }
}`;

/** A page script that hashes each row like {@linkcode rowsOf}, and returns when the last one was drawn. */
const PAGE_ROWS = `(() => {
  const canvas = document.querySelector("#screen"), { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const rows = Array.from({ length: height }, (_, row) => {
    let hash = 0;
    for (let at = row * width * 4, end = at + width * 4; at < end; at += 4) {
      hash = Math.imul(hash ^ (data[at] << 16 | data[at + 1] << 8 | data[at + 2]), 0x01000193);
    }
    return hash;
  });
  return { rows, drawnAt: globalThis.drawnAt };
})()`;

/** A page of Playwright, which the small set does not fetch. */
interface Evaluating {
  evaluate(script: string): Promise<unknown>;
}

/**
 * Waits until every row of the page's picture equals that of the screen, including the pointer.
 * @param page A browser's page, in which {@linkcode NOTE_DRAWING} ran, if the time is needed.
 * @param desktop An X11 desktop.
 * @param what The name of the picture, for the message if it stays wrong.
 * @returns When the page finished drawing it, as `Date.now()`: the time of this wait itself does not count.
 */
export async function exactSince(page: Evaluating, desktop: Desktop, what: string): Promise<number> {
  const look = async () => {
    const { rows, drawnAt } = await page.evaluate(PAGE_ROWS) as { rows: number[]; drawnAt: number };
    const shown = await desktop.screen.capture(desktop.screen.layout(), true, rowsOf);
    return { wrong: shown.flatMap((hash, row) => hash === rows[row] ? [] : [row]), drawnAt };
  };
  const exact = await until(
    look,
    ({ wrong }) => !wrong.length,
    ({ wrong }) => `${what}: rows ${wrong} differ`,
  );
  return exact.drawnAt;
}

/** Returns a hash of each row in a frame. */
function rowsOf({ width, height, stride, pixels }: Frame): number[] {
  return Array.from({ length: height }, (_, row) => {
    let hash = 0;
    for (let at = row * stride, end = at + width * 4; at < end; at += 4) {
      hash = Math.imul(hash ^ (pixels[at + 2] << 16 | pixels[at + 1] << 8 | pixels[at]), 0x01000193);
    }
    return hash;
  });
}

// Responses of handlers that are called without a socket.

/**
 * A response whose chunks stay valid when the next one is read, which those of a handler's response need not.
 */
export function copied(response: Response): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value.slice());
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return new Response(body, response);
}

// Screens that change like those of users, for the live picture: text, windows, pages, videos.

/** Shell commands that wait for a window, because xdotool's own wait ends when another window vanishes. */
function found(query: string): string {
  const search = `xdotool search --onlyvisible ${query}`;
  return `while window=$(${search} | head -1); [ -z "$window" ]; do sleep 0.2; done`;
}

/** A row of {@linkcode SCENES}. */
interface SceneRow {
  /** Programs required by the scene. */
  needs: readonly string[];
  /** The window manager, which is started first. */
  manager?: string;
  /** Shell commands. */
  script: string;
}

/** The scenes, by name. */
export const SCENES = {
  "terminal, without end": {
    needs: ["xterm"],
    script: "exec xterm -geometry 310x80+0+0 -e sh -c 'while :; do ls -l /usr/bin /usr/sbin; done'",
  },
  "antialiased terminal, without end": {
    needs: ["xterm"],
    script: "exec xterm -fa Monospace -fs 10 -geometry 230x60+0+0 -e sh -c " +
      "'while :; do ls -l --color /usr/bin /usr/sbin; done'",
  },
  "terminal, 50 lines a second": {
    needs: ["xterm"],
    script: "exec xterm -geometry 310x80+0+0 -e sh -c " +
      `'while :; do ls -l /usr/bin | while read line; do echo "$line"; sleep 0.02; done; done'`,
  },
  "a window is dragged": {
    needs: ["xterm", "openbox", "xev", "xprop", "xdotool", "xsetroot"],
    manager: "openbox",
    script: `
      xsetroot -solid '#336699'
      xterm -geometry 120x40+900+400 -e sh -c 'ls -l /usr/bin | head -200; sleep 9999' &
      xterm -fa Monospace -title dragged -geometry 100x30+100+100 -e sh -c 'ls -l --color /usr/bin | head -200; sleep 9999' &
      ${found("--name dragged")}
      moves=$(mktemp); trap 'rm -f "$moves"' EXIT; i=0
      while [ $i -lt 500 ]; do
        i=$((i + 1)); along=$((i * 12 % 2000))
        [ $along -gt 1000 ] && along=$((2000 - along))
        echo "windowmove $window $((100 + along)) $((50 + i * 4 % 400))"
        echo "getmouselocation"; echo "sleep 0.012" # what it asks for makes it send the move
      done > "$moves"
      while :; do xdotool "$moves"; done`,
  },
  "a page is scrolled": {
    needs: ["chromium", "openbox", "xev", "xprop", "xdotool"],
    manager: "openbox",
    script: `
      home=$(mktemp -d); trap 'rm -rf "$home"' EXIT; i=0
      { echo '<!doctype html><body style="font:16px sans-serif;margin:2em">'
        while [ $i -lt 300 ]; do i=$((i + 1))
          echo "<h2>Chapter $i</h2><div style='height:150px;background:linear-gradient($((i * 37))deg,#29f,#f$((i % 10))4,#4c$((i % 10)))'></div><p>"
          head -c 900 /usr/share/common-licenses/GPL-3 | tr '\\n' ' '; echo '</p>'
        done; } > "$home/page.html"
      chromium --no-sandbox --no-first-run --password-store=basic --user-data-dir="$home/profile" --window-position=0,0 \\
        --window-size=1900,1040 --disable-gpu "file://$home/page.html" &
      ${found("--name Chromium")}
      sleep 4; xdotool mousemove 900 600
      while :; do
        for n in $(seq 40); do xdotool click 5; sleep 0.05; done
        for n in $(seq 40); do xdotool click 4; sleep 0.05; done
      done`,
  },
  "a video": {
    needs: ["ffplay"],
    script: "exec ffplay -loglevel quiet -nostats -f lavfi -i mandelbrot=size=1280x720:rate=30 " +
      "-noborder -left 100 -top 100 -x 1280 -y 720",
  },
  "a person types": {
    needs: ["xterm", "openbox", "xev", "xprop", "xdotool", "xsetroot"],
    manager: "openbox",
    script: `
      xsetroot -solid '#336699'
      xterm -fa Monospace -geometry 100x30+100+100 -e cat &
      ${found("--class xterm")}
      sleep 1; xdotool mousemove 300 300 click 1
      while :; do for key in h e l l o space w o r l d Return; do xdotool key $key; sleep 0.1; done; done`,
  },
  "nothing changes": { needs: ["xsetroot"], script: "xsetroot -solid '#336699'; exec sleep 9999" },
} as const satisfies Record<string, SceneRow>;
/** A name of {@linkcode SCENES}. */
export type SceneName = keyof typeof SCENES;

/** A scene playing on an X server. `await using` ends it. */
export class Scene {
  readonly #shell: Deno.ChildProcess;

  private constructor(server: Xvfb, script: string, readonly manager: Client | undefined) {
    this.#shell = new Deno.Command("sh", {
      args: ["-c", script],
      env: server.env,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  /** Starts a scene, after its window manager. */
  static async start(server: Xvfb, name: SceneName): Promise<Scene> {
    const { script, manager }: SceneRow = SCENES[name];
    return new Scene(server, script, manager ? await server.manager(manager) : undefined);
  }

  /** Stops all of the scene's programs in their current state. */
  async freeze(): Promise<void> {
    const stopped = () =>
      this.#processes().every((pid) => {
        const state = stateOf(pid);
        if (state === "T" || state === "Z" || state === undefined) return true;
        signal(pid, "SIGSTOP");
        return false;
      });
    await until(stopped); // a program started meanwhile is found by the next check
  }

  async [Symbol.asyncDispose]() {
    await this.freeze(); // so that none starts another while they are being ended
    const all = this.#processes();
    for (const pid of all) signal(pid, "SIGTERM"); // the shell removes its folder
    for (const pid of all) signal(pid, "SIGCONT");
    await until(() => all.every((pid) => [undefined, "Z"].includes(stateOf(pid)) || !signal(pid, "SIGKILL")));
    await this.#shell.status;
    await this.manager?.[Symbol.asyncDispose]();
  }

  #processes(): number[] {
    return [...processTree(this.#shell.pid), ...this.manager ? processTree(this.manager.pid) : []];
  }
}

/** A process and all its descendants. */
export function processTree(pid: number): number[] {
  const found = [pid];
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/task`)) {
      const children = Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`).trim();
      for (const child of children ? children.split(" ") : []) found.push(...processTree(Number(child)));
    }
  } catch {
    // It has exited.
  }
  return found;
}

/** The state of a process as in proc(5); undefined if it has exited. */
function stateOf(pid: number): string | undefined {
  try {
    return /\) (\S)/.exec(Deno.readTextFileSync(`/proc/${pid}/stat`))?.[1];
  } catch {
    return undefined;
  }
}

/** Sends a signal to a process. @returns Whether the process still existed. */
export function signal(pid: number, name: Deno.Signal): boolean {
  try {
    Deno.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
