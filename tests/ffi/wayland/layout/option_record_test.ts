/** The record of what deskhand has changed of the person's keyboard settings. */

import { assertEquals, assertThrows } from "@std/assert";
import { BusyError } from "../../../../core/errors.ts";
import { OptionRecord } from "../../../../ffi/wayland/layout/option_record.ts";
import { temporary } from "../../../support/temporary.ts";

const CHANGED = { config: "/home/a/.config", before: null };

Deno.test({
  name: "a record has one owner, keeps what is to be put back, and is closed though its folder was removed",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (state) => {
      Deno.env.set("XDG_STATE_HOME", state);
      const record = OptionRecord.open("test");
      assertThrows(() => OptionRecord.open("test"), BusyError, "another deskhand");
      record.write(CHANGED);
      record.close({ clear: false });
      const second = OptionRecord.open("test");
      assertEquals(second.read(), CHANGED);
      second.close({ clear: true });
      assertEquals(OptionRecord.isThere("test"), false);
      const third = OptionRecord.open("test");
      await Deno.remove(`${state}/deskhand`, { recursive: true });
      third.close({ clear: true });
      Deno.env.delete("XDG_STATE_HOME");
    }),
});
