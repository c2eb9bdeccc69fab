/**
 * WebDriver on Windows: a dialog and notepad, in UI Automation's terms; the dialog's output is the witness.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { WebDriverClient } from "../support/webdriver_client.ts";
import { Dialog } from "./dialog_program.ts";

Deno.test("drives a dialog by control types, identifiers and classes, like WinAppDriver suites", async () => {
  await using program = new Program(["--desktop", "windows", "--webdriver", "0"]);
  const client = new WebDriverClient(await program.webdriverUrl());
  await using dialog = await Dialog.open("Form");
  const { status, value: { capabilities } } = await client.open({ app: "Root", deviceName: "WindowsPC" });
  assertEquals([status, capabilities.platformName], [200, "windows"]);
  const form = await client.find("name", "Form");
  const handle = await client.get(`/element/${form}/attribute/NativeWindowHandle`);
  await client.quit();
  await client.open({ appTopLevelWindow: handle, timeouts: { implicit: 20_000 } });
  assertEquals(await client.get("/title"), "Form");
  const save = await client.find("accessibility id", "21");
  assertEquals(await client.get(`/element/${save}/name`), "Button");
  assertEquals(await client.get(`/element/${save}/attribute/Name`), "Save");
  assertEquals(await client.find("xpath", "//Window[@Name='Form']//Button[@AutomationId='21']"), save);
  assertEquals(await client.find("xpath", "/Window/Button[starts-with(@Name, 'Sa')]"), save);
  assertEquals((await client.post("/elements", { using: "class name", value: "Edit" })).length >= 4, true);
  const name = await client.find("xpath", "//Edit[@Name='Name:']");
  await client.post(`/element/${name}/clear`);
  await client.post(`/element/${name}/value`, { text: "Zoë 漢字" });
  await until(() => client.get(`/element/${name}/text`), (text) => text === "Zoë 漢字");
  const gift = await client.find("tag name", "CheckBox");
  assertEquals(await client.get(`/element/${gift}/selected`), false);
  await client.post(`/element/${gift}/click`);
  assertEquals((await dialog.pressed()).gift, true);
  await until(() => client.get(`/element/${gift}/attribute/Toggle.ToggleState`), (state) => state === "1");
  assertMatch(
    await client.get("/source"),
    /<Window Name="Form" .*<Button Name="Save" [^>]*AutomationId="21" ClassName="Button"/,
  );
  await client.post(`/element/${save}/click`);
  assertEquals((await dialog.pressed()).name, "Zoë 漢字");
  await client.quit();
});

Deno.test("starts a program of the list, types into it, and ends it", async () => {
  const options = ["--desktop", "windows", "--webdriver", "0", "--webdriver-open", "notepad"];
  await using program = new Program(options);
  const client = new WebDriverClient(await program.webdriverUrl());
  const { status, value } = await client.open({ "appium:app": "notepad", timeouts: { implicit: 20_000 } });
  assertEquals(status, 200, JSON.stringify(value));
  const field = await client.find("tag name", "Edit");
  await client.post(`/element/${field}/value`, { text: "typed ß" });
  await until(() => client.get(`/element/${field}/text`), (text) => text === "typed ß");
  await client.quit();
  await client.open({});
  await until(() => client.get("/window/handles"), (handles) => handles.length === 0);
});
