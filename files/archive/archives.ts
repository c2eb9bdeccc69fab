/** Folder archives, generated while they are sent: one thread plans them, another reads the contents. */

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
import { allAnswer, type Disk, whileAllAnswer } from "../../core/disk.ts";
import type { Root } from "../resolve.ts";
import type { Bytes } from "../../core/bytes.ts";
import { type ArchivePlan, type FormatName, FORMATS, memoryOf, type Order } from "./plan.ts";
import { type Part, type Sum, type Sums, sumsFor } from "./read.ts";
import type { Source } from "./members.ts";

/** Maximum number of folders queued for archiving. */
const WAITING_LIMIT = 64;
/** Maximum bytes of plans in flight before new archives are refused: two archives of a million members. */
const PLANS_LIMIT = 256 * 1024 * 1024;
/** Bytes per read, as for a large file. */
const CHUNK = 512 * 1024;
/** Maximum bytes and members per checksum batch. */
const SUMMED_CHUNK = 8 * 1024 * 1024, SUMMED_MEMBERS = 1000;
/** Maximum bytes of plans cached for further requests, with the checksums read so far. */
const KEPT_LIMIT = 32 * 1024 * 1024;
/**
 * Maximum time for the planning thread per archive, in milliseconds, before it is terminated: the longest
 * walk, plus the layout of 5 million members.
 */
const PLAN_LIMIT_MS = 30_000;
/** Maximum time to read a chunk, in milliseconds: deskhand does not wait longer for an unresponsive disk. */
const READ_LIMIT_MS = 10_000;
/** How long the planning and reading threads stay alive without work, in milliseconds. */
const IDLE_MS = 10_000;

/**
 * The archive format that a request asks for with `archive`.
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
  /** Plans in flight, each with its number of clients. */
  readonly #held = new Map<ArchivePlan, number>();
  /** Cached plans of earlier requests by folder and digest, least recently used first. */
  readonly #kept = new Map<string, ArchivePlan>();

  /**
   * @param plansLimit Maximum bytes of all plans in flight; above it, no new archive begins.
   * @param walkMs Maximum time for a walk, in milliseconds; defaults to that of {@linkcode walk}.
   */
  constructor(readonly root: Root, readonly plansLimit = PLANS_LIMIT, readonly walkMs?: number) {}

  /**
   * Plans an archive.
   * @param client Aborted when the client leaves, which ends the walk.
   * @throws RequestError 404 if the folder is gone, 403 if it has too many entries, 499 if the client has
   * left; BusyError if a disk does not answer, too many folders are queued, too many archives are in flight, or the
   * walk takes too long.
   */
  async plan(
    { real, info, lexicalPath, names }: Named,
    format: FormatName,
    client: AbortSignal,
  ): Promise<ArchivePlan> {
    const disks = this.root.disksBelow(real);
    await allAnswer(disks);
    const walk = (gone: AbortSignal) => {
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
      return this.#plan({ source, format, longestMs: this.walkMs }, client, gone).then((plan) =>
        this.#keep(plan)
      );
    };
    return await whileAllAnswer(disks, (gone) => {
      return this.#walks.run(() => walk(gone), { waiter: { signal: AbortSignal.any([client, gone]) } });
    }).catch((error) => {
      throw client.aborted ? new RequestError(499, "The client disconnected.") : error;
    });
  }

  /**
   * Caches a plan for further requests.
   * @returns The earlier plan, which already has checksums, if the archive has not changed.
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

  async #plan(order: Order, client: AbortSignal, gone: AbortSignal): Promise<ArchivePlan> {
    client.throwIfAborted();
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const leave = () => Atomics.store(stop, 0, 1);
    client.addEventListener("abort", leave);
    try {
      return await this.#planner.call({ ...order, stop }, [], gone);
    } catch (error) {
      // Only an error's name and message cross threads. A walk throws no status but 404.
      if ((error as Error).name === "RequestError") throw notFound();
      if ((error as Error).name === "InputError") throw new RequestError(403, (error as Error).message);
      throw error;
    } finally {
      client.removeEventListener("abort", leave);
    }
  }

  /**
   * Streams pieces of an archive in constant memory. A member that changes meanwhile fails the stream, which
   * closes the connection. Reading stops when the client leaves.
   * @param sent Receives the number of bytes passed on, chunk by chunk.
   * @param disks The disks of the members: if one stops answering, the stream fails.
   */
  read(
    plan: ArchivePlan,
    pieces: readonly Piece[],
    sent: (bytes: number) => void,
    disks: readonly Disk[] = [],
  ): ReadableStream<Uint8Array> {
    this.#held.set(plan, (this.#held.get(plan) ?? 0) + 1);
    const chunks = chunksOf(pieces);
    let hasLeft = false;
    const read = (part: Part | Sums) => whileAllAnswer(disks, (gone) => this.#reader.call(part, [], gone));
    const next = async (): Promise<Bytes | undefined> => {
      const chunk = chunks.next().value;
      if (hasLeft || !chunk) return undefined;
      if (chunk instanceof Uint8Array) return chunk;
      for (const sums of batchesOf(plan, chunk)) {
        await read({ plan, sums });
        if (hasLeft) return undefined;
      }
      return await read({ plan, ...chunk });
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

/** Describes an archive the way a file is described. */
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

/** Splits pieces into chunks. */
function* chunksOf(pieces: readonly Piece[]): Generator<{ start: number; end: number } | Bytes, undefined> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else {
      const end = piece.end + 1;
      for (let at = piece.start; at < end; at += CHUNK) yield { start: at, end: Math.min(at + CHUNK, end) };
    }
  }
}

/** The contents whose checksums a chunk needs, in batches that each take little time. */
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
