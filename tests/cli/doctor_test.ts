/** What `doctor` finds out by itself; what it asks of a desktop is tested with that. */

import { assertEquals } from "@std/assert";
import { portFinding } from "../../cli/doctor.ts";
import { LOOPBACK } from "../../http/listener.ts";

/** Not every machine has IPv6. */
function isHere(hostname: string): boolean {
  try {
    Deno.listen({ hostname, port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

Deno.test("a port is free only if it is on both loopback addresses", () => {
  for (const hostname of LOOPBACK.filter(isHere)) {
    const taken = Deno.listen({ hostname, port: 0 });
    const { port } = taken.addr, name = `port ${port}`;
    assertEquals(portFinding(port), { name, ok: false, detail: "taken by another program" });
    taken.close();
    assertEquals(portFinding(port), { name, ok: true, detail: "free" });
  }
});
