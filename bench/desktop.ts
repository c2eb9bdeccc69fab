/** Windows and the clipboard of an X11 desktop, compared with the usual commands. */

import { Program } from "../tests/support/program.ts";
import { until } from "../tests/support/shell.ts";
import { type Client, Xvfb } from "../tests/support/xvfb.ts";
import { commandsPerSecond, type Contest, contest, has, wrk } from "./measure.ts";
import { type Row, rowsOf } from "./table.ts";

const WINDOWS = 20;
/** Lengths of a short and a long text, in characters. */
const TEXTS = { "100 characters": 100, "5 million characters": 5_000_000 };

/** Measures actions on a 1920x1080 desktop under openbox. */
export async function desktopRows(): Promise<Row[]> {
  if (!await has("openbox") || !await has("xclock")) {
    console.error("openbox or xclock is not installed: windows and clipboard are left out");
    return [];
  }
  await using server = await Xvfb.start({ width: 1920, height: 1080 });
  await using clients = new AsyncDisposableStack();
  const start = (program: string, ...args: string[]): Client => clients.use(server.spawn(program, ...args));
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  for (let i = 0; i < WINDOWS; i++) {
    start("xclock", "-title", `clock ${i}`, "-geometry", `200x150+${40 + 70 * i}+${30 + 40 * i}`);
  }
  const count = async () => (await (await fetch(`${url}/api/windows`)).json()).windows.length;
  await until(count, (windows) => windows === WINDOWS);
  start("openbox"); // it adopts the existing windows
  await until(
    () => server.run("xprop", "-root", "_NET_CLIENT_LIST"),
    (ids) => ids.split("0x").length > WINDOWS,
  );
  return [...await windows(url, server.env), ...await clipboard(url, server.env)];
}

async function windows(url: string, env: Record<string, string>): Promise<Row[]> {
  const contestants: Contest<string> = {
    deskhand: () => wrk(`${url}/api/windows`, { connections: 1 }),
  };
  if (await has("wmctrl")) contestants["wmctrl -l"] = () => commandsPerSecond("wmctrl", ["-l"], env);
  if (await has("xdotool")) {
    contestants["xdotool search"] = () =>
      commandsPerSecond("xdotool", ["search", "--onlyvisible", "--name", "clock"], env);
  }
  return rowsOf(`list of ${WINDOWS} windows, 1 connection`, await contest(contestants), () => "1");
}

async function clipboard(url: string, env: Record<string, string>): Promise<Row[]> {
  if (!await has("xclip")) return [];
  const path = `${url}/api/clipboard`, file = await Deno.makeTempFile();
  const rows: Row[] = [];
  try {
    for (const [length, characters] of Object.entries(TEXTS)) {
      const text = "deskhand 0123456789 äöüß\n".repeat(characters / 25);
      await Deno.writeTextFile(file, text);
      const xclip = (...args: string[]) =>
        commandsPerSecond("xclip", ["-selection", "clipboard", ...args], env);
      const written = await contest({
        deskhand: () => wrk(path, { connections: 1, body: { text }, method: "PUT" }),
        xclip: () => xclip("-i", file),
      });
      rows.push(...rowsOf(`copy ${length}, 1 connection`, written, () => "1"));
      await xclip("-i", file); // the owner that both read from
      const read = await contest({
        deskhand: async () => {
          const rate = await wrk(path, { connections: 1 });
          await (await fetch(path)).bytes(); // the last read must end: xclip serves one program at a time
          return rate;
        },
        xclip: () => xclip("-o"),
      });
      rows.push(...rowsOf(`paste ${length}, 1 connection`, read, () => "1"));
    }
  } finally {
    await Deno.remove(file);
  }
  return rows;
}
