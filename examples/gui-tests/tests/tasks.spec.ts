import { expect, test } from "@deskhand/client/test";

test("finished tasks are removed", async ({ desk, launch }) => {
  await launch("/usr/bin/python3", "programs/tasks.py");
  const task = desk.element('textbox "New task" in "Tasks"');
  await expect(task).toBeVisible();
  for (const name of ["Milk", "Bread", "Tea"]) await task.set(`${name}\n`);
  await desk.element('checkbox "Bread" in "Tasks"').click();
  await expect(desk.element('label "to do" in "Tasks"')).toHaveText("2 to do");
  await desk.element('button "Remove finished" in "Tasks"').click();
  await desk.element('button "Yes" in "Remove"').click();
  await expect(desk.window({ title: "Tasks" })).toMatchTree("after");
});
