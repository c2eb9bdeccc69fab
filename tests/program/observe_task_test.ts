/**
 * A task of twenty steps in three programs: the calls that an agent saves if it reads the effects of its
 * calls.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { pictureSize } from "../../control/image/read_picture.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary, until } from "../support/shell.ts";
import { homeOf, Xvfb } from "../support/xvfb.ts";

const BOARD = fromFileUrl(new URL("../support/observed_board.py", import.meta.url));
const PYTHON = "/usr/bin/python3";
/** Pixels of a tile, which costs one token (view.ts). */
const TILE = 28;

/** A part of an answer. */
interface Part {
  type: string;
  text?: string;
  data?: string;
}

/** The cost of answers for a model. */
class Cost {
  /** Screenshots received. */
  observations = 0;
  tokens = 0;

  add(answer: readonly Part[]): void {
    for (const { text, data } of answer) {
      if (text !== undefined) this.tokens += encode(text).length;
      if (data === undefined) continue;
      const { width, height } = pictureSize(Uint8Array.fromBase64(data));
      this.observations++;
      this.tokens += Math.ceil(width / TILE) * Math.ceil(height / TILE);
    }
  }
}

/**
 * An agent that takes a screenshot only when needed: of a program that it does not know yet, and after a call
 * without the intended effect. The test compares it with an agent that takes a screenshot after each step.
 */
class Agent implements AsyncDisposable {
  steps = 0;
  readonly own = new Cost();
  readonly looking = new Cost();

  private constructor(readonly client: Client) {}

  static async connect(url: string): Promise<Agent> {
    const client = new Client({ name: "scripted", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)));
    return new Agent(client);
  }

  /** Performs a step. @returns The effect that the answer reports. */
  async step(name: string, given: Record<string, unknown>): Promise<string> {
    const answer = await this.#call(name, given), line = answer[0].text!.split("\n").at(-1)!;
    this.steps++;
    this.own.add(answer);
    this.looking.add(answer.filter(({ type }) => type === "text"));
    this.looking.add(await this.#call("screenshot", {}));
    if (!/^(hit|active)/.test(line)) await this.look();
    return line;
  }

  async look(): Promise<void> {
    this.own.add(await this.#call("screenshot", {}));
  }

  async #call(name: string, given: Record<string, unknown>): Promise<Part[]> {
    const { content, isError } = await this.client.callTool({ name, arguments: given });
    assert(!isError, JSON.stringify(content));
    return content as Part[];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.close();
  }
}

Deno.test({
  name: "twenty steps in three programs need a third of the screenshots and a quarter of the tokens",
  ...need("Xvfb", "openbox", "xev", "xprop", "mousepad", "xterm", PYTHON),
  fn: () =>
    temporary(async (folder) => {
      await using server = await Xvfb.start({ width: 1920, height: 1080 });
      await using _manager = await server.manager("openbox");
      await using board = server.spawn(PYTHON, BOARD);
      const env = { ...server.env, ...homeOf(folder), PS1: "$ " };
      const options = ["--http", "0", "--desktop", "x11", "--agent-open", "mousepad,xterm"];
      await using program = new Program(options, { env });
      await using agent = await Agent.connect(await program.controlUrl());
      await board.printing((printed) => printed.includes("beside"));
      const buttons = [...board.printed.matchAll(/button \d+ (\d+) (\d+)/g)].map(([, x, y]) => ({
        x: Math.round(Number(x) * 1456 / 1920),
        y: Math.round(Number(y) * 1456 / 1920),
      }));

      await agent.look();
      for (const button of buttons.slice(0, 3)) await agent.step("click", button);
      const missed = await agent.step("click", { x: buttons[3].x + 53, y: buttons[3].y + 32 });
      assertMatch(missed, /^(miss|unsure): /);
      await agent.step("click", buttons[3]);
      await agent.step("click", buttons[4]);
      await board.printing((printed) => printed.split("press").length - 1 >= 5);
      assertEquals(board.printed.split("press").length - 1, 5);

      assertMatch(await agent.step("open", { program: "mousepad", look: "window" }), /Mousepad" \(new\)/);
      await agent.step("type", { text: "first line" });
      await agent.step("key", { keys: "Return" });
      await agent.step("type", { text: "second line" });
      assertMatch(await agent.step("key", { keys: "ctrl+s" }), /^hit; active: "Save As" \(new\)$/);
      await agent.step("type", { text: join(folder, "notes.txt") });
      await agent.step("key", { keys: "Return" });
      const notes = () => Deno.readTextFile(join(folder, "notes.txt")).catch(() => "");
      await until(notes, (text) => text.trimEnd() === "first line\nsecond line");

      assertMatch(await agent.step("open", { program: "xterm", look: "window" }), /^active: .* \(new\)/);
      await agent.step("type", { text: `cp '${folder}/notes.txt' '${folder}/copy.txt'` });
      await agent.step("key", { keys: "Return" });
      await agent.step("type", { text: `ls '${folder}'` });
      await agent.step("key", { keys: "Return" });
      await agent.step("type", { text: "exit" });
      assertMatch(await agent.step("key", { keys: "Return" }), /^hit; active: .*, closed /);
      assertEquals((await Deno.readTextFile(join(folder, "copy.txt"))).trimEnd(), "first line\nsecond line");

      const { steps, own, looking } = agent;
      assertEquals([steps, looking.observations], [20, 20]);
      const counted = JSON.stringify({ own, looking });
      assert(own.observations * 3 <= looking.observations, counted);
      assert(own.tokens * 4 <= looking.tokens, counted);
      if (Deno.env.has("SHOW")) console.log(counted);
    }),
});
