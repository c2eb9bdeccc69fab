/**
 * Draws docs/images/session.svg: a terminal in which deskhand is started and asked by curl. Every command is run.
 *
 *     deno task picture
 */

import { stripAnsiCode } from "@std/fmt/colors";
import { escape } from "@std/html";
import { dirname, fromFileUrl, join } from "@std/path";

/** The command that is typed first; the session ends with it. */
const SERVER = "deskhand --http --files --desktop virtual";
/** The commands typed in another terminal, in this order. */
const COMMANDS = [
  "curl localhost:4000/api/position",
  `curl localhost:4000/api/move -d '{"x":400,"y":300}'`,
  `curl localhost:4000/api/click -d '{"x":400,"y":300,"button":"left"}'`,
  "curl -s localhost:4000/api/screenshot -o screen.bmp; file -b screen.bmp | cut -d, -f1-3",
  "curl -sr 0-10 localhost:4001/notes.txt",
];
const FILES = { "notes.txt": "two servers for a desktop\n" };
/** An example token, because everyone sees the picture. */
const TOKEN = "Example0Token0that0nobody0uses0anywhere0123";
/** The folder's name in the picture. */
const FOLDER = "/home/ada/Public";

const MAIN = fromFileUrl(new URL("../main.ts", import.meta.url));
/** The path of the picture. */
export const PICTURE = fromFileUrl(new URL("../docs/images/session.svg", import.meta.url));
const PATIENCE_MS = 60_000;
const COLUMNS = 100;

/** A line of the terminal. */
interface Line {
  text: string;
  typed: boolean;
}

/**
 * Runs the session, on free ports.
 * @returns Its lines, with the default ports.
 */
export async function record(): Promise<Line[]> {
  const temporary = await Deno.makeTempDir(), folder = join(temporary, "Public");
  try {
    await Deno.mkdir(folder);
    for (const [name, text] of Object.entries(FILES)) await Deno.writeTextFile(join(folder, name), text);
    await Deno.mkdir(join(temporary, "deskhand"), { mode: 0o700 });
    await Deno.writeTextFile(join(temporary, "deskhand/token"), TOKEN, { mode: 0o600 });
    // script(1) provides a terminal, on which deskhand prints what a user needs.
    const start = `stty cols ${COLUMNS}; exec '${Deno.execPath()}' run -q -A '${MAIN}' --http 0 --files ` +
      "--files-port 0 --desktop virtual";
    const server = new Deno.Command("script", {
      args: ["-qfec", start, "/dev/null"],
      cwd: folder,
      env: { XDG_STATE_HOME: temporary, NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    try {
      return await session(folder, await startMessage(server));
    } finally {
      await server.stdin.close(); // it exits when its terminal closes
      await server.status;
    }
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

/** The session, once the servers have printed their message. */
async function session(folder: string, message: string): Promise<Line[]> {
  const [http, files] = [/^HTTP server started on port (\d+)/m, /^File server started on port (\d+)/m]
    .map((pattern) => pattern.exec(message)![1]);
  const shown = message.replaceAll(http, "4000").replaceAll(files, "4001").replaceAll(folder, FOLDER);
  const lines: Line[] = [
    { text: SERVER, typed: true },
    ...printed(shown),
    ...printed("\nIn another terminal:"),
  ];
  for (const command of COMMANDS) {
    lines.push({ text: command, typed: true });
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-c", command.replaceAll(":4000", `:${http}`).replaceAll(":4001", `:${files}`)],
      cwd: folder,
      env: { LC_ALL: "C.UTF-8" },
    }).output();
    if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
    lines.push(...printed(new TextDecoder().decode(stdout)));
  }
  return lines;
}

function printed(text: string): Line[] {
  return text.replace(/\n$/, "").split("\n").map((text) => ({ text, typed: false }));
}

/** The servers' output, up to the line that says how to stop. */
async function startMessage(server: Deno.ChildProcess): Promise<string> {
  let text = "";
  const timer = setTimeout(() => server.kill("SIGKILL"), PATIENCE_MS);
  const reader = server.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the servers did not open:\n${text}`);
      text += stripAnsiCode(value).replaceAll("\r", "");
      const end = text.indexOf("\n> "); // the prompt
      if (end >= 0) return text.slice(0, end);
    }
  } finally {
    clearTimeout(timer);
    reader.cancel();
  }
}

/** Draws the terminal as SVG, assuming the glyph width of most monospaced fonts. */
export function draw(lines: readonly Line[]): string {
  const size = 14, width = size * 0.602, height = 20, margin = 20, bar = 34;
  const columns = Math.max(...lines.map(({ text, typed }) => text.length + (typed ? 2 : 0)));
  const w = Math.ceil(columns * width + 2 * margin), h = lines.length * height + 2 * margin + bar;
  const rows = lines.map(({ text, typed }, index) => {
    const y = bar + margin + index * height + size;
    const dollar = typed ? '<tspan class="d">$ </tspan>' : "";
    return `<text x="${margin}" y="${y}"${typed ? ' class="t"' : ""}>${dollar}${escape(text)}</text>`;
  });
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map((color, index) =>
    `<circle cx="${margin + index * 20}" cy="${bar / 2}" r="6" fill="${color}"/>`
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}" role="img"`,
    ` aria-label="deskhand in a terminal, started and asked by curl">`,
    `<style>text{font:${size}px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#c9d1d9;`,
    `white-space:pre}.t{fill:#fff;font-weight:600}.d{fill:#7ee787}</style>`,
    `<rect width="${w}" height="${h}" rx="8" fill="#161b22"/>`,
    ...dots,
    ...rows,
    "</svg>\n",
  ].join("\n");
}

if (import.meta.main) {
  const lines = await record();
  await Deno.mkdir(dirname(PICTURE), { recursive: true });
  await Deno.writeTextFile(PICTURE, draw(lines));
  for (const { text, typed } of lines) console.log((typed ? "$ " : "") + text);
}
