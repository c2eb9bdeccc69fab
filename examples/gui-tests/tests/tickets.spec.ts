import { expect, test } from "@deskhand/client/test";

test.beforeEach(async ({ desk, launch }) => {
  await launch("/usr/bin/python3", "programs/tickets.py");
  await expect(desk.window({ title: "Tickets" })).toBeFocused();
});

test("students pay half", async ({ desk }) => {
  await desk.element('spinbutton "Tickets"').setTo(3);
  await expect(desk.element('label "Total"')).toHaveText("Total: 60 €");
  await desk.element('checkbox "Student"').click();
  await expect(desk.element('label "Total"')).toHaveText("Total: 30 €");
});

test("a ticket needs a name", async ({ desk }) => {
  const buy = desk.element('button "Buy" in "Tickets"');
  await expect(buy).toBeDisabled();
  await desk.element('textbox "Name"').set("Ada");
  await expect(buy).toBeEnabled();
  await buy.click();
  await expect(desk.window({ title: "Sold" })).toMatchTree("sold");
  await desk.element('button "OK" in "Sold"').click();
  await expect(desk.window({ title: "Sold" })).toBeHidden();
  await expect(buy).toBeDisabled();
});
