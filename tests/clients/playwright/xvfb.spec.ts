import { expect, test } from "@deskhand/client/test";

test.use({ desktop: "xvfb", desktopSize: "1024x768" });

test("a GTK program runs on the worker's X server", async ({ desk, launch }) => {
  const program = await launch("zenity", "--entry", "--title", "Greeting", "--text", "Name");
  const greeting = desk.window({ title: "Greeting" }), ok = desk.element('button "OK" in "Greeting"');
  await expect(greeting).toBeVisible({ timeout: 60_000 });
  await desk.element('textbox in "Greeting"').set("Grace");
  await expect(desk.element('textbox in "Greeting"')).toHaveValue("Grace");
  await expect(ok).toBeEnabled();
  await ok.click();
  await expect(greeting).not.toBeVisible();
  expect(
    await new Promise((resolve) => program.exitCode === null ? program.once("exit", resolve) : resolve(0)),
  ).toBe(0);
  expect((await desk.screen()).width).toBe(1024);
});
