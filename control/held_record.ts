/**
 * A record of the keys and buttons that a process holds down on a desktop: systems keep the keys and buttons of a killed
 * program down, and the next start on the same desktop releases them.
 */

import { ProcessRecord } from "../core/process_record.ts";
import { BUTTONS, type DesktopIdentity, type Held } from "./desktop.ts";

/** The content of a file. */
interface Content extends DesktopIdentity {
  held: Held[];
}

/** The record of one process and desktop. */
export class HeldRecord {
  readonly #record: ProcessRecord<Content>;
  #isClosed = false;

  /**
   * @param identity Tells which desktop it is, and which server runs it now.
   * @param path Makes the path of a file of the state folder.
   */
  constructor(readonly identity: () => DesktopIdentity, path?: (name: string) => string) {
    this.#record = new ProcessRecord("held", contentOf, path);
  }

  /** Writes the held keys and buttons, before a press is sent. */
  write(held: readonly Held[]): void {
    if (!this.#isClosed) this.#record.write({ ...this.identity(), held: [...held] });
  }

  /**
   * Takes the keys and buttons that killed processes held on this desktop. Records of a server that is gone are
   * dropped, since its keys ended with it.
   * @param take Receives the keys and buttons of a process.
   */
  takeLeft(take: (held: Held[]) => void): void {
    const { address, server } = this.identity();
    this.#record.takeLeft((content) => content.address === address, (content) => {
      if (content.held.length && content.server === server) take(content.held);
    });
  }

  /** Ends the record, when nothing is held. Safe to call twice. */
  close(): void {
    this.#isClosed = true;
    this.#record.clear();
  }
}

function contentOf(json: string): Content {
  const { address, server, held } = JSON.parse(json);
  return { address, server, held: held.filter(isHeld) };
}

function isHeld(value: unknown): value is Held {
  if (!Array.isArray(value)) return false;
  const [kind, name] = value;
  return kind === "key" ? typeof name === "string" : kind === "button" && BUTTONS.includes(name);
}
