/** A connection that reads the pointer's place and the person's keyboard layout. */

import type { Point } from "../../../control/desktop.ts";
import { compositorGone, Connection } from "../wire/connection.ts";
import { KnownPlace } from "../wire/known_place.ts";
import { Outputs } from "../wire/outputs.ts";
import { parseLayout, type PersonLayout } from "./person_layout.ts";
import { PointerQuery } from "../wire/pointer_query.ts";
import { Registry } from "../wire/registry.ts";
import { Seat } from "../wire/seat.ts";
import { VirtualPointer } from "../wire/virtual_pointer.ts";

/** The pointer's place and the keyboard layout of a person, as the compositor knows them. */
export class PersonView {
  /** The layout; undefined until the compositor sends a map of another keyboard than deskhand's. */
  layout: PersonLayout | undefined;
  readonly #place: KnownPlace;

  private constructor(readonly connection: Connection) {
    const registry = new Registry(connection);
    const seat = new Seat(connection, registry), outputs = new Outputs(connection, registry);
    // Only compositors with virtual pointers need a nudge by a virtual pointer; some others do not report the pointer
    // at all.
    const device = VirtualPointer.isOffered(registry)
      ? new VirtualPointer(connection, registry, seat.object)
      : undefined;
    const query = PointerQuery.open(connection, registry, outputs, seat.object);
    this.#place = KnownPlace.byQuery(outputs, query, () => device?.nudge());
    connection.roundtrip();
    if (!seat.hasKeyboard) return;
    seat.readKeymaps((text) => this.layout = parseLayout(text) ?? this.layout);
    connection.roundtrip();
  }

  /**
   * Connects to the compositor.
   * @param path The path of the compositor's socket.
   * @throws DesktopUnavailableError if no compositor is there.
   */
  static open(path: string): PersonView {
    return Connection.openFor(path, (connection) => new PersonView(connection)) ?? compositorGone(path);
  }

  /**
   * The place of the pointer.
   * @throws StateError if the compositor does not say; DesktopUnavailableError if it is gone.
   */
  async position(): Promise<Point> {
    return await this.#place.look();
  }

  close(): void {
    this.#place.close();
    this.connection.close();
  }
}
