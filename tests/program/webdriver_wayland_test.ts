/**
 * WebDriver on Wayland: forms in several toolkits are filled in and sent, and their programs print what
 * arrived.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Form, FORMS } from "../support/forms.ts";
import { GNOME, Gnome } from "../support/gnome.ts";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { SESSION_BUS, SessionBus } from "../support/session_bus.ts";
import { needSway, Sway } from "../support/sway.ts";
import { until } from "../support/shell.ts";
import { startInSession } from "../support/ordinary_user.ts";
import { ELEMENT, WebDriverClient } from "../support/webdriver_client.ts";
import type { Client } from "../support/xvfb.ts";

const ARGS = ["--webdriver", "0"];

/** Moves the pointer to an element and clicks it. */
function clickActions(element: string) {
  const origin = { [ELEMENT]: element };
  const click = [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
  return {
    actions: [{ type: "pointer", id: "p", actions: [{ type: "pointerMove", x: 0, y: 0, origin }, ...click] }],
  };
}

/**
 * Fills in and sends a form.
 * @param running The form's process, to which a session attaches.
 * @param isPlaced Whether the desktop reports element positions.
 */
async function sendForm(
  client: WebDriverClient,
  form: Form,
  running: Client,
  isPlaced: boolean,
): Promise<void> {
  // On a busy machine, the form may appear later than a session waits for a running program.
  const open = () => client.open({ "appium:app": String(running.pid), timeouts: { implicit: 30_000 } });
  await until(open, ({ status }) => status === 200, ({ value }) => JSON.stringify(value));
  assertStringIncludes(await client.get("/title"), form.title);
  const field = await client.find("tag name", "text"), ok = await client.find("name", "OK");
  await client.post(`/element/${field}/value`, { text: "Ada ß" });
  await until(() => client.get(`/element/${field}/text`), (text) => text === "Ada ß");
  assertEquals(await client.get(`/element/${ok}/name`), "button");
  assertEquals(await client.find("xpath", "//button[@name='OK']"), ok);
  const { width } = await client.get(`/element/${ok}/rect`);
  assertEquals(width > 0, true);
  if (isPlaced) await client.post("/actions", clickActions(ok));
  else {
    const [code, message] = await client.fail("POST", "/actions", clickActions(ok));
    assertEquals(code, "move target out of bounds");
    assertStringIncludes(message, "is not on the screen");
    await client.post(`/element/${ok}/click`);
  }
  assertEquals((await running.printing((text) => text.includes("\n"))).trim(), "Ada ß");
  await client.quit();
}

async function eachForm(t: Deno.TestContext, send: (form: Form) => Promise<void>): Promise<void> {
  for (const form of FORMS) {
    await t.step({
      name: form.name,
      ignore: need(form.needs).ignore,
      fn: () => send(form),
    });
  }
}

Deno.test({ name: "WebDriver on sway", ignore: needSway().ignore || SESSION_BUS.ignore }, async (t) => {
  await using sway = await Sway.start({ config: ['for_window [app_id=".*"] floating enable'] });
  const toolkits = {
    GDK_BACKEND: "wayland",
    QT_QPA_PLATFORM: "wayland",
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
  };
  await using bus = await SessionBus.start({ ...sway.env, ...toolkits });
  await using program = new Program([...ARGS, "--desktop", "wayland"], { env: bus.env });
  const client = new WebDriverClient(await program.webdriverUrl());
  await eachForm(t, async (form) => {
    await using running = bus.spawn(form.program, ...form.args);
    await sendForm(client, form, running, true);
  });
});

Deno.test({ name: "WebDriver on KDE", ignore: KWIN.ignore }, async (t) => {
  await using kwin = await Kwin.start();
  kwin.session.set("QT_QPA_PLATFORM", "wayland");
  kwin.session.set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
  kwin.session.set("GDK_BACKEND", "wayland");
  await using program = await kwin.program(...ARGS);
  const client = new WebDriverClient(await program.webdriverUrl());
  await eachForm(t, async (form) => {
    await using running = kwin.spawn(form.program, ...form.args);
    await sendForm(client, form, running, true);
  });
});

Deno.test(
  { name: "WebDriver on GNOME, which reports no window positions", ignore: GNOME.ignore },
  async (t) => {
    await using gnome = await Gnome.start();
    gnome.session.set("QT_QPA_PLATFORM", "wayland");
    gnome.session.set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
    await using program = await startInSession(gnome.session, ARGS);
    const client = new WebDriverClient(await program.webdriverUrl());
    await client.open({});
    await client.post("/actions", { actions: [{ type: "key", id: "k", actions: SHIFT }] }); // a keyboard activates a window
    await client.quit();
    await eachForm(t, async (form) => {
      await using running = gnome.spawn(form.program, ...form.args);
      await sendForm(client, form, running, false);
    });
  },
);

const SHIFT = [{ type: "keyDown", value: "\ue008" }, { type: "keyUp", value: "\ue008" }];
