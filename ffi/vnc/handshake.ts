/** The start of a connection to a VNC server: version, security and the desktop's initial properties. */

import { NoDesktopError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { FORMAT_LENGTH } from "../../rfb/pixel_format.ts";
import {
  longs,
  message,
  type Minor,
  minorOf,
  SECURITY,
  uint16,
  uint32,
  VERSION_LENGTH,
  versionText,
} from "../../rfb/protocol.ts";
import {
  APPLE_PRIME_LIMIT,
  appleAnswer,
  CHALLENGE_LENGTH,
  plainMessage,
  vncAuthAnswer,
} from "../../rfb/security.ts";
import type { ByteStream } from "../../rfb/stream.ts";
import type { VncTarget } from "./address.ts";

/** Maximum length of a refusal's reason, and of a desktop's name, in bytes. */
const REASON_LIMIT = 4096, NAME_LIMIT = 65536;
/** Maximum number of pixels in a screen: 8192 by 8192. */
const PIXEL_LIMIT = 1 << 26;
/** VeNCrypt subtypes for anonymous TLS, which Deno does not support. */
const ANONYMOUS: readonly number[] = [257, 258, 259];
/** Security types and VeNCrypt subtypes, each in order of preference. */
const TYPES: readonly number[] = [SECURITY.veNCrypt, SECURITY.appleDh, SECURITY.vncAuth, SECURITY.none];
const SUBTYPES: readonly number[] = [
  SECURITY.x509Plain,
  SECURITY.x509Vnc,
  SECURITY.x509None,
  SECURITY.plain,
  SECURITY.vncAuth,
  SECURITY.none,
];

type Exchange = (stream: ByteStream, target: VncTarget) => Promise<void>;

const sendPlain: Exchange = (stream, { user, password = "" }) => {
  return Promise.resolve(stream.write(plainMessage(user, password)));
};
const answerChallenge: Exchange = async (stream, { password = "" }) => {
  stream.write(await vncAuthAnswer(password, await stream.take(CHALLENGE_LENGTH)));
};

/** Types that send a password, and their exchanges. */
const WITH_PASSWORD: Readonly<Record<number, Exchange>> = {
  [SECURITY.vncAuth]: answerChallenge,
  [SECURITY.x509Vnc]: answerChallenge,
  [SECURITY.plain]: sendPlain,
  [SECURITY.x509Plain]: sendPlain,
  async [SECURITY.appleDh](stream, { user, password = "" }) {
    const head = await stream.take(4), length = uint16(head, 2);
    if (length > APPLE_PRIME_LIMIT) throw new NoDesktopError(`the VNC server's key is ${length} bytes long`);
    const prime = await stream.take(length);
    stream.write(appleAnswer(head, prime, await stream.take(length), user, password));
  },
};

/** The server offers no VeNCrypt subtype that deskhand supports, but other security types. */
export class WithoutVeNCrypt extends Error {}

/** The properties of a server that has accepted deskhand. */
export interface Greeting {
  name: string;
  width: number;
  height: number;
  /** Whether the connection is encrypted. */
  isSecure: boolean;
}

/**
 * Performs the handshake with a server. The caller limits the time.
 * @param avoids Whether to avoid VeNCrypt.
 * @throws NoDesktopError if it is not a VNC server, refuses deskhand, or requires something that deskhand
 * does not support; WithoutVeNCrypt; StreamEnded.
 */
export async function greet(stream: ByteStream, target: VncTarget, avoids: boolean): Promise<Greeting> {
  const version = new TextDecoder().decode(await stream.take(VERSION_LENGTH)), minor = minorOf(version);
  if (!minor) {
    throw new NoDesktopError(`it is not a VNC server: it answered ${JSON.stringify(printable(version, 40))}`);
  }
  stream.write(new TextEncoder().encode(versionText(minor)));
  const offered = await offeredTypes(stream, minor);
  const type = choose(TYPES.filter((one) => !(avoids && one === SECURITY.veNCrypt)), offered, target, "type");
  if (minor > 3) stream.write(Uint8Array.of(type));
  const isSecure = type === SECURITY.veNCrypt && await veNCrypt(stream, target, offered.length > 1);
  await WITH_PASSWORD[type]?.(stream, target);
  if (type !== SECURITY.none || minor === 8) await checkResult(stream, minor);
  stream.write(Uint8Array.of(1)); // other viewers stay connected
  const head = await stream.take(8 + FORMAT_LENGTH), length = uint32(head, 4 + FORMAT_LENGTH);
  if (length > NAME_LIMIT) throw new NoDesktopError(`its desktop name is ${length} bytes long`);
  const name = printable(new TextDecoder().decode(await stream.take(length)), 80);
  const size = { width: uint16(head, 0), height: uint16(head, 2) };
  checkSize(size);
  return { name, ...size, isSecure };
}

/** @throws NoDesktopError if deskhand does not support a screen of this size. */
export function checkSize({ width, height }: { width: number; height: number }): void {
  if (width > 0 && height > 0 && width * height <= PIXEL_LIMIT) return;
  throw new NoDesktopError(`the VNC server reported a screen of ${width}x${height} pixels`);
}

async function offeredTypes(stream: ByteStream, minor: Minor): Promise<number[]> {
  if (minor === 3) {
    const type = uint32(await stream.take(4), 0);
    if (!type) throw refusal(await reason(stream));
    return [type];
  }
  const [count] = await stream.take(1);
  if (!count) throw refusal(await reason(stream));
  return [...await stream.take(count)];
}

/** Chooses the first type that deskhand supports. */
function choose(known: readonly number[], offered: number[], target: VncTarget, what: string): number {
  const both = known.filter((type) => offered.includes(type));
  const type = both.find((one) => target.password !== undefined || !WITH_PASSWORD[one]);
  if (type !== undefined) return type;
  if (both.length) {
    throw new NoDesktopError(
      "the VNC server requires a password: pass it with --desktop-password-file or DESKHAND_DESKTOP_PASSWORD",
    );
  }
  throw new NoDesktopError(
    `the VNC server offers only the security ${what}s ${
      offered.join(", ")
    }, none of which deskhand supports` +
      (offered.some((one) => ANONYMOUS.includes(one))
        ? "; TigerVNC's server needs -SecurityTypes X509Vnc or VncAuth"
        : ""),
  );
}

/** @returns Whether the connection is now encrypted. */
async function veNCrypt(stream: ByteStream, target: VncTarget, hasOthers: boolean): Promise<boolean> {
  await stream.take(2);
  stream.write(Uint8Array.of(0, 2));
  const [refused, count] = await stream.take(2);
  if (refused) throw new NoDesktopError("the VNC server does not use VeNCrypt version 0.2");
  const bytes = await stream.take(4 * count);
  const offered = Array.from({ length: count }, (_, i) => uint32(bytes, 4 * i));
  if (hasOthers && !SUBTYPES.some((type) => offered.includes(type))) throw new WithoutVeNCrypt();
  const type = choose(SUBTYPES, offered, target, "subtype"), isSecure = type >= SECURITY.x509None;
  stream.write(longs(type));
  if (type >= SECURITY.plain && isSecure) {
    const [isTaken] = await stream.take(1);
    if (!isTaken) throw new NoDesktopError("the VNC server refused TLS");
    checkCertificate(await stream.secureAsClient(target.host), target);
  }
  await WITH_PASSWORD[type]?.(stream, target);
  return isSecure;
}

function checkCertificate(
  found: { fingerprint: string; isTrusted: boolean },
  { certificate }: VncTarget,
): void {
  if (certificate === undefined ? found.isTrusted : certificate === found.fingerprint) return;
  throw new NoDesktopError(
    certificate === undefined
      ? `the VNC server's certificate is not trusted; if its SHA-256 fingerprint is right: --desktop-cert ${found.fingerprint}`
      : `the VNC server's certificate does not match --desktop-cert: its SHA-256 fingerprint is ${found.fingerprint}`,
  );
}

async function checkResult(stream: ByteStream, minor: Minor): Promise<void> {
  const result = uint32(await stream.take(4), 0);
  if (result) throw refusal(minor === 8 ? await reason(stream) : "wrong password");
}

async function reason(stream: ByteStream): Promise<string> {
  const length = uint32(await stream.take(4), 0);
  return printable(new TextDecoder().decode(await stream.take(Math.min(length, REASON_LIMIT))), 200);
}

function refusal(why: string): NoDesktopError {
  return new NoDesktopError(`the VNC server refused the connection: ${why}`);
}

/** The client's first messages: the pixel format, and the encodings that deskhand accepts. */
export function firstMessages(format: Uint8Array, encodings: readonly number[]): Uint8Array {
  return message([0, 0, 0, 0], format, [2, 0, encodings.length >> 8, encodings.length], longs(...encodings));
}
