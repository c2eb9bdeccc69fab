/**
 * Draws docs/images/session.svg: a terminal in which deskhand is started and asked by curl. Every command is run
 *
 *     deno task picture
 */

import { delay } from "@std/async/delay";
import { escape } from "@std/html";
import { dirname, fromFileUrl, join } from "@std/path";

/** What is typed, in this order. The first goes on in the background, and the session ends with it. */
const SERVER = "deskhand --http --files --desktop virtual &";
const COMMANDS = [
  "curl localhost:4000/api/position",
  `curl localhost:4000/api/move -d '{"x":400,"y":300}'`,
  `curl localhost:4000/api/click -d '{"x":400,"y":300,"button":"left"}'`,
  "curl -s localhost:4000/api/screenshot -o screen.bmp; file -b screen.bmp | cut -d, -f1-3",
  "curl -sr 0-8 localhost:4001/notes.txt",
];
const FILES = { "notes.txt": "two servers for a desktop\n" };

const MAIN = fromFileUrl(new URL("../main.ts", import.meta.url));
const PICTURE = fromFileUrl(new URL("../docs/images/session.svg", import.meta.url));
const PATIENCE_MS = 30_000;

/** A line of the terminal. */
interface Line {
  text: string;
  typed: boolean;
}

async function record(): Promise<Line[]> {
  const temporary = await Deno.makeTempDir();
  const folder = join(temporary, "Public");
  const lines: Line[] = [];
  const prints = (text: string) =>
    lines.push(...text.replace(/\n$/, "").split("\n").map((text) => ({ text, typed: false })));
  try {
    await Deno.mkdir(folder);
    for (const [name, text] of Object.entries(FILES)) await Deno.writeTextFile(join(folder, name), text);
    lines.push({ text: SERVER, typed: true });
    const server = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", MAIN, ...SERVER.split(" ").slice(1, -1)],
      cwd: folder,
      env: { XDG_STATE_HOME: temporary, NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    try {
      prints(await startMessage(server));
      for (const command of COMMANDS) {
        lines.push({ text: command, typed: true });
        const { success, stdout, stderr } = await new Deno.Command("bash", {
          args: ["-c", command],
          cwd: folder,
          env: { LC_ALL: "C.UTF-8" },
        }).output();
        if (!success) throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
        prints(new TextDecoder().decode(stdout));
      }
    } finally {
      server.kill();
      await server.status;
    }
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
  return lines;
}

/** What the server prints until both servers are open, and then nothing more for a moment. */
async function startMessage(server: Deno.ChildProcess): Promise<string> {
  let printed = "", changed = Date.now();
  (async () => {
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text;
      changed = Date.now();
    }
  })();
  for (const start = Date.now(); Date.now() - start < PATIENCE_MS;) {
    if (/^HTTP server/m.test(printed) && /^File server/m.test(printed) && Date.now() - changed > 500) {
      return printed;
    }
    await delay(20);
  }
  throw new Error(`the servers did not open:\n${printed}`);
}

/** The terminal as SVG; a glyph is taken for as wide as most monospaced fonts have it. */
function draw(lines: Line[]): string {
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
