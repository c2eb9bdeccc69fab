/** Every encoding that deskhand requests, as sent by other projects' servers, and TLS. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { NoDesktopError } from "../../../core/errors.ts";
import type { FromReceiver } from "../../../ffi/vnc/receiver.ts";
import { openVnc, type VncDesktop } from "../../../ffi/vnc/mod.ts";
import { SharedPicture } from "../../../ffi/vnc/picture.ts";
import { Receiver } from "../../../ffi/vnc/receiver.ts";
import { ENCODING } from "../../../rfb/protocol.ts";
import { certificate } from "../../support/certificate.ts";
import { need } from "../../support/need.ts";
import { temporary, until } from "../../support/shell.ts";
import { SIZE, startXvnc, VNC_SERVERS } from "../../support/vnc_servers.ts";

/** Encodings, each requested alone, with CopyRect. */
const ENCODINGS = ["raw", "zrle", "zlib", "tight", "hextile", "rre"] as const;

for (const { name, needs, start } of VNC_SERVERS.filter(({ name }) => name !== "wayvnc")) {
  Deno.test(`${name}: every encoding yields the server's picture, pixel for pixel`, needs, async (test) => {
    await using server = await start();
    await using _drawn = await server.typewriter();
    for (const [i, encoding] of ENCODINGS.entries()) {
      await test.step(encoding, async () => {
        const reports: FromReceiver[] = [], list = [ENCODING[encoding], ENCODING.copyRect, ENCODING.cursor];
        const receiver = new Receiver((report) => reports.push(report), list);
        receiver.handle({ type: "open", target: { host: "127.0.0.1", port: server.port, user: "" } });
        const opened = await until(() => reports.find(({ type }) => type === "opened"));
        if (opened?.type !== "opened") throw new Error("not opened");
        const picture = new SharedPicture(opened.picture), words = new Int32Array(SIZE.width * SIZE.height);
        // Xvnc draws the cursor if another viewer or program has moved it, until this viewer does.
        receiver.handle({ type: "send", bytes: Uint8Array.of(5, 0, 2, 10 * i, 1, 144), number: 1 });
        await until(
          async () => {
            const seen = await server.pixels();
            picture.copy(picture.region, words);
            return words.findIndex((word, i) =>
              (seen[3 * i] << 16 | seen[3 * i + 1] << 8 | seen[3 * i + 2]) !== (word & 0xffffff)
            );
          },
          (place) => place === -1,
          (place) => `the pictures differ at pixel ${place}`,
        );
        const ended = new Int32Array(new SharedArrayBuffer(4));
        receiver.handle({ type: "close", ended });
        await until(() => ended[0] === 1);
      });
    }
  });
}

Deno.test(
  "TLS: refuses an untrusted certificate with its fingerprint, and accepts it by that",
  need("Xvnc", "openssl"),
  async () => {
    await temporary(async (folder) => {
      const { cert, key } = await certificate(folder);
      await using server = await startXvnc([
        "-SecurityTypes",
        "X509None",
        "-X509Cert",
        cert,
        "-X509Key",
        key,
      ]);
      const error = await assertRejects(() => openVnc(server.address, {}, () => {}), NoDesktopError);
      assertMatch(error.message, /if its SHA-256 fingerprint is right: --desktop-cert [0-9a-f]{64}$/);
      const print = error.message.slice(-64), other = "0".repeat(64);
      await assertRejects(
        () => openVnc(server.address, { certificate: other }, () => {}),
        NoDesktopError,
        print,
      );
      const desktop = await openVnc(server.address, { certificate: print }, () => {}) as VncDesktop;
      assertEquals([desktop.link.isSecure, desktop.screen.layout().width], [true, 640]);
      desktop.close();
    });
  },
);
