/** The control API compared with commands, libraries and a bare server. */

import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { command, commandsPerSecond, type Contest, contest, has, residentMb, wrk } from "./measure.ts";
import { constantServer } from "./servers.ts";
import { type Row, rowsOf } from "./table.ts";

const PIXELS = { width: 1920, height: 1080 };

/** Measures the control API on a 1920x1080 desktop. */
export async function controlRows(): Promise<Row[]> {
  await using server = await Xvfb.start(PIXELS);
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  const rows = [
    ...await looking(url),
    ...await pictures(url, "bmp", "1", "10 of the best", server.env),
    ...await pictures(url, "png", undefined, "3", server.env),
    ...await acting(url, server.env),
    ...await lateness(url),
  ];
  const memory = `${await residentMb(program.pid)} MB`;
  return [...rows, { what: "memory after all that", ours: memory, against: "", theirs: "", aim: "stated" }];
}

async function looking(url: string): Promise<Row[]> {
  const position = `${url}/api/position`;
  const answer = await fetch(position);
  const own = [...answer.headers].filter(([name]) => name !== "date");
  const json = await answer.text();
  await using bare = await constantServer(json);
  await using withHeaders = await constantServer(json, own);
  const best = await contest({
    deskhand: () => wrk(position, { connections: 32 }),
    "bare Deno.serve": () => wrk(bare.url, { connections: 32 }),
    "bare Deno.serve, our headers": () => wrk(withHeaders.url, { connections: 32 }),
  });
  return rowsOf("position, 32 connections", best, (name) => name === "bare Deno.serve" ? "0.6" : "none");
}

async function pictures(
  url: string,
  format: string,
  bareAim: string | undefined,
  commandAim: string,
  env: Record<string, string>,
): Promise<Row[]> {
  await using bare = await constantServer(PIXELS.width * PIXELS.height * 4 + 66);
  const file = await Deno.makeTempFile({ suffix: `.${format}` });
  const contestants: Contest<string> = {
    deskhand: () => wrk(`${url}/api/screenshot?format=${format}`, { connections: 1 }),
  };
  if (bareAim) contestants["bare Deno.serve of an array"] = () => wrk(bare.url, { connections: 1 });
  for (const [name, args] of [["maim", []], ["scrot", ["-o"]], ["import", ["-window", "root"]]] as const) {
    if (await has(name)) contestants[`${name} command`] = () => commandsPerSecond(name, [...args, file], env);
  }
  try {
    return rowsOf(
      `screenshot, ${format.toUpperCase()}, 1 connection`,
      await contest(contestants),
      (name) => name.startsWith("bare") ? bareAim! : commandAim,
    );
  } finally {
    await Deno.remove(file);
  }
}

async function acting(url: string, env: Record<string, string>): Promise<Row[]> {
  const inProcess = await nutJs(env);
  const rows: Row[] = [];
  for (
    const [what, body, args] of [
      ["move", { x: 5, y: 6 }, ["mousemove", "5", "6"]],
      ["click", { x: 5, y: 6, button: "left" }, ["mousemove", "5", "6", "click", "1"]],
    ] as [string, object, string[]][]
  ) {
    const best = await contest({
      deskhand: () => wrk(`${url}/api/${what}`, { connections: 1, body }),
      "xdotool command": () => commandsPerSecond("xdotool", args, env),
    });
    rows.push(...rowsOf(`${what}, 1 connection`, best, () => "10"));
    if (inProcess) {
      rows.push(
        ...rowsOf(
          `${what}, 1 connection`,
          { deskhand: best.deskhand, "nut.js in process": inProcess[what] },
          () => "0.33",
        ),
      );
    }
  }
  return rows;
}

/** Measures nut.js in a separate Node process, one second each; undefined if it is not installed. */
async function nutJs(env: Record<string, string>): Promise<Record<string, number> | undefined> {
  const { stdout } = await new Deno.Command("npm", { args: ["root", "-g"], stderr: "null" }).output();
  const { success, stdout: json } = await new Deno.Command("node", {
    args: [fromFileUrl(new URL("./nut.cjs", import.meta.url))],
    env: { ...env, NODE_PATH: new TextDecoder().decode(stdout).trim() },
    stderr: "null",
  }).output();
  if (success) return JSON.parse(new TextDecoder().decode(json));
  console.error("@nut-tree-fork/nut-js is not installed: it is left out");
}

/** A thousand moves 8 ms apart, alone and during requests. */
async function lateness(url: string): Promise<Row[]> {
  const events = Array.from({ length: 1000 }, (_, i) => ({ t: i * 8, type: "move", x: i, y: i % 700 }));
  const body = JSON.stringify({
    format: "deskhand-recording",
    version: 1,
    desktop: PIXELS,
    started: "2026-01-01T00:00:00Z",
    events,
  });
  await (await fetch(`${url}/api/recording`, { method: "PUT", body })).body?.cancel();
  const rows: Row[] = [];
  for (const loaded of [false, true]) {
    await command("curl", ["-sf", "-X", "POST", "-d", "{}", `${url}/api/recording/play`]);
    let state;
    do {
      if (loaded) await wrk(`${url}/api/position`, { connections: 8 });
      else await delay(300);
      state = await (await fetch(`${url}/api/recording/state`)).json();
    } while (state.state !== "idle");
    const { medianLatenessMs, p99LatenessMs, maxLatenessMs } = state.result;
    const ms = [medianLatenessMs, p99LatenessMs, maxLatenessMs].map((value: number) => value.toFixed(2));
    rows.push({
      what: `replay, 1000 events${loaded ? ", under load" : ""}: late by`,
      ours: `median ${ms[0]}, 99 % ${ms[1]}, most ${ms[2]} ms`,
      against: "",
      theirs: "",
      aim: "0.3 and 1 ms",
    });
  }
  return rows;
}
