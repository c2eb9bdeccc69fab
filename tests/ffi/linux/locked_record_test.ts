/** The record of deskhand's changes of a person's settings. */

import { assertEquals, assertThrows } from "@std/assert";
import { BusyError } from "../../../core/errors.ts";
import { LockedRecord } from "../../../ffi/linux/locked_record.ts";
import { temporary } from "../../support/temporary.ts";

const CHANGED = { config: "/home/a/.config", before: null };

Deno.test({
  name: "a record has one owner, keeps what is to be put back, and is closed though its folder was removed",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    temporary(async (state) => {
      Deno.env.set("XDG_STATE_HOME", state);
      const record = LockedRecord.open("test.json");
      assertThrows(() => LockedRecord.open("test.json"), BusyError, "another deskhand");
      record.write(CHANGED);
      record.close({ clear: false });
      const second = LockedRecord.open("test.json");
      assertEquals(second.read(), CHANGED);
      second.close({ clear: true });
      assertEquals(LockedRecord.isThere("test.json"), false);
      const third = LockedRecord.open("test.json");
      await Deno.remove(`${state}/deskhand`, { recursive: true });
      third.close({ clear: true });
      Deno.env.delete("XDG_STATE_HOME");
    }),
});
