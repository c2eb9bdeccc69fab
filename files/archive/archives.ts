/** Archives of folders, made while they are sent: planned on one thread and read on another. */

import { CallWorker } from "../../core/worker.ts";
import { BusyError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";
import { RequestError } from "../../http/request.ts";
import { streamOf } from "../../http/stream.ts";
import { notFound } from "../file_errors.ts";
import type { Named } from "../listing/listing.ts";
import type { Piece } from "../plan.ts";
import { readAhead } from "../read.ts";
import { type DescribeOptions, represent, type Representation } from "../representation.ts";
import type { Root } from "../resolve.ts";
import type { Bytes } from "../../core/bytes.ts";
import { type ArchivePlan, type FormatName, FORMATS, memoryOf, type Order } from "./plan.ts";
import { type Part, type Sum, type Sums, sumsFor } from "./read.ts";
import type { Source } from "./members.ts";

/** The number of folders that may wait to be walked through. */
const WAITING_LIMIT = 64;
/** The bytes of plans under way to clients above which no archive is begun: two archives of a million members. */
const PLANS_LIMIT = 256 * 1024 * 1024;
/** Bytes read at once, as of a large file. */
const CHUNK = 512 * 1024;
/** Bytes, and members, that are read into checksums at once. */
const SUMMED_CHUNK = 8 * 1024 * 1024, SUMMED_MEMBERS = 1000;
/** The bytes of plans that are kept for further requests, with the checksums that were read. */
const KEPT_LIMIT = 32 * 1024 * 1024;
/**
 * The time that the thread that plans may take for an archive, in milliseconds, before it is ended: the longest walk,
 * and the layout of 5 million members.
 */
const PLAN_LIMIT_MS = 30_000;
/** The longest time to read a chunk, in milliseconds: deskhand does not wait longer for a disk that does not answer. */
const READ_LIMIT_MS = 10_000;
/** The time that the threads that plan and read stay without work, in milliseconds. */
const IDLE_MS = 10_000;

/**
 * The archive that a request asks for with `archive`.
 * @param query Without `?`.
 * @returns undefined if the query asks for no archive.
 * @throws RequestError 400 if the format is unknown.
 */
export function archiveFormat(query: string): FormatName | undefined {
  const format = new URLSearchParams(query).get("archive");
  if (format === null) return undefined;
  if (Object.hasOwn(FORMATS, format)) return format as FormatName;
  throw new RequestError(400, `archive must be one of ${Object.keys(FORMATS).join(", ")}.`);
}

/** Makes archives of the folders below a root. */
export class Archives {
  readonly #walks = new Mutex(WAITING_LIMIT, "Too many folders are being archived; try again later.");
  readonly #planner = new CallWorker<Order, ArchivePlan>({
    url: { url: new URL("../workers.ts", import.meta.url), role: "plan" },
    idleMs: IDLE_MS,
    limitMs: PLAN_LIMIT_MS,
  });
  readonly #reader = new CallWorker<Part | Sums, Bytes>({
    url: { url: new URL("../workers.ts", import.meta.url), role: "read" },
    idleMs: IDLE_MS,
    limitMs: READ_LIMIT_MS,
  });
  /** The plans under way to clients, each with the number of its clients. */
  readonly #held = new Map<ArchivePlan, number>();
  /** Plans of earlier requests, the least recently used first, by their folder and digest. */
  readonly #kept = new Map<string, ArchivePlan>();

  /**
   * @param plansLimit The bytes of all plans under way above which no further archive begins.
   * @param walkMs How long a walk may take, in milliseconds; as long as {@linkcode walk} says if left out.
   */
  constructor(readonly root: Root, readonly plansLimit = PLANS_LIMIT, readonly walkMs?: number) {}

  /**
   * Plans an archive.
   * @param client Aborted when the client leaves, which ends the walk.
   * @throws RequestError 404 if the folder is gone, 403 if it has too many entries, 499 if the client has left;
   * BusyError if too many folders wait or too many archives are under way, or the walk takes too long.
   */
  async plan(
    { real, info, lexicalPath, names }: Named,
    format: FormatName,
    client: AbortSignal,
  ): Promise<ArchivePlan> {
    return await this.#walks.run(() => {
      if (bytesOf(this.#held.keys()) >= this.plansLimit) {
        throw new BusyError("Too many archives of large folders are being sent; try again later.");
      }
      const source: Source = {
        root: this.root.data(),
        folder: real,
        identity: { dev: info.dev, ino: info.ino },
        lexicalPath,
        name: names.at(-1) ?? "files",
      };
      return this.#plan({ source, format, longestMs: this.walkMs }, client).then((plan) => this.#keep(plan));
    }, { waiter: { signal: client } }).catch((error) => {
      throw client.aborted ? new RequestError(499, "The client disconnected.") : error;
    });
  }

  /**
   * Keeps a plan for further requests.
   * @returns The plan of an earlier request if the archive has not changed, which has checksums already.
   */
  #keep(plan: ArchivePlan): ArchivePlan {
    const key = `${plan.digest} ${plan.members.base}`, known = this.#kept.get(key) ?? plan;
    this.#kept.delete(key);
    this.#kept.set(key, known);
    for (const oldest of this.#kept.keys()) {
      if (bytesOf(this.#kept.values()) <= KEPT_LIMIT) break;
      this.#kept.delete(oldest);
    }
    return known;
  }

  async #plan(order: Order, client: AbortSignal): Promise<ArchivePlan> {
    client.throwIfAborted();
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const leave = () => Atomics.store(stop, 0, 1);
    client.addEventListener("abort", leave);
    try {
      return await this.#planner.call({ ...order, stop });
    } catch (error) {
      // Only the name and the message of an error cross threads. 404 is the one status that a walk throws.
      if ((error as Error).name === "RequestError") throw notFound();
      if ((error as Error).name === "InputError") throw new RequestError(403, (error as Error).message);
      throw error;
    } finally {
      client.removeEventListener("abort", leave);
    }
  }

  /**
   * Streams pieces of an archive at constant memory. A member that changes on the way fails the stream, which ends the
   * connection. When the client leaves, no further chunk is read.
   * @param sent Receives how many bytes are given on, chunk by chunk.
   */
  read(
    plan: ArchivePlan,
    pieces: readonly Piece[],
    sent: (bytes: number) => void,
  ): ReadableStream<Uint8Array> {
    this.#held.set(plan, (this.#held.get(plan) ?? 0) + 1);
    const chunks = chunksOf(pieces);
    let hasLeft = false;
    const next = async (): Promise<Bytes | undefined> => {
      const chunk = chunks.next().value;
      if (hasLeft || !chunk) return undefined;
      if (chunk instanceof Uint8Array) return chunk;
      for (const sums of batchesOf(plan, chunk)) {
        await this.#reader.call({ plan, sums });
        if (hasLeft) return undefined;
      }
      return await this.#reader.call({ plan, ...chunk });
    };
    return streamOf(readAhead(next, sent), () => {
      hasLeft = true;
      const clients = this.#held.get(plan)! - 1;
      if (clients) this.#held.set(plan, clients);
      else this.#held.delete(plan);
    });
  }
}

function bytesOf(plans: Iterable<ArchivePlan>): number {
  let bytes = 0;
  for (const plan of plans) bytes += memoryOf(plan);
  return bytes;
}

/** Describes an archive as a file is described. */
export function describeArchive(
  { format, members, layout, digest, modified }: ArchivePlan,
  options: DescribeOptions,
): Representation {
  const { type } = FORMATS[format], name = members.top.slice(0, -1);
  return represent(
    { name: `${name}.${format}`, type, size: layout.length, tag: digest, modified },
    options,
  );
}

/** Pieces, in chunks. */
function* chunksOf(pieces: readonly Piece[]): Generator<{ start: number; end: number } | Bytes, undefined> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else {
      const end = piece.end + 1;
      for (let at = piece.start; at < end; at += CHUNK) yield { start: at, end: Math.min(at + CHUNK, end) };
    }
  }
}

/** The contents that must be read into checksums before a chunk, in batches that take little time. */
function* batchesOf(plan: ArchivePlan, chunk: { start: number; end: number }): Generator<Sum[]> {
  let batch: Sum[] = [], bytes = 0;
  for (const { member, to } of sumsFor({ plan, ...chunk })) {
    for (let at = plan.summed[member]; at < to;) {
      const next = Math.min(at + SUMMED_CHUNK - bytes, to);
      batch.push({ member, to: next });
      bytes += next - at;
      at = next;
      if (bytes < SUMMED_CHUNK && batch.length < SUMMED_MEMBERS) continue;
      yield batch;
      [batch, bytes] = [[], 0];
    }
  }
  if (batch.length) yield batch;
}
