/** Elements on KDE: places of the screen, proven by clicks that reach the programs of several toolkits. */

import { checkForm, ElementsApi, FORMS } from "../../support/forms.ts";
import { KWIN, Kwin } from "../../support/kwin.ts";
import { need } from "../../support/need.ts";

const NEEDED = need("/usr/lib/python3/dist-packages/pyatspi/__init__.py");
const WITNESS = Deno.readTextFileSync(new URL("./witness.py", import.meta.url));

for (const scale of [1, 2]) {
  Deno.test({
    name: `KDE with scale ${scale}: forms are read, set and clicked where they are`,
    ignore: KWIN.ignore || NEEDED.ignore,
  }, async (t) => {
    await using kwin = await Kwin.start({ scale });
    kwin.session.set("QT_QPA_PLATFORM", "wayland");
    kwin.session.set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
    kwin.session.set("GDK_BACKEND", "wayland");
    {
      await using setup = await kwin.program("setup");
      await setup.ended();
    }
    await using program = await kwin.program("--http", "0");
    const api = new ElementsApi(await program.controlUrl());
    const witness = (title: string) => kwin.run("/usr/bin/python3", "-c", WITNESS, title);
    for (const form of FORMS) {
      await t.step({
        name: form.name,
        ignore: need(form.needs).ignore,
        async fn() {
          await using running = kwin.spawn(form.program, ...form.args);
          await checkForm(form, running, { api, via: "click", witness });
        },
      });
    }
  });
}
