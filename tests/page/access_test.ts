/** Access to the page, and answers to other pages. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { BROWSER, readQr, withBrowser } from "../support/browser.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { choose, click, history, opened, otherAddress, shows, VIRTUAL } from "./page.ts";

const TOKEN = "a-token-of-the-page-tests";

Deno.test({
  name: "without a token it asks, with a wrong one it says so, from a link it continues",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program([...VIRTUAL, "--token", TOKEN]);
    const url = await program.controlUrl();
    const page = await browser.newPage();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(url);
    await page.waitForSelector("#ask:not([hidden])");
    assertEquals(await page.textContent("#state"), "Needs its token");
    assertMatch(await page.textContent("#why") ?? "", /link that deskhand printed.*"status"/);
    for (const id of ["#screen", "#show-log", "#show-recorder", "#keyboard"]) {
      assertEquals(await page.isVisible(id), false, id);
    }
    await page.fill("#token", "wrong-wrong-wrong-wrong");
    await page.click("#ask button");
    await shows(page, "/^The token is wrong/.test(document.querySelector('#why').textContent)");
    assertEquals(await page.inputValue("#token"), "");
    await page.fill("#token", TOKEN);
    await page.click("#ask button");
    await shows(page, "document.querySelector('#screen').width === 1280");
    const linked = await browser.newPage();
    linked.on("request", (request) => requests.push(request.url()));
    await linked.goto(`${url}/#token=${TOKEN}`);
    await shows(linked, "document.querySelector('#screen').width === 1280");
    assertEquals(await linked.evaluate("location.href"), `${url}/`);
    // It survives a reload, only for this tab.
    await linked.reload();
    await shows(linked, "document.querySelector('#screen').width === 1280");
    assertEquals(await linked.evaluate("[location.href, localStorage.length, document.cookie]"), [
      `${url}/`,
      0,
      "",
    ]);
    const other = await browser.newPage();
    await other.goto(url);
    await other.waitForSelector("#ask:not([hidden])");
    // The link, opened where the page already asks; half of it; and a token altered by a chat.
    const asked = await browser.newPage();
    asked.on("pageerror", (error) => requests.push(`${error.message} with ${TOKEN}`));
    await asked.goto(url);
    const why = (words: string) =>
      shows(asked, `document.querySelector("#why").textContent.includes("${words}")`);
    await why("#token=");
    await asked.fill("#token", `“${TOKEN}”`);
    await asked.click("#ask button");
    await why("characters that no token has");
    await asked.goto(`${url}/#token=%zz`);
    await why("token is wrong");
    assertEquals(await asked.evaluate("location.href"), `${url}/`);
    await asked.goto(`${url}/#token=${TOKEN}`);
    await shows(asked, "document.querySelector('#screen').width === 1280");
    assertEquals(await asked.evaluate("[location.href, document.querySelector('#ask').hidden]"), [
      `${url}/`,
      true,
    ]);
    // A reload does not retry a wrong token.
    await other.fill("#token", "wrong-wrong-wrong-wrong");
    await other.click("#ask button");
    await shows(other, "/token is wrong/.test(document.querySelector('#why').textContent)");
    await other.reload();
    await shows(other, "document.querySelector('#why').textContent.includes('#token=')");
    assertEquals(requests.filter((request) => request.includes(TOKEN)), []);
    assertEquals(requests.every((request) => new URL(request).host === new URL(url).host), true);
  });
});

Deno.test({ name: "a page without access asks once, not every second", ...BROWSER }, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program([...VIRTUAL, "--token", TOKEN]);
    const page = await browser.newPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.install();
    await page.goto(await program.controlUrl());
    await page.waitForSelector("#ask:not([hidden])");
    await page.fill("#token", "wrong-wrong-wrong-wrong");
    await page.click("#ask button");
    await shows(page, "/token is wrong/.test(document.querySelector('#why').textContent)");
    await page.clock.runFor(20_000);
    assertEquals(asked.filter((path) => path.startsWith("/api/")), ["/api/screen", "/api/screen"]);
  });
});

Deno.test({
  name: "if there is a token the log's curl lines need it",
  ...BROWSER,
}, async () => {
  const lines = (page: Page) => page.locator("#log code").allTextContents();
  await withBrowser(async (browser) => {
    await using guarded = new Program([...VIRTUAL, "--token", TOKEN]);
    const url = await guarded.controlUrl();
    const page = await opened(browser, `${url}/#token=${TOKEN}`);
    await click(page, 100, 50);
    const [line] = await until(() => lines(page), ({ length }) => length === 1);
    assertEquals(line.includes(TOKEN), false);
    const { stdout } = await new Deno.Command("sh", { args: ["-c", line], env: { DESKHAND_TOKEN: TOKEN } })
      .output();
    assertEquals(new TextDecoder().decode(stdout), '{"ok":true}\n');
  });
});

Deno.test(
  { name: "under --read-only the page shows the screen and offers nothing that acts", ...BROWSER },
  async () => {
    await withBrowser(async (browser) => {
      await using program = new Program([...VIRTUAL, "--read-only"]);
      const url = await program.controlUrl();
      const page = await opened(browser, url);
      await shows(page, "document.querySelector('#state').textContent === 'Connected, view only'");
      for (const id of ["#keyboard", "#clipboard", "#recorder", "#hint", "section", "#typing"]) {
        assertEquals(await page.isVisible(id), false, id);
      }
      const sent: string[] = [];
      await page.exposeFunction("noteSent", (text: string) => sent.push(text));
      await page.evaluate(`(() => {
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (data) { noteSent(data); return send.call(this, data); };
    })()`);
      await click(page, 100, 50);
      await page.keyboard.press("a");
      await page.keyboard.press("Tab"); // leaves the screen, which takes no focus
      assertEquals(await page.evaluate("document.activeElement.id"), "zoom-fit");
      await page.evaluate("fetch('/api/position')"); // an answer to the click would come before this one
      assertEquals(sent.filter((text) => !text.includes("ack")), []);
      assertEquals(await page.isVisible("#notice"), false);
      await page.click("#more");
      assertEquals([await page.isVisible("#shot"), await page.isVisible("#recorder")], [true, false]);
      assertEquals(await history(url), []);
    });
  },
);

Deno.test({ name: "another page can neither call nor open the socket", ...BROWSER }, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program(VIRTUAL);
    const url = await program.controlUrl();
    const server = Deno.serve(
      { port: 0, onListen() {} },
      () => new Response("<p>other", { headers: { "content-type": "text/html" } }),
    );
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.addr.port}/`);
    assertEquals(await page.evaluate(`fetch("${url}/api/position").then((r) => r.status)`), 401);
    assertEquals(
      await page.evaluate(
        `fetch("${url}/api/click", { method: "POST", body: '{"x":1,"y":1,"button":"left"}' }).then((r) => r.status)`,
      ),
      401,
    );
    const socket = `new Promise((done) => { const s = new WebSocket("${
      url.replace("http", "ws")
    }/api/live"); s.onopen = () => done("open"); s.onerror = () => done("refused"); })`;
    assertEquals(await page.evaluate(socket), "refused");
    assertEquals(await history(url), []);
    await page.close();
    await server.shutdown();
  });
});

/** Names and addresses that reach this machine, and the answers to another page that uses them. */
const NAMES: [name: string, status: number][] = [
  ["127.0.0.1", 401],
  ["[::1]", 401],
  ["localhost", 401],
  ["localhost.", 401],
  // With these, Chromium sends nothing that distinguishes a page from a script.
  ["[::ffff:127.0.0.1]", 403],
  ["0.0.0.0", 403],
];

Deno.test({
  name: "an image that another page requests is refused under each name of this machine",
  ...BROWSER,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program([...VIRTUAL, "--log", "-"]);
    const { port } = new URL(await program.controlUrl());
    const server = Deno.serve(
      { port: 0, onListen() {} },
      () =>
        new Response("<meta name=referrer content=no-referrer><p>other", {
          headers: { "content-type": "text/html" },
        }),
    );
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.addr.port}/`);
    for (const [name] of NAMES) {
      const picture = `new Promise((done) => { const image = new Image(); image.onload = image.onerror = done;
        image.src = "http://${name}:${port}/api/screenshot"; })`;
      await page.evaluate(picture);
    }
    const answers = await until(
      () =>
        [...program.stdout.matchAll(/ GET \/api\/screenshot (\d+) /g)].map(([, status]) => Number(status)),
      ({ length }) => length === NAMES.length,
    );
    assertEquals(NAMES.map(([name], index) => [name, answers[index]]), NAMES);
    await page.close();
    await server.shutdown();
  });
});

Deno.test(
  { name: "a link made on the page lets a guest look, is listed, and ends immediately", ...BROWSER },
  async () => {
    await withBrowser(async (browser) => {
      await using program = new Program([...VIRTUAL, "--token", TOKEN]);
      const url = await program.controlUrl();
      const page = await opened(browser, `${url}/#token=${TOKEN}`);
      await choose(page, "#share");
      await page.fill("#share-name", "Ada");
      await page.click("#share-form button");
      await shows(page, "document.querySelector('#share-link').value.includes('#token=')");
      const link = await page.inputValue("#share-link");
      assertEquals(link.includes(TOKEN), false);
      assertEquals(await readQr(page, "#share-qr"), link);
      assertEquals(await page.isVisible("#share-qr"), false); // other devices cannot reach this address
      await shows(page, "/on this machine only/.test(document.querySelector('#notice').textContent)");
      const guest = await opened(browser, url + new URL(link).hash);
      await shows(
        guest,
        "document.querySelector('#state').textContent.startsWith('Connected, view only')",
      );
      await guest.click("#more");
      for (const id of ["#share", "#trace", "#keyboard", "#clipboard", "#recorder", "#looking"]) {
        assertEquals(await guest.isVisible(id), false, id);
      }
      await click(guest, 100, 50);
      await shows(
        page,
        "/you, Ada \\(view only\\)$/.test(document.querySelector('#share-viewers').textContent)",
      );
      assertEquals(await page.locator("#share-list li").count(), 1);
      await page.click("#share-list button");
      await shows(
        guest,
        "/^This link has expired or was revoked/.test(document.querySelector('#why').textContent)",
      );
      await shows(page, "document.querySelector('#share-viewers').textContent === 'Here now: you'");
      assertEquals(await page.locator("#share-list li").count(), 0);
      const actions =
        await (await fetch(`${url}/api/history`, { headers: { authorization: `Bearer ${TOKEN}` } })).json();
      assertEquals(actions.actions, []);
    });
  },
);

Deno.test({
  name: "a guest link's QR code has the address by which the page was reached",
  ...BROWSER,
  ignore: BROWSER.ignore || otherAddress() === undefined,
}, async () => {
  await withBrowser(async (browser) => {
    await using program = new Program([...VIRTUAL, "--host", "0.0.0.0", "--token", TOKEN]);
    const { port } = new URL(await program.controlUrl()), base = `http://${otherAddress()}:${port}/`;
    const page = await opened(browser, `${base}#token=${TOKEN}`);
    await choose(page, "#share");
    await page.click("#share-form button");
    await page.waitForSelector("#share-qr");
    const link = await page.inputValue("#share-link");
    assertEquals(link.startsWith(`${base}#token=`), true, link);
    assertEquals(await readQr(page, "#share-qr"), link);
  });
});
