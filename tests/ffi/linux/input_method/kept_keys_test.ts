/** Keys that GNOME Shell has given to IBus, on a made-up bus: which of them a wait is for. */

import { assertEquals, assertRejects } from "@std/assert";
import { StateError } from "../../../../core/errors.ts";
import { type Envelope, MESSAGE } from "../../../../ffi/linux/dbus/message.ts";
import type { Ibus } from "../../../../ffi/linux/input_method/ibus.ts";
import { KeptKeys } from "../../../../ffi/linux/input_method/kept_keys.ts";

const SHELL = ":1.7";

/** A shell that gives keys to IBus and gets them back when the test says so. */
async function stage() {
  const rules: string[] = [];
  const bus = {
    onCopy: (_: Partial<Envelope>) => {},
    callAsync: (_object: unknown, member: string) =>
      Promise.resolve(member === "GetNameOwner" ? [SHELL] : []),
    watch: (rule: string) => {
      rules.push(rule);
      return Promise.resolve(() => {});
    },
    stayAwake: () => () => {},
    onEnd: () => () => {},
  };
  const kept = (await KeptKeys.open({ bus, hasFocus: () => Promise.resolve(true) } as unknown as Ibus))!;
  return {
    kept,
    give: (serial: number) => bus.onCopy({ type: MESSAGE.call, serial }),
    giveBack: (replySerial: number, name: "method_return" | "error" = "method_return") => {
      const type = name === "error" ? MESSAGE.error : MESSAGE.reply;
      const isCopied = rules.includes(`type='${name}',destination='${SHELL}'`);
      if (isCopied) bus.onCopy({ type, destination: SHELL, replySerial });
    },
  };
}

Deno.test("a wait ends when IBus has given back the keys that were sent", async () => {
  const { kept, give, giveBack } = await stage(), order: string[] = [];
  give(1);
  const settled = kept.settle(2).then(() => order.push("settled"));
  giveBack(1);
  give(2);
  for (let i = 0; i < 20; i++) await undefined;
  order.push("given back");
  giveBack(2);
  await settled;
  assertEquals(order, ["given back", "settled"]);
});

Deno.test("a key that IBus answers by an error is back, as one of an engine that ended", async () => {
  const { kept, give, giveBack } = await stage();
  give(1);
  const settled = kept.settle(1);
  giveBack(1, "error");
  await settled;
});

Deno.test("after keys that IBus keeps, the next wait is for the keys that come then", async () => {
  const { kept, give, giveBack } = await stage(), order: string[] = [];
  give(1);
  await assertRejects(() => kept.settle(1), StateError, "the input method IBus has not handled the keys");
  const settled = kept.settle(1).then(() => order.push("settled"));
  for (let i = 0; i < 20; i++) await undefined; // the key has not reached the shell yet
  order.push("given");
  give(2);
  giveBack(2);
  await settled;
  assertEquals(order, ["given", "settled"]);
});
