/** Elements and windows in both clients, on a GTK form that prints the entered values. */

import { assertEquals } from "@std/assert";
import { Desk } from "../../clients/typescript/src/mod.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { SESSION_BUS, SessionBus } from "../support/session_bus.ts";
import { Xvfb } from "../support/xvfb.ts";
import { installPython, python } from "./pages.ts";

const PROGRAMS = need("Xvfb", "openbox", "zenity", "python3", "pip3");

/** The Python client's script that fills in the form. */
const SCRIPT = `
from deskhand import Conflict, Desk, NotFound
with Desk() as desk:
    desk.action_timeout = 60
    desk.element("button", "OK", title="Ask").focus() # waits for the window, and for its elements
    desk.action_timeout = 0.5
    # zenity gives its fields no names.
    fields = sorted(desk.element("textbox", title="Ask").all(), key=lambda field: field["y"])
    name, city = (desk.element(ref=field["ref"]) for field in fields)
    name.set("Ada")
    city.focus()
    desk.type("Paris")
    print(desk.element("button", "Nothing").exists, desk.element("textbox").exists, len(desk.element("button").all()))
    for wrong, kind in ((desk.element("button", "Nothing"), NotFound), (desk.element("textbox"), Conflict)):
        try:
            wrong.click()
        except kind as error:
            print(error.status)
    ref = desk.element("button", "OK").all()[0]["ref"]
    print(desk.observe(desk.element(ref=ref).click).verdict)
    desk.window("Ask").wait_gone(timeout=60)
`;

/** Fills in the form with the TypeScript client. */
async function fill(desk: Desk): Promise<unknown[]> {
  desk.actionTimeoutMs = 60_000;
  await desk.element({ role: "button", name: "OK", title: "Ask" }).focus(); // waits for its window and for it
  desk.actionTimeoutMs = 500;
  const fields = await desk.element({ role: "textbox", title: "Ask" }).all();
  const [name, city] = fields.sort((a, b) => a.y! - b.y!).map(({ ref }) => desk.element({ element: ref }));
  await name.set("Ada");
  await city.focus();
  await desk.type({ text: "Paris" });
  const status = (error: { status?: number }) => error.status;
  const found = [
    (await desk.element({ role: "button", name: "Nothing" }).all()).length,
    (await desk.element({ role: "button" }).all()).length,
    await desk.element({ role: "button", name: "Nothing" }).click().catch(status),
    await desk.element({ role: "textbox" }).click().catch(status),
  ];
  const [{ ref }] = await desk.element({ role: "button", name: "OK" }).all();
  const { verdict } = await desk.observe((observe) => desk.element({ element: ref }).click(observe));
  await desk.window({ title: "Ask" }).waitGone(60_000);
  return [...found, verdict];
}

Deno.test(
  {
    ignore: SESSION_BUS.ignore || PROGRAMS.ignore,
    name: "both clients fill in a form by element names",
  },
  async (t) => {
    await using server = await Xvfb.start();
    await using bus = await SessionBus.start(server.env);
    const env = { ...server.env, ...bus.env, NO_AT_BRIDGE: "0", GTK_IM_MODULE: "gtk-im-context-simple" };
    await using _manager = await server.manager("openbox");
    await using program = new Program(["--http", "0"], { env });
    const url = await program.controlUrl();
    const form = () => {
      const args = [
        "--forms",
        "--title",
        "Ask",
        "--text",
        "Who",
        "--add-entry",
        "Name",
        "--add-entry",
        "City",
      ];
      return new Deno.Command("zenity", { args, env, stdin: "null", stdout: "piped", stderr: "null" })
        .spawn();
    };
    const printed = async (child: Deno.ChildProcess) =>
      new TextDecoder().decode((await child.output()).stdout);
    await t.step("Python", async () => {
      await using client = await installPython();
      const zenity = form();
      const { printed: said } = await python(client, ["-c", SCRIPT], { DESKHAND_URL: url });
      assertEquals(said, "False True 2\n404\n409\nhit\n");
      assertEquals(await printed(zenity), "Ada|Paris\n");
    });
    await t.step("TypeScript", async () => {
      const zenity = form();
      assertEquals(await fill(new Desk({ url })), [0, 2, 404, 409, "hit"]);
      assertEquals(await printed(zenity), "Ada|Paris\n");
    });
  },
);
