/** The address of IBus, by the environment and its files. */

import { assertEquals } from "@std/assert";
import { ibusSockets } from "../../../../ffi/linux/input_method/ibus.ts";
import { temporary } from "../../../support/temporary.ts";

Deno.test("the address of IBus is that of the display, or the environment's", () =>
  temporary(async (folder) => {
    const bus = `${folder}/ibus/bus`;
    await Deno.mkdir(bus, { recursive: true });
    const write = (name: string, address: string) =>
      Deno.writeTextFile(`${bus}/${name}`, `# IBus\nIBUS_ADDRESS=${address}\nIBUS_DAEMON_PID=1\n`);
    await write("0123-unix-0", "unix:path=/x11,guid=1");
    await write("0123-unix-wayland-0", "unix:abstract=/wayland,guid=2");
    const config = { XDG_CONFIG_HOME: folder };
    const cases: [env: Record<string, string>, display: string, sockets: string[]][] = [
      [config, "0", ["/x11"]],
      [config, "wayland-0", ["\0/wayland"]],
      [config, "wayland-1", []],
      [{ HOME: folder }, "0", []],
      [{ ...config, IBUS_ADDRESS: "unix:path=/own" }, "wayland-1", ["/own"]],
      [{}, "0", []],
    ];
    for (const [env, display, sockets] of cases) {
      assertEquals(ibusSockets(display, (name) => env[name]), sockets, JSON.stringify([env, display]));
    }
  }));
