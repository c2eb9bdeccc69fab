/** Reads other programs' selections (ICCCM section 2.4). */

import { InputError, TimeLimitError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { PROPERTY, type SelectionConnection } from "./selection_connection.ts";
import { EVENT, type Property } from "./xcb_connection.ts";

/**
 * Maximum time for the program that owns the content to send an answer or a piece, in milliseconds; longer on
 * a busy machine.
 */
const OWNER_MS = 2000;
/** Interval between checks that the owner is still the same, in milliseconds. */
const OWNER_LOOK_MS = 100;
/** Maximum size of content to read, in bytes. */
const CONTENT_LIMIT = 64 * 1024 * 1024;
/** How long the rest of too large content is received and discarded, in milliseconds. */
const DRAIN_MS = 10_000;
/** Longer than any property, in units of 4 bytes. */
const WHOLE = 0x1fffffff;

/** Content as delivered by its owner. */
type SelectionContent = Property;

/**
 * Reads a selection in one target. Callers must read to the end and one at a time: xclip stops working when a
 * read is interrupted or another one begins before its end.
 * @param target The target, such as UTF8_STRING.
 * @param ms Maximum time for the program to be silent.
 * @param end The time by which all content must have arrived, on the scale of `performance.now()`.
 * @returns undefined if nothing is selected, or not in this target.
 * @throws TimeLimitError if the program does not answer, or not in time; InputError if the content is too large.
 */
export async function readSelection(
  connection: SelectionConnection,
  selection: number,
  target: number,
  ms = timeByLoad(OWNER_MS),
  end = Infinity,
): Promise<SelectionContent | undefined> {
  const { xcb, atoms: { DESKHAND, INCR } } = connection;
  // Each target has its own property, so that a late answer is not taken for another target.
  const name = `DESKHAND_${target}`, property = xcb.atoms([name])[name] || DESKHAND;
  const answerEnd = performance.now() + ms;
  let asked = 0;
  for (;;) {
    const owner = xcb.selectionOwner(selection);
    if (!owner) return undefined;
    // A replaced owner may exit without answering.
    const answer = await askOwner(connection, selection, target, property, asked !== owner);
    asked = owner;
    if (answer?.isGiven === false) return undefined;
    if (answer) break;
    if (performance.now() >= answerEnd) throw silent(ms);
  }
  const first = takeProperty(connection, property);
  if (first?.type !== INCR) return first;
  return await readPieces(connection, property, ms, end);
}

/**
 * Waits a while for the owner's answer.
 * @param isFirst Whether to ask the owner now; if false, it has already been asked.
 * @returns undefined if there is no answer yet.
 */
function askOwner(
  connection: SelectionConnection,
  selection: number,
  target: number,
  property: number,
  isFirst: boolean,
): Promise<{ isGiven: boolean } | undefined> {
  const { xcb: { xcb, connection: c }, window } = connection;
  const ask = () => {
    if (!isFirst) return;
    xcb.xcb_delete_property(c, window, property);
    xcb.xcb_convert_selection(c, window, selection, target, property, 0);
  };
  return connection.event(
    (event, type) =>
      type === EVENT.selectionNotify && event.getUint32(8, true) === window &&
        event.getUint32(12, true) === selection && event.getUint32(16, true) === target
        ? { isGiven: event.getUint32(20, true) !== 0 }
        : undefined,
    ask,
    OWNER_LOOK_MS,
  );
}

/**
 * Reads content in pieces: taking a piece requests the next, and an empty piece is the last. Too large
 * content is also read to its end, since xclip serves no other program before that.
 */
async function readPieces(
  connection: SelectionConnection,
  property: number,
  ms: number,
  end: number,
): Promise<SelectionContent> {
  const { window } = connection;
  let pieces: Uint8Array<ArrayBuffer>[] = [], size = 0, type = 0, format = 8, drainEnd = Infinity;
  while (performance.now() < drainEnd) {
    if (performance.now() >= end) {
      throw new TimeLimitError("the program that owns the clipboard sends it too slowly");
    }
    let piece = takeProperty(connection, property);
    if (!piece) {
      const isThere = await connection.event(
        (event, kind) =>
          kind === EVENT.propertyNotify && event.getUint32(4, true) === window &&
            event.getUint32(8, true) === property && event.getUint8(16) === PROPERTY.newValue || undefined,
        () => {},
        ms,
      );
      if (!isThere) throw silent(ms);
      piece = takeProperty(connection, property);
      if (!piece) continue; // the event belongs to a piece that has already been read
    }
    if (!piece.data.length) break;
    ({ type, format } = piece);
    size += piece.data.length;
    if (size <= CONTENT_LIMIT) {
      pieces.push(piece.data);
    } else if (drainEnd === Infinity) {
      pieces = [];
      drainEnd = performance.now() + DRAIN_MS;
    }
  }
  if (size > CONTENT_LIMIT) throw new InputError(`the clipboard holds more than ${CONTENT_LIMIT} bytes`);
  return { type, format, data: await new Blob(pieces).bytes() };
}

/** Reads a whole property and deletes it. */
function takeProperty({ xcb, window }: SelectionConnection, property: number): SelectionContent | undefined {
  return xcb.property(xcb.askProperty(window, property, WHOLE, true));
}

function silent(ms: number): TimeLimitError {
  return new TimeLimitError(`the program that owns the clipboard did not answer within ${ms} ms`);
}
