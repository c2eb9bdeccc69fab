/** Certificate and key for TLS, checked before a port is bound. */

import { describeFileError, UsageError } from "../core/errors.ts";
import { nodeModule } from "../core/path.ts";

/** Certificate chain and private key in PEM. */
export interface Tls {
  cert: string;
  key: string;
}

/**
 * Reads a certificate chain and its private key.
 * @param certFile
 * @param keyFile PEM files; both or neither.
 * @returns undefined if neither file is given.
 * @throws UsageError naming the file that cannot be read, is not PEM, or does not fit the other file.
 */
export function readTls(certFile: string | undefined, keyFile: string | undefined): Tls | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new UsageError(
      `--cert and --key go together; ${certFile === undefined ? "--cert" : "--key"} is missing`,
    );
  }
  const { createPrivateKey, X509Certificate } = nodeModule("node:crypto");
  const cert = readFile("--cert", certFile), key = readFile("--key", keyFile);
  const certificate = parsed("--cert", certFile, "a PEM certificate", () => new X509Certificate(cert));
  const privateKey = parsed(
    "--key",
    keyFile,
    "a PEM private key without a passphrase",
    () => createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new UsageError(`--key ${keyFile} is not the key of the certificate in --cert ${certFile}`);
  }
  return { cert, key };
}

function readFile(option: string, file: string): string {
  try {
    return Deno.readTextFileSync(file);
  } catch (error) {
    throw new UsageError(`${option} ${file} cannot be read: ${describeFileError(error)}`, { cause: error });
  }
}

function parsed<T>(option: string, file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(`${option} ${file} does not hold ${what}`, { cause: error });
  }
}
