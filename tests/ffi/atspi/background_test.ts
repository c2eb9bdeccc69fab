/** Background actions: real programs execute them while a user types in a window in front of them. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { openWindow } from "../../support/browser.ts";
import {
  type ControlsProgram,
  ElementsStage,
  gtkControls,
  qtControls,
  STAGE,
} from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { Client } from "../../support/xvfb.ts";

const file = (name: string) => fromFileUrl(new URL(`../../support/${name}`, import.meta.url));

/**
 * An action, a click if `to` is undefined, and what its program then prints; a pattern matches its refusal.
 */
type Row = [element: string, to: string | number | boolean | undefined, says: string | RegExp];

const NOT_PRESSED = /^needs_foreground: .* cannot be pressed through its program$/;
const OPENS = /^needs_foreground: .* opens a menu or a list, which takes the pointer and the keyboard$/;

const TAKEN: readonly Row[] = [
  ['slider "Volume"', 65, "Volume=65"],
  ['spinbutton "Count"', 7, "Count=7"],
  ["textbox", "Ada Zoë", "Name=Ada Zoë"],
];
const SWITCHED: readonly Row[] = [
  ['checkbox "Newsletter"', undefined, "Newsletter=True"],
  ['checkbox "Newsletter"', false, "Newsletter=False"],
  ['radio "Large"', undefined, "Size=Large"],
];

/** A program with controls of one toolkit. */
interface Program extends ControlsProgram {
  rows: readonly Row[];
  /** The status of focusing its field, and whether that raised its window. */
  focus: [status: number, raised: boolean | undefined];
}

const PROGRAMS: readonly Program[] = [
  {
    ...gtkControls(3),
    focus: [200, true],
    rows: [
      ...SWITCHED,
      ...TAKEN,
      ["combobox", "Norway", "Country=Norway"],
      ['menuitem "Spain"', undefined, "Country=Spain"],
      ["combobox", undefined, OPENS],
      ['tab "Advanced"', undefined, "Tab=Advanced"],
      ["tablist", "General", "Tab=General"],
      ["listbox", "Plum", "Row=2"],
      ["treegrid", "Nuts", "Tree=Nuts"],
    ],
  },
  {
    ...gtkControls(4),
    focus: [409, undefined],
    rows: [
      ['checkbox "Newsletter"', undefined, NOT_PRESSED],
      ...TAKEN,
      [
        "combobox",
        "Norway",
        /^needs_foreground: combobox "Country" \(e\d+\) does not accept text through its program$/,
      ],
      ["combobox", undefined, OPENS],
      ["tablist", "Advanced", "Tab=Advanced"],
      ["list", "Plum", "Row=2"],
    ],
  },
  {
    ...qtControls(5),
    focus: [200, false],
    rows: [
      ...SWITCHED,
      ...TAKEN,
      ["combobox", "Norway", /^needs_foreground: .* does not show "Norway", though its program was asked$/],
      ["combobox", undefined, OPENS],
      ['tab "Advanced"', undefined, "Tab=Advanced"],
      ["list", "Plum", "Selected=Plum"],
      ["tree", "Nuts", "Selected=Nuts"],
    ],
  },
];

/** Requirements of a typing user. */
const PERSON = need("xterm", "xdotool", "xprop");

/** A user who types in a terminal that covers the screen, and moves the pointer there. */
class Person {
  readonly #active: Client;
  #typed = "";
  #place = { x: 0, y: 0 };
  #isTyping = true;
  readonly #typing: Promise<void>;

  private constructor(readonly stage: ElementsStage, readonly path: string) {
    this.#active = stage.stack.use(new Client("xprop", ["-spy", "-root", "_NET_ACTIVE_WINDOW"], stage.env));
    this.#typing = this.#type();
  }

  /**
   * Covers the screen and starts typing when the terminal is active.
   * @param first Runs before the first key: xfwm4 does not focus new windows while a user types.
   */
  static async start(stage: ElementsStage, first?: () => Promise<void>): Promise<Person> {
    const path = Deno.makeTempFileSync();
    stage.stack.defer(() => Deno.removeSync(path));
    // A terminal's line of more than 4095 characters would be cut.
    stage.start("xterm", "-T", "Person", "-geometry", "220x60+0+0", "-e", `stty -icanon; cat > ${path}`);
    await until(() => activeTitle(stage), (title) => title === "Person");
    await first?.();
    return new Person(stage, path);
  }

  async #type(): Promise<void> {
    for (let i = 0; this.#isTyping; i++) {
      const letters = `${i} the person goes on typing `, place = { x: 300 + i % 50, y: 200 + i % 70 };
      const move = ["mousemove", `${place.x}`, `${place.y}`];
      await this.#xdotool(...move, "type", "--delay", "25", letters);
      this.#typed += letters;
      this.#place = place;
    }
  }

  async #xdotool(...args: string[]): Promise<string> {
    const { env } = this.stage;
    return new TextDecoder().decode((await new Deno.Command("xdotool", { args, env }).output()).stdout);
  }

  /**
   * Stops; checks that all letters arrived, the pointer is where it was moved, and no other window was
   * active.
   */
  async check(): Promise<void> {
    this.#isTyping = false;
    await this.#typing;
    await this.#xdotool("key", "Return");
    const text = await until(() => Deno.readTextFileSync(this.path), (text) => text.endsWith("\n"));
    assertEquals(text, `${this.#typed}\n`);
    const { x, y } = await this.stage.get("/api/position");
    assertEquals({ x, y }, this.#place);
    assertEquals(new Set(this.#active.printed.trim().split("\n")).size, 1, this.#active.printed);
    assertEquals((await this.stage.get("/api/windows")).windows[0].title, "Person");
  }
}

async function activeTitle(stage: ElementsStage): Promise<string | undefined> {
  const { windows } = await stage.get("/api/windows");
  return windows.find(({ active }: { active: boolean }) => active)?.title;
}

/** Performs all rows, and checks each by the response and the program. */
async function act(stage: ElementsStage, rows: readonly Row[], says: (what: string) => Promise<unknown>) {
  for (const [element, to, what] of rows) {
    const path = `/api/element/${to === undefined ? "click" : "set"}`, about = `${element} to ${to}`;
    const body = { element: `${element} in "Controls"`, to, background: true };
    const { status, error, via } = await until(
      () => stage.post(path, body),
      ({ error }) => !/does not answer|is not there/.test(error ?? ""),
    );
    if (typeof what === "string") {
      assertEquals([status, error], [200, undefined], about);
      assertEquals(via, "action", about);
      await says(what);
    } else {
      assertMatch(error, what, about);
      assertEquals(status, 409, about);
    }
  }
}

for (const controls of PROGRAMS) {
  const { name, needs, rows, focus } = controls;
  Deno.test(`acts on ${name} elements behind a window in which a user types`, {
    ignore: STAGE.ignore || PERSON.ignore || need("xfwm4", ...needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.under("xfwm4"); // focuses each new window
    const program = await stage.controls(controls);
    const person = await Person.start(stage, async () => {
      await checkRaised(stage, name, focus);
      await checkDialog(stage, program);
    });
    const isLine = (text: string, what: string) =>
      text.split("\n").some((line) => line === what || line === `${what}.0`);
    await act(stage, rows, (what) => program.printing((text) => isLine(text, what)));
    await person.check();
  });
}

/** Focuses a field, and checks whether that raised its window. */
async function checkRaised(stage: ElementsStage, name: string, focus: Program["focus"]): Promise<void> {
  const field = name === "GTK 4" ? 'textbox in "Controls"' : 'textbox "Name" in "Controls"';
  const { status, raised } = await stage.post("/api/element/focus", { element: field });
  assertEquals([status, raised], focus);
  assertEquals(await activeTitle(stage), raised ? "Controls" : "Person");
  await stage.post("/api/window/activate", { title: "Person" });
  await until(() => activeTitle(stage), (title) => title === "Person");
}

/** Checks that the focus returns from a dialog that took it, and closes the dialog. */
async function checkDialog(stage: ElementsStage, program: Client): Promise<void> {
  const { status, error, focus } = await stage.post("/api/element/click", {
    element: 'button "Ask" in "Controls"',
    background: true,
  });
  assertEquals([status, error], [200, undefined]);
  await program.printing((text) => text.includes("Asked=1"));
  assertMatch(focus, /^given back after \d+ ms: "Asked" had taken it$/);
  assertEquals(await activeTitle(stage), "Person");
  await stage.post("/api/window/close", { title: "Asked" });
  await stage.post("/api/window/activate", { title: "Person" });
  await until(
    () => stage.get("/api/windows"),
    ({ windows }) => windows.length === 2 && windows[0].title === "Person" && windows[0].active,
  );
}

Deno.test("agents' steps act in the background", {
  ignore: STAGE.ignore || PERSON.ignore || need(...PROGRAMS[0].needs).ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  const program = await stage.controls(PROGRAMS[0]);
  const person = await Person.start(stage);
  const background = true;
  const done = await stage.post("/api/steps", {
    see: "none",
    steps: [
      { click: 'checkbox "Newsletter" in "Controls"', background },
      {
        fill: { 'slider "Volume" in "Controls"': 65, 'combobox "Country" in "Controls"': "Norway" },
        background,
      },
      { type: "Ada", into: 'textbox "Name" in "Controls"', background },
      { type: " Zoë", into: 'textbox "Name" in "Controls"', background },
      'scroll listitem 1 in "Controls" background=true',
      'click radio "Large" in "Controls" background=true',
    ],
  });
  assertEquals([done.status, done.done], [200, 6], JSON.stringify(done));
  const lines = ["Newsletter=True", "Volume=65.0", "Country=Norway", "Name=Ada Zoë", "Size=Large"];
  await program.printing((text) => lines.every((line) => text.split("\n").includes(line)));
  for (
    const [step, why] of [
      [
        { click: 'combobox "Country" in "Controls"', background },
        /needs_foreground: combobox "Country".* opens a menu/,
      ],
      [{ click: [300, 300], background }, /background needs an element/],
      [{ scroll: "down", background }, /background can scroll an element into view/],
      [{ type: "a", background }, /type in the background requires into/],
      [
        { type: "a\n", into: 'textbox "Name" in "Controls"', background },
        /needs_foreground: .* Enter and Tab would be key presses/,
      ],
    ] as const
  ) {
    const { status, error } = await stage.post("/api/steps", { see: "none", steps: [step] });
    assertMatch(error, why);
    assertEquals(status, 409);
  }
  await person.check();
});

Deno.test("acts on a page's controls behind a window in which a user types", {
  ignore: STAGE.ignore || PERSON.ignore || need("chromium").ignore,
  sanitizeOps: false,
  sanitizeResources: false,
}, async () => {
  await using stage = await ElementsStage.start();
  await stage.post("/api/elements", { enabled: true });
  const browser = await openWindow(stage, "--force-renderer-accessibility");
  try {
    const page = await browser.newPage({ viewport: null });
    await page.goto(`file://${file("controls.html")}`);
    await until(() => stage.list("title=Controls&role=combobox"), (found) => found.length > 0);
    const person = await Person.start(stage);
    const told = () => page.evaluate<string>(`document.getElementById("told").textContent`);
    const rows: Row[] = [
      ['checkbox "Newsletter"', undefined, "Newsletter=true"],
      ['checkbox "Newsletter"', false, "Newsletter=false"],
      ['radio "Large"', undefined, "Size=Large"],
      ['slider "Volume"', 65, "Volume=65"],
      [
        'textbox "Name"',
        "Ada",
        /^needs_foreground: textbox "Name" \(e\d+\) does not accept text through its program$/,
      ],
      ['combobox "Country"', "Norway", "Country=Norway"],
      ['combobox "Country"', undefined, OPENS],
      ['listbox "Fruit"', "Plum", "Row=Plum"],
      ['tab "Advanced"', undefined, "Tab=Advanced"],
    ];
    await act(stage, rows, (what) => until(told, (text) => text.split("\n").includes(what)));
    await person.check();
  } finally {
    await browser.close();
  }
});

/** A GTK 3 window with a button whose handler waits for a dialog, as in many programs. */
const WAITING = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window, box, told = Gtk.Window(title="Waiting"), Gtk.Box(orientation=Gtk.Orientation.VERTICAL), Gtk.Label(label="none")
def asked(_):
    dialog = Gtk.Dialog(title="Really", transient_for=window)
    dialog.add_button("Yes", 1)
    told.set_text(f"answered {dialog.run()}")
    dialog.destroy()
for name, clicked in (("Ask", asked), ("Count", lambda _: told.set_text("counted"))):
    button = Gtk.Button(label=name)
    button.connect("clicked", clicked)
    box.add(button)
box.add(told)
window.add(box)
window.show_all()
Gtk.main()
`;

Deno.test({
  name: "a program that waits for a dialog within a press shows elements and receives keys",
  ignore: STAGE.ignore || need(...gtkControls(3).needs).ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  const { pid } = stage.start("/usr/bin/python3", "-c", WAITING);
  const shows = (title: string, wanted: string) =>
    until(() => stage.list(`title=${title}`), (list) => list.some(({ name }) => name === wanted));
  const press = async (element: string) => {
    const { via, error } = await stage.post("/api/element/click", { element, background: true });
    assertEquals([via, error], ["action", undefined], element);
  };
  const descriptors = () => [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
  await shows("Waiting", "Ask");
  await press('button "Ask" in "Waiting"');
  await shows("Really", "Yes");
  await stage.post("/api/window/activate", { title: "Really" });
  await stage.post("/api/key", { keys: "tab" });
  await stage.post("/api/key", { keys: "escape" });
  await shows("Waiting", "answered -4");
  await press('button "Ask" in "Waiting"');
  await shows("Really", "Yes");
  await press('button "Yes" in "Really"');
  await shows("Waiting", "answered 1");
  const before = descriptors();
  for (let i = 0; i < 6; i++) await press('button "Count" in "Waiting"');
  await shows("Waiting", "counted");
  await until(descriptors, (count) => count <= before); // connections of handled presses are closed
});
