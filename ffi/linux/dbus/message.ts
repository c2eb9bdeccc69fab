/**
 * Messages of D-Bus as bytes: a header of fixed and of optional fields, and a body of values (D-Bus Specification,
 * "Message Format").
 */

import { concat } from "../../../core/bytes.ts";
import { aligned } from "./layout.ts";
import { ValueReader } from "./reader.ts";
import { MarshalError } from "./signature.ts";
import { type Sent, Variant } from "./values.ts";
import { ValueWriter } from "./writer.ts";

/** Types of messages. */
export const MESSAGE = { call: 1, reply: 2, error: 3, signal: 4 } as const;
/** Flags of a message. */
export const FLAG = { noReply: 1 } as const;
/**
 * The most bytes of a message that is read; of a longer one only the header is. What desktops answer is far smaller, and
 * pictures come through descriptors.
 */
export const MESSAGE_LIMIT = 1 << 24;
/** The most bytes of a message that the specification allows. */
export const LARGEST_MESSAGE = 1 << 27;

const LITTLE = "l".charCodeAt(0), BIG = "B".charCodeAt(0), VERSION = 1;
/** Byte offsets in the header; its optional fields begin with an array's length. */
const HEADER = { type: 1, flags: 2, version: 3, bodyLength: 4, serial: 8, fields: 12, fieldsStart: 16 };

/** The optional fields: number and type. */
const FIELDS = {
  path: { code: 1, signature: "o" },
  interface: { code: 2, signature: "s" },
  member: { code: 3, signature: "s" },
  errorName: { code: 4, signature: "s" },
  replySerial: { code: 5, signature: "u" },
  destination: { code: 6, signature: "s" },
  sender: { code: 7, signature: "s" },
  signature: { code: 8, signature: "g" },
  descriptors: { code: 9, signature: "u" },
} as const;

/** The optional fields of a message. */
export interface Fields {
  path?: string;
  interface?: string;
  member?: string;
  errorName?: string;
  /** The serial number of the call that this answers. */
  replySerial?: number;
  destination?: string;
  /** The unique name of the connection that sent it, by the bus. */
  sender?: string;
  signature?: string;
  /** How many file descriptors came with it. */
  descriptors?: number;
}

/** A message's header, and its body as bytes. */
export interface Envelope extends Fields {
  type: number;
  flags: number;
  serial: number;
  isLittle: boolean;
  body: Uint8Array;
}

/** A message to be sent. */
export interface Outgoing {
  type: number;
  flags?: number;
  /** From 1 up, and never the same on one connection. */
  serial: number;
  fields: Fields;
  /** Of the body. */
  signature: string;
  args: readonly Sent[];
}

/**
 * Encodes a message.
 * @returns The bytes, and the descriptors that go with them.
 * @throws MarshalError if the values do not fit the signature.
 */
export function encodeMessage(
  { type, flags = 0, serial, fields, signature, args }: Outgoing,
): { bytes: Uint8Array<ArrayBuffer>; descriptors: readonly number[] } {
  const body = new ValueWriter(), header = new ValueWriter();
  body.writeAll(signature, args);
  const all: Fields = { ...fields };
  if (signature) all.signature = signature;
  if (body.descriptors.length) all.descriptors = body.descriptors.length;
  const written = Object.entries(all).map(([name, value]) => {
    const field = FIELDS[name as keyof Fields];
    return [field.code, new Variant(field.signature, value)];
  });
  header.writeAll("yyyyuua(yv)", [LITTLE, type, flags, VERSION, body.bytes.length, serial, written]);
  header.align(8);
  return { bytes: concat(header.bytes, body.bytes), descriptors: body.descriptors };
}

/**
 * The length of the message that bytes begin with.
 * @returns undefined if too few have arrived to tell.
 * @throws MarshalError if they are no message, or one beyond {@linkcode LARGEST_MESSAGE}.
 */
export function messageLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER.fieldsStart) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    isLittle = isLittleEndian(bytes);
  if (bytes[HEADER.version] !== VERSION) throw new MarshalError("a message has another version");
  const fields = view.getUint32(HEADER.fields, isLittle), body = view.getUint32(HEADER.bodyLength, isLittle);
  if (fields > LARGEST_MESSAGE || body > LARGEST_MESSAGE) throw new MarshalError("a message is too long");
  return aligned(HEADER.fieldsStart + fields, 8) + body;
}

/**
 * Decodes a message without its body's values.
 * @param bytes All of it, by {@linkcode messageLength}; of the body any part.
 * @throws MarshalError if it is none.
 */
export function decodeEnvelope(bytes: Uint8Array): Envelope {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    isLittle = isLittleEndian(bytes);
  const reader = new ValueReader(bytes, isLittle, [], HEADER.fields);
  const fields = new Map(reader.readAll("a(yv)")[0] as [number, unknown][]);
  const envelope: Envelope = {
    type: bytes[HEADER.type],
    flags: bytes[HEADER.flags],
    serial: view.getUint32(HEADER.serial, isLittle),
    isLittle,
    body: bytes.subarray(aligned(reader.at, 8)),
  };
  for (const [name, { code, signature }] of Object.entries(FIELDS)) {
    const value = fields.get(code);
    if (value === undefined) continue;
    const isRight = signature === "u" ? typeof value === "number" : typeof value === "string";
    if (!isRight) {
      throw new MarshalError("a field of a message has another type");
    }
    Object.assign(envelope, { [name]: value });
  }
  return envelope;
}

/**
 * Decodes the values of a message.
 * @param descriptors Came with it.
 * @throws MarshalError if its bytes do not fit its signature.
 */
export function decodeBody(envelope: Envelope, descriptors: readonly number[]): unknown[] {
  const reader = new ValueReader(envelope.body, envelope.isLittle, descriptors);
  const values = reader.readAll(envelope.signature ?? "");
  reader.expectEnd();
  return values;
}

function isLittleEndian(bytes: Uint8Array): boolean {
  if (bytes[0] !== LITTLE && bytes[0] !== BIG) throw new MarshalError("a message has no byte order");
  return bytes[0] === LITTLE;
}
