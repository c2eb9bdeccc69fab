import process from "node:process";
import { expect, test } from "@deskhand/client/test";

const form = { title: "Form" };

test.describe("on the desk in memory", () => {
  test("assertions on elements and windows wait, and hold", async ({ desk }) => {
    const name = desk.element({ role: "textbox", name: "Name", ...form });
    await expect(name).toBeVisible();
    await expect(name).toBeEnabled();
    await expect(name).not.toBeDisabled();
    const later = name.set("Ada  L");
    await expect(name).toHaveValue("Ada  L");
    await later;
    await expect(name).toHaveText("Ada L");
    await expect(name).toContainText("ada");
    await expect(name).not.toHaveValue("Bob");
    await name.focus();
    await expect(name).toBeFocused();
    const news = desk.element({ role: "checkbox", name: "news", ...form });
    await expect(news).not.toBeChecked();
    await news.click();
    await expect(news).toBeChecked();
    await expect(news).not.toBeChecked({ checked: false });
    await expect(desk.element({ role: "radio", ...form })).toHaveCount(2);
    await expect(desk.element({ role: "button", name: "Nothing", ...form })).toBeHidden();
    await expect(desk.window(form)).toBeFocused();
    await expect(desk.window({ title: "Nowhere" })).not.toBeVisible();
  });

  test("a window looks like its baseline, and has its outline", async ({ desk }) => {
    const notes = desk.window({ title: "Notes" }), clock = desk.window({ title: "Clock" });
    await notes.activate();
    await expect.soft(notes).toLookLike("notes");
    await expect.soft(notes).toMatchTree("notes");
    await expect.soft(clock).toLookLike("clock", { mask: [{ x: 0, y: 0, width: 200, height: 120 }] });
    if (process.env.CHANGED) {
      await desk.type({ text: "hello" });
      await expect.soft(notes).toLookLike("notes", { timeout: 200 });
      await expect.soft(notes).toMatchTree("notes", { timeout: 200 });
      await expect.soft(notes).not.toLookLike("notes");
    }
  });

  test("an assertion that does not hold says what is there", async ({ desk }) => {
    test.fail(!process.env.FAILING);
    await expect(desk.element({ role: "button", name: "Sned", ...form })).toBeVisible({ timeout: 200 });
  });

  test("an act that fails says what was there at last", async ({ desk, launch }) => {
    await expect(launch("no-such-program")).rejects.toThrow("program not found: no-such-program");
    await desk.window(form).close();
    const waiting = desk.wait.bind(desk);
    desk.wait = async (given) => {
      await desk.steps({ steps: [{ open: "form" }] });
      return await waiting({ ...given, timeout_ms: 50 });
    };
    const sned = desk.element({ role: "button", name: "Sned", ...form });
    await expect(sned.click()).rejects.toThrow(/there is no button "Sned" in "Form"; near: button "Send"/);
  });
});
