/** Form: every kind of control that a form has, and a dialog that answers. */

import type { Region } from "../../control/desktop/desktop.ts";
import { type Host, type Program, question } from "./program.ts";
import { type KeyPress, TextField } from "./text_field.ts";
import {
  button,
  CAPTION,
  comboBox,
  HEIGHT,
  label,
  ListBox,
  slider,
  textbox,
  toggle,
  type Widget,
} from "./widgets.ts";

const COUNTRIES = ["Austria", "Brazil", "Canada", "France", "Germany", "Greece", "India", "Japan", "Ukraine"];
const TOPICS = ["Automation", "Testing", "Agents", "Accessibility", "Remote work"];
/** The distance from one row to the next, in pixels. */
const ROW = 36;
const DAY_MS = 86_400_000;

/** A form. */
export class Form implements Program {
  readonly title = "Form";
  readonly size = { width: 360, height: 470 };
  readonly focus = "name";
  readonly answers = { enter: "send" };
  #fields = { name: new TextField(), email: new TextField(), password: new TextField(false, "", true) };
  #date = new TextField(false, "2026-01-15");
  #country = "Greece";
  #plan = "Free";
  #seats = 5;
  #isSubscribed = false;
  #said = "";
  #topics = new ListBox("topics", "Topics", () => TOPICS, { several: true });

  constructor(readonly host: Host) {}

  view(area: Region): Widget[] {
    const { x, y, width, height } = area, { name, email, password } = this.#fields;
    const place = (row: number, height: number = HEIGHT.field) => ({
      ...{ x: x + 16 + CAPTION, y: y + 14 + Math.round(row * ROW), width: width - 32 - CAPTION, height },
    });
    const half = (row: number, part: number) => ({ ...place(row), x: place(row).x + part * 90, width: 84 });
    const plan = (plan: string, part: number) =>
      toggle("radio", plan, half(4, part), this.#plan === plan, () => this.#plan = plan);
    const bottom = { y: y + height - 46, width: 88, height: 32 };
    return [
      textbox("Name", place(0), name, { note: "Name" }),
      textbox("Email", place(1), email, { note: "Email" }),
      textbox("Password", place(2), password, { note: "Password" }),
      comboBox("Country", place(3), {
        ...{ value: this.#country, choices: COUNTRIES, open: this.host.popup },
        set: (country) => this.#country = country,
      }),
      { ...plan("Free", 0), note: "Plan" },
      plan("Team", 1),
      slider("Seats", place(5), { from: 1, to: 50, value: this.#seats, set: (seats) => this.#seats = seats }),
      textbox("Start date", place(6), this.#date, { note: "Start date", type: (press) => this.#turn(press) }),
      ...this.#topics.view(place(7, 84), { note: "Topics" }),
      toggle("checkbox", "Send me news", place(9.4), this.#isSubscribed, () => {
        this.#isSubscribed = !this.#isSubscribed;
      }),
      label(this.#said, { x: x + 16, y: bottom.y + 4, width: width - 224, height: 24 }, "label", "said"),
      button("Reset", { ...bottom, x: x + width - 200 }, () => this.#reset()),
      button("Send", { ...bottom, x: x + width - 104 }, () => this.#send(), "primary"),
    ];
  }

  /** Moves the date by a day with the up and down keys. */
  #turn({ key }: KeyPress): boolean {
    const time = Date.parse(this.#date.text), step = key === "up" ? 1 : key === "down" ? -1 : 0;
    if (!step || Number.isNaN(time)) return false;
    this.#date.set(new Date(time + step * DAY_MS).toISOString().slice(0, 10));
    return true;
  }

  #reset(): void {
    for (const field of Object.values(this.#fields)) field.set("");
    this.#date.set("2026-01-15");
    this.#topics.selected.clear();
    [this.#country, this.#plan, this.#seats, this.#isSubscribed] = ["Greece", "Free", 5, false];
    this.#said = "";
  }

  #send(): void {
    const { name, email } = this.#fields;
    const isDate = /^\d{4}-\d\d-\d\d$/.test(this.#date.text) && !Number.isNaN(Date.parse(this.#date.text));
    const wrong = !name.text.trim() && "Name is missing" ||
      email.text !== "" && !/^\S+@\S+$/.test(email.text) && "Email is wrong" ||
      !isDate && "Date is wrong";
    this.#said = wrong || "";
    if (wrong) return;
    this.host.ask(question("Send the form?", `Send the form of ${name.text.trim()}?`, [
      ["Cancel", () => this.#said = "Not sent"],
      ["Send", () => this.#said = "Sent"],
    ]));
  }
}
