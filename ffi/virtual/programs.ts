/** The desk's programs: Orders, a long list; Board, with cards to drag; Form, with every kind of control. */

import { contains, type Point, type Region } from "../../control/desktop/desktop.ts";
import { rect } from "./canvas.ts";
import { type Host, type Program, question } from "./program.ts";
import { type KeyPress, TextField } from "./text_field.ts";
import {
  button,
  CAPTION,
  comboBox,
  HEIGHT,
  label,
  ListBox,
  type MenuItem,
  slider,
  textbox,
  toggle,
  type Widget,
} from "./widgets.ts";

const CUSTOMERS = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Margaret Hamilton"];
const GOODS = ["paper", "ink", "pencils", "stamps", "envelopes", "folders", "labels"];

/** Order number `i`, with tabs between its columns. */
function order(i: number): string {
  const euros = ((i * 37 % 190) + 9.9).toFixed(2);
  return [`Order ${1001 + i}`, CUSTOMERS[i * 3 % CUSTOMERS.length], GOODS[i % GOODS.length], `€${euros}`]
    .join("\t");
}

/** A searchable list of 200 rows. */
export class Orders implements Program {
  readonly title = "Orders";
  readonly size = { width: 560, height: 420 };
  readonly focus = "search";
  #rows = Array.from({ length: 200 }, (_, i) => order(i));
  readonly #search = new TextField();
  readonly #list: ListBox;

  constructor(readonly host: Host) {
    this.#list = new ListBox("orders", "Orders", () => this.#found(), { pick: (row) => this.#show(row) });
  }

  view({ x, y, width, height }: Region): Widget[] {
    const found = this.#found().length, [chosen] = this.#list.selected;
    const bottom = y + height - 44, states = chosen ? [] : ["disabled" as const];
    const show = button("Show", rect(x + width - 104, bottom, 88, 32), () => this.#show(chosen));
    const remove = button("Delete", rect(x + width - 200, bottom, 88, 32), () => this.#ask(chosen));
    return [
      textbox("Search", rect(x + 16 + CAPTION, y + 12, width - 32 - CAPTION, 30), this.#search, {
        note: "Search",
      }),
      ...this.#list.view(rect(x + 16, y + 52, width - 32, height - 108), {
        menu: () => this.#menu(),
      }),
      label(`${found} of ${this.#rows.length}`, rect(x + 16, bottom + 4, 200, 24), "label", "count"),
      { ...remove, states },
      { ...show, states },
    ];
  }

  key({ key }: KeyPress): boolean {
    const [chosen] = this.#list.selected;
    if (key !== "delete" || !chosen) return false;
    this.#ask(chosen);
    return true;
  }

  #found(): string[] {
    const wanted = this.#search.text.toLowerCase();
    return wanted ? this.#rows.filter((row) => row.toLowerCase().includes(wanted)) : this.#rows;
  }

  #menu(): MenuItem[] {
    const [chosen] = this.#list.selected, isDisabled = !chosen;
    return [
      { name: "Show", isDisabled, run: () => this.#show(chosen) },
      { name: "Copy", isDisabled, run: () => this.host.clipboard.text = chosen },
      { name: "Delete", keys: "Delete", isDisabled, run: () => this.#ask(chosen) },
    ];
  }

  #show(row: string): void {
    const [number, customer, goods, price] = row.split("\t");
    this.host.ask(question(number, `${customer} ordered ${goods} for ${price}.`));
  }

  #ask(row: string): void {
    const [number] = row.split("\t");
    this.host.ask(question("Delete", `Delete ${number}?`, [
      ["Cancel", () => {}],
      ["Delete", () => {
        this.#rows = this.#rows.filter((other) => other !== row);
        this.#list.selected.clear();
      }],
    ]));
  }
}

const COLUMNS = ["To do", "Doing", "Done"];
const CARD = { height: 44, gap: 10, top: 46 };

/** A board of cards in three columns. */
export class Board implements Program {
  readonly title = "Board";
  readonly size = { width: 600, height: 360 };
  /** The cards in order, each with its column. */
  #cards: [name: string, column: number][] = [
    ["Write the tour", 0],
    ["Take pictures", 0],
    ["Answer Ada", 0],
    ["Test the kiosk", 1],
    ["Buy paper", 2],
  ];
  /** The dragged card, where it was grabbed, and where the pointer is. */
  #dragged: { name: string; from: Point; at: Point } | undefined;

  view(area: Region): Widget[] {
    const columns = COLUMNS.map((name, i): Widget => ({
      ...{ key: `column-${i}`, role: "list", name, place: this.#column(area, i), look: "column" },
    }));
    const widgets = columns.flatMap((column, i) => [
      column,
      ...this.#cards.filter(([, of]) => of === i).map(([name], row) => this.#card(area, column, name, row)),
    ]);
    // The dragged card is drawn on top of the others.
    return widgets.sort((one, other) => Number(this.#isDragged(one)) - Number(this.#isDragged(other)));
  }

  #isDragged = ({ name, look }: Widget) => look === "card" && name === this.#dragged?.name;

  #column({ x, y, width, height }: Region, index: number): Region {
    const gap = 14, size = (width - gap * (COLUMNS.length + 1)) / COLUMNS.length;
    return rect(Math.round(x + gap + index * (size + gap)), y + 14, Math.floor(size), height - 28);
  }

  #card(area: Region, { place: column, name: value }: Widget, name: string, row: number): Widget {
    const { from, at } = this.#dragged?.name === name ? this.#dragged : { from: column, at: column };
    const place = {
      x: column.x + 10 + at.x - from.x,
      y: column.y + CARD.top + row * (CARD.height + CARD.gap) + at.y - from.y,
      width: column.width - 20,
      height: CARD.height,
    };
    return {
      ...{ key: `card-${name}`, role: "listitem", name, place, look: "card", depth: 2, isFocusable: true },
      set: (column) => this.#move(name, COLUMNS.indexOf(column), Infinity),
      value,
      grab: ({ at }) => this.#dragged = { name, from: at, at },
      drag: (at) => {
        if (this.#dragged) this.#dragged = { ...this.#dragged, at };
      },
      drop: (at) => {
        this.#dragged = undefined;
        const columns = COLUMNS.map((_, i) => this.#column(area, i));
        const to = columns.findIndex((column) => contains(column, at));
        const index = (at.y - (columns[to]?.y ?? 0) - CARD.top) / (CARD.height + CARD.gap);
        this.#move(name, to, Math.floor(index));
      },
    };
  }

  /** Moves a card to a position in a column. */
  #move(name: string, column: number, index: number): boolean {
    if (column < 0) return false;
    const rest = this.#cards.filter(([other]) => other !== name);
    const before = rest.filter(([, of]) => of === column)[Math.max(0, index)];
    rest.splice(before ? rest.indexOf(before) : rest.length, 0, [name, column]);
    this.#cards = rest;
    return true;
  }
}

// Form: every kind of control that a form can have, and a dialog that answers.

const COUNTRIES = ["Austria", "Brazil", "Canada", "France", "Germany", "Greece", "India", "Japan", "Ukraine"];
const TOPICS = ["Automation", "Testing", "Agents", "Accessibility", "Remote work"];
/** The distance between rows, in pixels. */
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
    const place = (row: number, height: number = HEIGHT.field) =>
      rect(x + 16 + CAPTION, y + 14 + Math.round(row * ROW), width - 32 - CAPTION, height);
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
      label(this.#said, rect(x + 16, bottom.y + 4, width - 224, 24), "label", "said"),
      button("Reset", { ...bottom, x: x + width - 200 }, () => this.#reset()),
      button("Send", { ...bottom, x: x + width - 104 }, () => this.#send(), "primary"),
    ];
  }

  /** Changes the date by a day with the up and down keys. */
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
