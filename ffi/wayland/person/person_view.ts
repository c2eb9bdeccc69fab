/** A connection that reads the pointer's position and the person's keyboard layout. */

import type { Point } from "../../../control/desktop/desktop.ts";
import { canonicalKey } from "../../../control/desktop/keys.ts";
import { compositorGone, Connection, type Registry } from "../wire/connection.ts";
import { CHARACTER_KEYS, NAMES_BY_CODE, XKB_OFFSET } from "../wire/keymaps.ts";
import { KnownPlace } from "../wire/known_place.ts";
import { Outputs } from "../wire/outputs.ts";
import { PointerQuery, VirtualPointer } from "../wire/pointer.ts";
import { Seat } from "../wire/seat.ts";

// The layout of the person's keyboard, from the map that the compositor sends as text (XKB text format, as
// written by libxkbcommon). Pure.

/** A key's names or characters alone, with Shift, with AltGr, and with both; undefined for none. */
type KeyLevels = readonly (string | undefined)[];

/** Keys by code. */
export type PersonLayout = ReadonlyMap<number, KeyLevels>;

/** The layout of a US keyboard, used until the compositor sends a map of the person's. */
export const US_LAYOUT: PersonLayout = new Map<number, KeyLevels>([
  ...[...NAMES_BY_CODE].map(([code, name]) => [code, [name]] as const),
  ...CHARACTER_KEYS.map(({ code, plain, shifted }) => [code, [plain, shifted]] as const),
]);

/**
 * Reads a map.
 * @returns undefined if the text is deskhand's own map, or not a map.
 */
export function parseLayout(text: string): PersonLayout | undefined {
  if (/xkb_keycodes\s*"deskhand"/.test(text)) return undefined;
  const codes = new Map<string, number>();
  for (const [, name, code] of text.matchAll(/<([\w+-]+)>\s*=\s*(\d+)\s*;/g)) {
    codes.set(name, Number(code) - XKB_OFFSET);
  }
  for (const [, alias, name] of text.matchAll(/alias\s*<([\w+-]+)>\s*=\s*<([\w+-]+)>\s*;/g)) {
    if (codes.has(name)) codes.set(alias, codes.get(name)!);
  }
  const layout = new Map<number, KeyLevels>();
  for (const [, name, body] of text.matchAll(/\bkey\s*<([\w+-]+)>\s*\{([^}]*)\}/g)) {
    const code = codes.get(name), levels = firstGroup(body);
    if (code !== undefined && levels) layout.set(code, levels.map(nameOf));
  }
  return layout.size ? layout : undefined;
}

/** The symbols of a key in the first layout. */
function firstGroup(body: string): string[] | undefined {
  const list = /symbols\[(?:Group)?1\]\s*=\s*\[([^\]]*)\]/i.exec(body) ?? /(?:^|,)\s*\[([^\]]*)\]/.exec(body);
  return list?.[1].split(",").map((symbol) => symbol.trim());
}

/** deskhand's name for a symbol: a key's name, or a character. */
function nameOf(symbol: string): string | undefined {
  if (!symbol || symbol === "NoSymbol") return undefined;
  return canonicalKey(/^0x[0-9a-f]+$/i.test(symbol) ? `keysym:${symbol.toLowerCase()}` : symbol);
}

/** The pointer's position and a person's keyboard layout, as the compositor knows them. */
export class PersonView {
  /** The layout; undefined until the compositor sends the map of a keyboard other than deskhand's. */
  layout: PersonLayout | undefined;
  readonly #place: KnownPlace;

  private constructor(readonly connection: Connection, registry: Registry, seat: Seat, outputs: Outputs) {
    // Only compositors with virtual pointers need a nudge by a virtual pointer; some others do not report the
    // pointer at all.
    const device = VirtualPointer.isOffered(registry)
      ? new VirtualPointer(connection, registry, seat.object)
      : undefined;
    const query = PointerQuery.open(connection, registry, outputs, seat.object);
    this.#place = KnownPlace.byQuery(outputs, query, () => device?.nudge());
    if (seat.hasKeyboard) seat.readKeymaps((text) => this.layout = parseLayout(text) ?? this.layout);
  }

  /**
   * Connects to the compositor.
   * @param path The path of the compositor's socket.
   * @throws DesktopUnavailableError if there is no compositor.
   */
  static async open(path: string): Promise<PersonView> {
    const make = async (connection: Connection, registry: Registry) => {
      // Outputs wait for an answer, after which the seat's devices are known, too.
      const seat = new Seat(connection, registry), outputs = await Outputs.open(connection, registry);
      const view = new PersonView(connection, registry, seat, outputs);
      await connection.handled();
      return view;
    };
    return await Connection.openFor(path, make) ?? compositorGone(path);
  }

  /**
   * The pointer's position.
   * @throws StateError if the compositor does not report it; DesktopUnavailableError if it is gone.
   */
  async position(): Promise<Point> {
    return await this.#place.look();
  }

  close(): void {
    this.#place.close();
    this.connection.close();
  }
}
