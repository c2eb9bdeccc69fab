/**
 * Takes the pictures of the page for the documents: light, dark, and on a phone. The desktop is a real one, so that it
 * needs Chromium, Xvfb, and the programs that are seen:
 * `apt install openbox mousepad galculator pcmanfm imagemagick arc-theme papirus-icon-theme fonts-cantarell`
 *
 * `deno run -A --config tests/deno.json tools/page_pictures.ts`
 */

import { fromFileUrl } from "@std/path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { shows } from "../tests/page/page.ts";
import { openBrowser } from "../tests/support/browser.ts";
import { Program } from "../tests/support/program.ts";
import { until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";

/** A home folder whose name looks well in a title. */
const HOME = "/tmp/ada";
const FOLDER = fromFileUrl(new URL("../docs/images/", import.meta.url));
const SIZE = { width: 1280, height: 720 };

const PICTURES: [name: string, options: BrowserContextOptions][] = [
  ["page-light", { viewport: { width: 1200, height: 860 }, colorScheme: "light" }],
  ["page-dark", { viewport: { width: 1200, height: 860 }, colorScheme: "dark" }],
  ["page-phone", {
    viewport: { width: 390, height: 780 },
    deviceScaleFactor: 2,
    colorScheme: "dark",
    hasTouch: true,
    isMobile: true,
  }],
];

const NOTES = "# Monday\n\n- [x] Build the installer\n- [x] Try it on the kiosk\n- [ ] Send it to Ada\n";
const FILES = ["Holiday.jpg", "Budget.ods", "Film.mp4", "Song.ogg", "Letter.odt", "Backup.tar.gz"];
/** Windows by their titles, with where they are put. */
const WINDOWS: [title: string, x: number, y: number, width: number, height: number][] = [
  ["Documents", 60, 50, 560, 340],
  ["Mousepad", 330, 240, 540, 360],
  ["galculator", 925, 100, 296, 309],
];

/** The user of the programs if root runs this: a user without rights, so that programs do not warn of root. */
const USER = Deno.uid() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Starts a desktop with three programs and gives it the look of one that is used. */
async function furnish(server: Xvfb, home: string): Promise<void> {
  const documents = `${home}/Documents`;
  for (const folder of ["gtk-3.0", "glib-2.0/settings", "Documents"]) {
    await Deno.mkdir(`${home}/${folder}`, { recursive: true });
  }
  await Deno.writeTextFile(`${home}/Monday.md`, NOTES);
  await Deno.writeTextFile(
    `${home}/glib-2.0/settings/keyfile`,
    "[org/xfce/mousepad/preferences/window]\npath-in-title=false\n",
  );
  for (const name of FILES) await Deno.writeTextFile(`${documents}/${name}`, "");
  const look = { "gtk-theme-name": "Arc", "gtk-icon-theme-name": "Papirus", "gtk-font-name": "Cantarell 11" };
  const lines = (quote: string) =>
    Object.entries(look).map(([name, value]) => `${name}=${quote}${value}${quote}`);
  await Deno.writeTextFile(`${home}/gtk-3.0/settings.ini`, ["[Settings]", ...lines("")].join("\n"));
  await Deno.writeTextFile(`${home}/gtkrc`, lines('"').join("\n"));
  const env = {
    HOME: home,
    XDG_CONFIG_HOME: home,
    GTK2_RC_FILES: `${home}/gtkrc`,
    NO_AT_BRIDGE: "1",
    GSETTINGS_BACKEND: "keyfile",
  };
  await server.run(
    "convert",
    ...[
      "-size",
      "1280x720",
      "gradient:#274472-#7aa5c9",
      "-rotate",
      "180",
      "-colors",
      "64",
      `${home}/wall.png`,
    ],
  );
  if (USER.uid) await new Deno.Command("chown", { args: ["-R", String(USER.uid), home] }).output();
  const programs: [program: string, ...args: string[]][] = [
    ["openbox"],
    ["display", "-window", "root", `${home}/wall.png`],
    ["pcmanfm", "--new-win", documents],
    ["mousepad", `${home}/Monday.md`],
    ["galculator"],
  ];
  for (const [program, ...args] of programs) {
    new Deno.Command("env", {
      args: [...Object.entries(env).map(([name, value]) => `${name}=${value}`), program, ...args],
      env: server.env,
      ...USER,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn().unref();
  }
}

/** Puts the windows where they look well. */
async function arrange(url: string): Promise<void> {
  const post = async (path: string, body: unknown) =>
    (await fetch(`${url}/api/${path}`, { method: "POST", body: JSON.stringify(body) })).ok;
  for (const [title, x, y, width, height] of WINDOWS) {
    await until(() => post("window/place", { title, x, y, width, height }));
  }
  for (const [title] of WINDOWS.filter(([title]) => title !== "Mousepad")) {
    await post("window/activate", { title });
  }
  await post("window/activate", { title: "Mousepad" });
  await post("wait", { still: { ms: 1000 } });
}

/** Does a little, so that the log has lines. */
async function work(page: Page): Promise<void> {
  const at = async (x: number, y: number) => {
    const box = (await page.locator("#screen").boundingBox())!;
    return { x: box.x + x * box.width / SIZE.width, y: box.y + y * box.height / SIZE.height };
  };
  const text = await at(700, 520);
  await page.mouse.click(text.x, text.y);
  await page.keyboard.press("Control+End");
  await page.keyboard.type("- [ ] Rest");
}

async function take(browser: Browser, url: string, name: string, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  await shows(page, "document.querySelector('#screen').width > 16");
  if (options.isMobile) {
    await page.locator("#screen").tap();
    await page.tap("#keyboard");
    await page.tap("#keys button:text-is('Ctrl')");
  } else await work(page);
  await fetch(`${url}/api/wait`, { method: "POST", body: '{"still":{"ms":700}}' });
  await page.waitForTimeout(700); // the last of the picture
  const path = `${FOLDER}/${name}.png`;
  await page.screenshot({ path });
  await new Deno.Command("convert", { args: [path, "-strip", "+dither", "-colors", "255", `PNG8:${path}`] })
    .output();
  await context.close();
}

const browser = await openBrowser();
try {
  for (const [name, options] of PICTURES) {
    await Deno.mkdir(HOME);
    try {
      await using server = await Xvfb.start({ ...SIZE, args: ["-ac"] });
      await furnish(server, HOME);
      await using program = new Program(["--desktop", "x11", "--http", "0"], { env: server.env });
      const url = await program.controlUrl();
      await arrange(url);
      await take(browser, url, name, options);
    } finally {
      await Deno.remove(HOME, { recursive: true });
    }
  }
} finally {
  await browser.close();
}
