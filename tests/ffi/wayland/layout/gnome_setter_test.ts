/** GNOME's keyboard settings where the program that reads them hangs. */

import { assertRejects } from "@std/assert";
import { UnsupportedError } from "../../../../core/errors.ts";
import { GnomeSetter } from "../../../../ffi/wayland/layout/gnome_setter.ts";
import { temporary } from "../../../support/temporary.ts";

Deno.test({
  name: "settings that are not answered are an error after a while",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (folder) => {
      await Deno.writeTextFile(`${folder}/gsettings`, "#!/bin/sh\nexec /bin/sleep 600\n", { mode: 0o755 });
      const setter = new GnomeSetter({ PATH: folder }, 200);
      await assertRejects(() => setter.read(), UnsupportedError, "gsettings gave no answer");
    }),
});
