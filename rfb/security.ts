/** Authentication: VncAuth (RFC 6143 section 7.2.2), VeNCrypt's Plain, and Apple's Diffie-Hellman. */

import { concat } from "../core/bytes.ts";
import { nodeModule } from "../core/path.ts";
import { longs, message, uint16 } from "./protocol.ts";

/** Length of VncAuth's challenge and of the response, in bytes. */
export const CHALLENGE_LENGTH = 16;
/** Number of password characters that VncAuth uses. */
const VNC_PASSWORD_LENGTH = 8;
/** Maximum length of a name or password sent or accepted, in bytes. */
export const SECRET_LIMIT = 1024;

/**
 * Answers VncAuth's challenge: encrypts it with the password by DES. The bits of each key byte are reversed.
 * The library is loaded on first use, because node:crypto in Deno 2.9.6 has no DES.
 * @param password Latin-1 characters; those after the eighth are ignored.
 */
export async function vncAuthAnswer(password: string, challenge: Uint8Array): Promise<Uint8Array> {
  const { default: { DES } } = await import("des.js");
  const key = Array.from(
    { length: VNC_PASSWORD_LENGTH },
    (_, i) => reversed(password.charCodeAt(i) & 0xff || 0),
  );
  const cipher = DES.create({ type: "encrypt", key, padding: false });
  return Uint8Array.from([...cipher.update([...challenge]), ...cipher.final()]);
}

function reversed(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit++) result |= (byte >> bit & 1) << 7 - bit;
  return result;
}

/** A Plain message: a name and a password preceded by their lengths. */
export function plainMessage(name: string, password: string): Uint8Array {
  const encoder = new TextEncoder(), texts = [encoder.encode(name), encoder.encode(password)];
  return message(longs(...texts.map(({ length }) => length)), ...texts);
}

/** Length of each of the two texts encrypted in Apple's exchange, in bytes. */
const APPLE_FIELD = 64;
/** Maximum length of the prime in Apple's exchange, in bytes. */
export const APPLE_PRIME_LIMIT = 1024;

/**
 * Answers Apple's exchange (security type 30): encrypts a name and a password with a Diffie-Hellman key by
 * AES.
 * @param head The generator and the length of the prime, in 2 bytes each.
 * @param prime The prime modulus, most significant byte first.
 * @param theirs The server's public key.
 */
export function appleAnswer(
  head: Uint8Array,
  prime: Uint8Array,
  theirs: Uint8Array,
  name: string,
  password: string,
): Uint8Array {
  const { createDiffieHellman, createHash, createCipheriv, randomBytes } = nodeModule("node:crypto");
  const length = uint16(head, 2), exchange = createDiffieHellman(prime, head.subarray(0, 2));
  exchange.generateKeys();
  const secret = padded(exchange.computeSecret(theirs), length),
    block = new Uint8Array(randomBytes(2 * APPLE_FIELD));
  [name, password].forEach((text, i) => {
    const field = block.subarray(i * APPLE_FIELD, (i + 1) * APPLE_FIELD);
    const { written } = new TextEncoder().encodeInto(text, field.subarray(0, APPLE_FIELD - 1));
    field[written] = 0;
  });
  const cipher = createCipheriv("aes-128-ecb", createHash("md5").update(secret).digest(), null);
  cipher.setAutoPadding(false);
  return concat(cipher.update(block), cipher.final(), padded(exchange.getPublicKey(), length));
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  return bytes.length >= length ? bytes : concat(new Uint8Array(length - bytes.length), bytes);
}
