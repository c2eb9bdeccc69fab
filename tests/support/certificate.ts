/** TLS certificates, created with openssl. */

import { assert } from "@std/assert";
import { join } from "@std/path";

/** The paths of a certificate and its key, in PEM format. */
export interface Certificate {
  cert: string;
  key: string;
}

/**
 * Creates a self-signed certificate for localhost, and its key.
 * @param name The name of its two files in the folder, without `.pem` and `.key`.
 */
export async function certificate(folder: string, name = "cert"): Promise<Certificate> {
  const cert = join(folder, `${name}.pem`), key = join(folder, `${name}.key`);
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...[
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "2",
      ],
      ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
      ...["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", cert],
    ],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return { cert, key };
}
