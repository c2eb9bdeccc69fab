/**
 * Measures deskhand beside its peers, in one run, and prints a table for docs/benchmarks.md.
 *
 *     deno task bench
 *
 * Wants wrk; peers that are not installed are named as missing (nginx-light, maim, scrot, imagemagick, xdotool).
 */

import { Program } from "../tests/support/program.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { command, constantServer, has, nginxServer, perSecond, residentMb, wrk } from "./measure.ts";

const rows: string[] = [];

function row(
  what: string,
  ours: string,
  peer: string,
  theirs: string,
  ratio: number | undefined,
  aim: string,
) {
  const line = `| ${what} | ${ours} | ${peer} | ${theirs} | ${
    ratio === undefined ? "" : ratio.toFixed(2)
  } | ${aim} |`;
  rows.push(line);
  console.log(line);
}

const rate = (value: number) =>
  `${value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1)}/s`;

async function post(url: string, body: unknown) {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  await response.body?.cancel();
}

async function control(): Promise<void> {
  await using server = await Xvfb.start({ width: 1920, height: 1080 });
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  const { env } = server;
  {
    await using bare = await constantServer('{"x":640,"y":360}');
    const ours = await wrk(`${url}/api/position`, 32), theirs = await wrk(bare.url, 32);
    row("position, 32 connections", rate(ours), "bare Deno.serve", rate(theirs), ours / theirs, "0.6");
  }
  {
    await using bare = await constantServer(1920 * 1080 * 4 + 54);
    const ours = await wrk(`${url}/api/screenshot`, 1), theirs = await wrk(bare.url, 1);
    row(
      "screenshot, BMP, 1 connection",
      rate(ours),
      "bare Deno.serve, constant array",
      rate(theirs),
      ours / theirs,
      "1.0",
    );
    for (
      const [name, args] of [["maim", []], ["scrot", ["-o"]], ["import", ["-window", "root"]]] as [
        string,
        string[],
      ][]
    ) {
      if (!await has(name)) row("the same", rate(ours), name, "missing", undefined, "10");
      else {
        const file = await Deno.makeTempFile({ suffix: ".bmp" });
        const peer = await perSecond(() => command(name, [...args, file], env));
        row("the same", rate(ours), `${name}, BMP`, rate(peer), ours / peer, "10 (best)");
        await Deno.remove(file);
      }
    }
  }
  {
    const ours = await wrk(`${url}/api/screenshot?format=png`, 1);
    for (const [name, args] of [["maim", []], ["scrot", ["-o"]]] as [string, string[]][]) {
      if (!await has(name)) row("screenshot, PNG", rate(ours), name, "missing", undefined, "3");
      else {
        const file = await Deno.makeTempFile({ suffix: ".png" });
        const peer = await perSecond(() => command(name, [...args, file], env));
        row("screenshot, PNG", rate(ours), `${name}, PNG`, rate(peer), ours / peer, "3");
        await Deno.remove(file);
      }
    }
  }
  for (
    const [what, body, args] of [
      ["move", { x: 5, y: 6 }, ["mousemove", "5", "6"]],
      ["click", { x: 5, y: 6, button: "left" }, ["mousemove", "5", "6", "click", "1"]],
    ] as [string, object, string[]][]
  ) {
    const ours = await perSecond(() => post(`${url}/api/${what}`, body));
    const theirs = await perSecond(() => command("xdotool", args, env));
    row(`${what}, 1 connection`, rate(ours), "xdotool command", rate(theirs), ours / theirs, "10");
  }
  await lateness(url);
  row("memory after all that", `${await residentMb(program.pid)} MB`, "", "", undefined, "stated");
}

/** A thousand moves 8 ms apart, alone and beside requests. */
async function lateness(url: string): Promise<void> {
  const events = Array.from({ length: 1000 }, (_, i) => ({ t: i * 8, type: "move", x: i, y: i % 700 }));
  const recording = {
    format: "deskhand-recording",
    version: 1,
    desktop: { width: 1920, height: 1080 },
    started: "2026-01-01T00:00:00Z",
    events,
  };
  await (await fetch(`${url}/api/recording`, { method: "PUT", body: JSON.stringify(recording) })).body
    ?.cancel();
  for (const loaded of [false, true]) {
    await post(`${url}/api/recording/play`, {});
    const load = loaded ? wrk(`${url}/api/position`, 8) : undefined;
    let state;
    do {
      await new Promise((resolve) => setTimeout(resolve, 300));
      state = await (await fetch(`${url}/api/recording/state`)).json();
    } while (state.state !== "idle");
    await load;
    const { meanLatenessMs, medianLatenessMs, p99LatenessMs, maxLatenessMs } = state.result;
    const ms = (value: number) => value.toFixed(2);
    row(
      `replay, 1000 events${loaded ? ", under load" : ""}`,
      `median ${ms(medianLatenessMs)}, 99 % ${ms(p99LatenessMs)}, most ${ms(maxLatenessMs)} ms late`,
      "",
      `mean ${ms(meanLatenessMs)} ms`,
      undefined,
      "0.3 and 1 ms",
    );
  }
}

async function files(): Promise<void> {
  const root = await Deno.makeTempDir();
  try {
    await Deno.chmod(root, 0o755);
    await Deno.writeFile(`${root}/4k.bin`, new Uint8Array(4096).fill(7));
    await command("truncate", ["-s", "1G", `${root}/1g.bin`]);
    await using program = new Program(["--files", root, "--files-port", "0"], { env: { DISPLAY: "" } });
    const url = await program.filesUrl();
    if (!await has("nginx")) return row("files", "", "nginx", "missing", undefined, "0.7");
    await using nginx = await nginxServer(root);
    for (
      const [what, headers] of [["4 KB file", []], ["1000-byte range", ["Range: bytes=100-1099"]]] as [
        string,
        string[],
      ][]
    ) {
      const ours = await wrk(`${url}/4k.bin`, 32, headers),
        theirs = await wrk(`${nginx.url}/4k.bin`, 32, headers);
      row(`${what}, 32 connections`, rate(ours), "nginx, one worker", rate(theirs), ours / theirs, "0.7");
    }
    const download = async (from: string) => {
      const start = performance.now();
      await command("curl", ["-s", "-o", "/dev/null", `${from}/1g.bin`]);
      return 1024 / ((performance.now() - start) / 1000);
    };
    await download(url);
    const before = await residentMb(program.pid);
    const ours = await download(url), theirs = await download(nginx.url);
    row(
      "1 GB, 1 connection",
      `${Math.round(ours)} MB/s`,
      "nginx",
      `${Math.round(theirs)} MB/s`,
      ours / theirs,
      "0.5",
    );
    for (let i = 0; i < 4; i++) await download(url);
    row(
      "memory: after 1 GB, after 5 GB more",
      `${before} and ${await residentMb(program.pid)} MB`,
      "",
      "",
      undefined,
      "constant",
    );
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

console.log("| what | deskhand | against | it | ratio | aim |\n| --- | --- | --- | --- | --- | --- |");
await control();
await files();
