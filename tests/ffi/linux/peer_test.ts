/** The other end of a connection: whether it has closed. */

import { assertEquals } from "@std/assert";
import { hasPeerClosed } from "../../../ffi/linux/peer.ts";
import { until } from "../../support/until.ts";

/** The address that is bound, and the one that is connected to. */
const ADDRESSES = [["127.0.0.1", "127.0.0.1"], ["::1", "::1"], ["::", "127.0.0.1"]] as const;

for (const [bound, hostname] of ADDRESSES) {
  Deno.test(`a peer at ${hostname} of a listener at ${bound} is seen to close its half, and to leave`, async () => {
    using listener = Deno.listen({ hostname: bound, port: 0 });
    const { port } = listener.addr;
    for (const end of ["closeWrite", "close"] as const) {
      const client = await Deno.connect({ hostname, port });
      using served = await listener.accept();
      await client.write(new Uint8Array(10));
      assertEquals(hasPeerClosed(port, served.remoteAddr), false);
      assertEquals(hasPeerClosed(port + 1, served.remoteAddr), undefined, "another port of this process");
      assertEquals(hasPeerClosed(port, { ...served.remoteAddr, hostname: "127.0.0.2" }), undefined);
      await client[end]();
      await until(() => hasPeerClosed(port, served.remoteAddr));
      if (end === "closeWrite") client.close();
    }
  });
}
