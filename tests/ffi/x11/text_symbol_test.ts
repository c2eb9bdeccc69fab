/** Symbols of characters, by the table that programs turn symbols into characters with. */

import { assertEquals } from "@std/assert";
import { Connection } from "../../../ffi/x11/connection.ts";
import { textSymbol } from "../../../ffi/x11/keyboard.ts";
import { need } from "../../support/need.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** Turns a symbol into a character, as `XmbLookupString` and `XLookupString` do. */
const LIBX11 = { KeySymToUcs4: { parameters: ["u64"], result: "u32" } } as const;

Deno.test(
  { name: "libX11 and libxkbcommon take every symbol for its character", ...need("Xvfb") },
  async () => {
    await using server = await Xvfb.start();
    const connection = Connection.open(server.display)!;
    const x11 = Deno.dlopen("libX11.so.6", LIBX11);
    const wrong: string[] = [];
    let count = 0;
    for (let code = 0x20; code <= 0x10ffff; code++) {
      const symbol = textSymbol(connection, code);
      if (!symbol || code === 0x7f) continue; // Delete is a key
      count++;
      const taken = [
        x11.symbols.KeySymToUcs4(BigInt(symbol)),
        connection.libraries.xkbcommon.xkb_keysym_to_utf32(symbol),
      ];
      if (taken.some((one) => one !== code)) wrong.push(`${code.toString(16)}: ${symbol.toString(16)}`);
    }
    assertEquals(wrong, []);
    assertEquals(count > 1_100_000, true, `${count}`);
    x11.close();
    connection.close();
  },
);
