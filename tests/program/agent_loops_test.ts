/** The loops of docs/agent-models.md, run as printed, with a server that plays the model. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { temporary } from "../support/shell.ts";

const DOCUMENT = Deno.readTextFileSync(new URL("../../docs/agent-models.md", import.meta.url));

/** A loop's source code. */
function loopIn(language: string): string {
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(DOCUMENT)![1];
}

/** The fields of a model request that the test reads. */
type Asked = Record<string, unknown>;

/** A loop and its model's answers, in order; the last answer ends the loop. */
interface Loop {
  language: string;
  /** The program that runs the loop, in addition to Deno. */
  programs: string[];
  /** The loop's model address, and its request path. */
  model: string;
  path: string;
  answers: unknown[];
  /** Runs a file that contains the loop. */
  command: (file: string) => [string, ...string[]];
}

const LOOPS: Loop[] = [
  {
    language: "python",
    programs: ["python3"],
    model: "https://api.anthropic.com",
    path: "/v1/messages",
    answers: [
      {
        content: [
          { type: "tool_use", id: "1", toolset_name: "computer", name: "screenshot", input: {} },
          {
            type: "tool_use",
            id: "2",
            toolset_name: "computer",
            name: "left_click",
            input: { coordinate: [30, 40] },
          },
        ],
      },
      { content: [{ type: "text", text: "The menu has nothing in it." }] },
    ],
    command: (file) => ["python3", file],
  },
  {
    language: "ts",
    programs: [],
    model: "https://api.openai.com",
    path: "/v1/responses",
    answers: [
      {
        id: "a",
        output: [{
          type: "computer_call",
          call_id: "1",
          actions: [{ type: "screenshot" }, { type: "click", x: 30, y: 40, button: "left" }],
        }],
      },
      { id: "b", output: [], output_text: "The menu has nothing in it." },
    ],
    command: (file) => [Deno.execPath(), "run", "-A", "--no-config", file],
  },
];

/** Plays the model. */
function model({ answers, path }: Loop) {
  const asked: Asked[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    assertEquals(new URL(request.url).pathname, path);
    return Response.json(answers[asked.push(await request.json()) - 1]);
  });
  return {
    asked,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

for (const loop of LOOPS) {
  const { language, command } = loop, code = loopIn(language);
  Deno.test({
    name: `the loop in ${language} does what the model asks for, and sends it screenshots`,
    ...need(...loop.programs),
    async fn() {
      assert(code.trimEnd().split("\n").length <= 30, "it is as short as it says");
      await using program = new Program(["--http", "0", "--desktop", "virtual"]);
      await using played = model(loop);
      const url = await program.controlUrl();
      await temporary(async (folder) => {
        const file = join(folder, `loop.${language}`);
        await Deno.writeTextFile(
          file,
          code.replaceAll("http://localhost:4000", url).replaceAll(loop.model, played.url),
        );
        const [name, ...args] = command(file);
        const env = { MODEL: "played", ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key" };
        const { stdout, stderr } = await new Deno.Command(name, { args, env, stdin: "null" }).output();
        assertEquals(
          new TextDecoder().decode(stdout),
          "The menu has nothing in it.\n",
          new TextDecoder().decode(stderr),
        );
      });
      const { actions } = await (await fetch(`${url}/api/history`)).json();
      assertEquals(actions.slice(0, 1), [{ type: "move", x: 30, y: 40 }]);
      assertEquals(actions.length, 3);
      assertEquals(played.asked.length, 2);
      assertStringIncludes(JSON.stringify(played.asked[1]), "iVBORw0KGgo"); // a PNG file in base64
    },
  });
}
