/** Programs to click at, with buttons whose places and presses they tell, and empty places beside them. */

import { fromFileUrl } from "@std/path";
import type { Point } from "../control/desktop/desktop.ts";
import { until } from "../tests/support/shell.ts";
import type { Xvfb } from "../tests/support/xvfb.ts";

const fileOf = (name: string) => fromFileUrl(new URL(name, import.meta.url));
const PYTHON = "/usr/bin/python3", GTK = fileOf("../tests/support/observed_board.py");
/** Size of a character of the terminal's font, and the border around its text, in pixels. */
const CELL = { width: 6, height: 13, border: 2 };

/** A running program. */
export interface Board extends AsyncDisposable {
  /** Middles of its buttons, in pixels of the screen. */
  buttons: Point[];
  /** A place without any control, as an offset from a button's middle. */
  beside: Point;
  /** The number of presses that the board's buttons got. */
  presses(): number;
}

/** Parts of a board in the making: `printed` is the program's output so far. */
interface Start {
  parts: AsyncDisposableStack;
  printed(): string;
}

/** Starts the program of GTK without animations. */
export const stillBoard = (server: Xvfb): Promise<Board> => printing(server, GTK, "still");

/** Starts the programs, by name, in windows whose titles are these names. */
export const BOARDS: Readonly<Record<string, (server: Xvfb) => Promise<Board>>> = {
  GTK: (server) => printing(server, GTK),
  Qt: (server) => printing(server, fileOf("boards/qt.py")),
  xterm: startTerminal,
  Chromium: startChromium,
};

async function printing(server: Xvfb, file: string, ...args: string[]): Promise<Board> {
  const parts = new AsyncDisposableStack();
  const program = parts.use(server.spawn(PYTHON, file, ...args));
  return await board({ parts, printed: () => program.printed }, { x: 70, y: 42 });
}

async function startTerminal(server: Xvfb): Promise<Board> {
  const parts = new AsyncDisposableStack(), file = await Deno.makeTempFile();
  parts.defer(() => Deno.remove(file));
  const command = [PYTHON, fileOf("boards/terminal.py"), file];
  const options = ["-T", "xterm", "-bc", "-fn", "6x13", "-geometry", "80x24+700+40"];
  parts.use(server.spawn("xterm", ...options, "-e", ...command));
  const window = await server.window("--name", "xterm");
  const made = await board({ parts, printed: () => Deno.readTextFileSync(file) }, { x: 54, y: 26 });
  const geometry = await server.run("xwininfo", "-id", window);
  const [x, y] = ["X", "Y"].map((name) =>
    Number(new RegExp(`Absolute upper-left ${name}: +(\\d+)`).exec(geometry)![1])
  );
  for (const point of made.buttons) {
    point.x = x + CELL.border + point.x * CELL.width;
    point.y = y + CELL.border + Math.round((point.y + 0.5) * CELL.height);
  }
  return made;
}

async function startChromium(server: Xvfb): Promise<Board> {
  const parts = new AsyncDisposableStack(), profile = await Deno.makeTempDir();
  let printed = "";
  const page = await Deno.readTextFile(fileOf("boards/page.html"));
  const server_ = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    if (request.method === "POST") printed += `${await request.text()}\n`;
    return new Response(page, { headers: { "content-type": "text/html" } });
  });
  parts.defer(() => Deno.remove(profile, { recursive: true }).catch(() => {}));
  parts.use(server_);
  const url = `--app=http://127.0.0.1:${server_.addr.port}/`;
  const options = [
    "--no-sandbox",
    "--no-first-run",
    "--password-store=basic",
    "--disable-gpu",
    `--user-data-dir=${profile}`,
  ];
  parts.use(server.spawn("chromium", ...options, "--window-position=20,520", "--window-size=620,460", url));
  await server.window("--name", "Chromium");
  await until(async () => {
    await server.run("xdotool", "mousemove", "300", "800", "mousemove", "301", "801");
    return printed.includes("beside");
  });
  return await board({ parts, printed: () => printed }, { x: 70, y: 42 });
}

async function board({ parts, printed }: Start, beside: Point): Promise<Board> {
  await until(printed, (text) => text.includes("beside"));
  const buttons = [...printed().matchAll(/button \d+ (\d+) (\d+)/g)].map(([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));
  return {
    buttons,
    beside,
    presses: () => printed().split("press").length - 1,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
