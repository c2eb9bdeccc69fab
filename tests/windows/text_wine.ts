/** Text on the screen, an observed click and a trace, on a dialog of Windows' own controls. */

import { assert, assertEquals } from "@std/assert";
import { parseLine } from "../../control/trace/entry.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";
import { Dialog } from "./dialog_program.ts";

Deno.test("finds and clicks a button by its text, observes the effect, and traces it", () =>
  temporary(async (folder) => {
    await using program = new Program(["--desktop", "auto", "--http", "0", "--trace", folder]);
    const url = await program.controlUrl();
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) });
      const json = await answer.json();
      assertEquals(answer.status, 200, `${path}: ${JSON.stringify(json)}`);
      return json;
    };
    await using dialog = await Dialog.open("letters");
    await post("wait", { text: { text: "Save", source: "screen" }, timeout_ms: 60_000 });
    const click = { text: "Save", click: "left", source: "screen", observe: true };
    const { matches: [match], seen } = await post("find", click);
    assertEquals([match.text, match.source], ["Save", "screen"]);
    assert(seen.verdict !== "miss", seen.reason);
    assertEquals((await dialog.pressed()).pressed, 21);

    const { file, pictures } = await post("trace/stop", {});
    const entries = (await Deno.readTextFile(file)).split("\n").map(parseLine).filter((line) =>
      line !== undefined
    );
    const clicked = entries.find((entry) => entry.kind === "action" && entry.name === "clickText");
    assertEquals(clicked?.kind === "action" && clicked.seen?.verdict, seen.verdict);
    assertEquals(entries.filter(({ kind }) => kind === "picture").length, pictures);
    assert(pictures >= 2, `${pictures} pictures`);
  }));
