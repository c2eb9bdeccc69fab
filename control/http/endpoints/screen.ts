/** Endpoints that look at the screen: size, pictures, pixels, and waiting for them. */

import type { Picture, Region } from "../../desktop.ts";
import { Capacity } from "../../../core/capacity.ts";
import { BusyError, InputError, TimeLimitError, UnsupportedError } from "../../../core/errors.ts";
import { streamOf } from "../../../http/stream.ts";
import { zeroCopyBody } from "../../../http/zero_copy_body.ts";
import { headersOf } from "../responses.ts";
import { type Call, endpoint } from "../endpoint.ts";
import { bmpPieces, bmpSize } from "../../image/bmp.ts";
import { encodePng } from "../../image/png.ts";
import { hexOf, pixelOf } from "../../pixel.ts";
import { choice, color, coordinate, flag, group, integer, optional } from "../../schema.ts";
import { Mutex } from "../../../core/mutex.ts";
import { waitForPixel, waitForStillness } from "../../wait.ts";

const REGION = {
  x: optional(coordinate("Left edge in pixels; the desktop's if left out")),
  y: optional(coordinate("Top edge in pixels; the desktop's if left out")),
  width: optional(integer(1, 1_000_000, "In pixels; to the desktop's edge if left out")),
  height: optional(integer(1, 1_000_000, "In pixels; to the desktop's edge if left out")),
};

/** PNGs are made one at a time; this many may wait. */
const pngTurns = new Mutex(32);
/** BMPs that may be under way at once: each holds a picture, for as long as its client takes to read it. */
const BMP_LIMIT = 64;
const bmps = new Capacity(BMP_LIMIT, `${BMP_LIMIT} pictures are being sent; try again later`);
/** Clients that may wait for pixels at once. */
const WAITERS = 64;
const waiters = new Capacity(WAITERS, `${WAITERS} clients are waiting already; try again later`);

/** See the module's comment. */
export const SCREEN_ENDPOINTS = [
  endpoint({
    method: "GET",
    path: "/api/screenshot",
    summary: "A picture of the screen",
    readOnly: true,
    query: {
      format: optional(choice(["bmp", "png"], "bmp if left out")),
      ...REGION,
      cursor: optional(flag("Whether the pointer is drawn in")),
    },
    answer: {
      "image/bmp": { type: "string", format: "binary" },
      "image/png": { type: "string", format: "binary" },
    },
    handle: (call) => call.query.format === "png" ? pngAnswer(call) : bmpAnswer(call),
  }),
  endpoint({
    method: "GET",
    path: "/api/screen",
    summary: "Size, displays and kind of the desktop",
    readOnly: true,
    answer: { "application/json": { type: "object" } },
    handle: ({ services }) => ({ kind: services.operator.desktop.kind, ...services.operator.screen() }),
  }),
  endpoint({
    method: "GET",
    path: "/api/history",
    summary: "What a virtual desktop was told, in order",
    readOnly: true,
    answer: {
      "application/json": {
        type: "object",
        properties: { actions: { type: "array", items: { type: "object" } } },
      },
    },
    statuses: { 404: "This desktop is real and keeps no history" },
    handle({ services }) {
      const { desktop } = services.operator;
      if (!desktop.log) throw new UnsupportedError(`a desktop of kind ${desktop.kind} keeps no history`);
      return { actions: desktop.log };
    },
  }),
  endpoint({
    method: "GET",
    path: "/api/pixel",
    summary: "The colour of a pixel",
    readOnly: true,
    query: { x: coordinate("Pixels from the left"), y: coordinate("Pixels from the top") },
    answer: {
      "application/json": {
        type: "object",
        properties: {
          r: { type: "integer" },
          g: { type: "integer" },
          b: { type: "integer" },
          hex: { type: "string" },
        },
      },
    },
    handle({ query, services }) {
      const rgb = pixelOf(services.operator, query);
      return { r: rgb >> 16, g: rgb >> 8 & 255, b: rgb & 255, hex: hexOf(rgb) };
    },
  }),
  endpoint({
    method: "POST",
    path: "/api/wait",
    summary: "Wait for a pixel's colour or for a region to stay still",
    readOnly: true,
    body: {
      pixel: optional(group({
        x: coordinate("Pixels from the left"),
        y: coordinate("Pixels from the top"),
        hex: color("The colour to wait for"),
        tolerance: optional(integer(0, 255, "How far each of red, green, blue may be off; 0 if left out")),
      }, "Wait until a pixel has a colour")),
      stable: optional(group({
        ms: integer(1, 600_000, "For how long nothing may change"),
        ...REGION,
      }, "Wait until a region stays as it is")),
      timeout_ms: optional(integer(1, 600_000, "When to give up; 10000 if left out")),
    },
    answer: {
      "application/json": {
        type: "object",
        properties: { ok: { type: "boolean" }, ms: { type: "number" } },
      },
    },
    statuses: { 408: "The time was over first" },
    async handle({ body, services, request }) {
      const { pixel, stable, timeout_ms = 10_000 } = body;
      if (!pixel === !stable) {
        throw new InputError(
          pixel ? "pixel and stable cannot both be given" : "Missing pixel or stable",
        );
      }
      using _lease = waiters.enter();
      const ms = pixel
        ? await waitForPixel(
          services.operator,
          pixel,
          pixel.hex,
          pixel.tolerance ?? 0,
          timeout_ms,
          request.signal,
        )
        : await waitForStillness(services.operator, stable!, stable!.ms, timeout_ms, request.signal);
      if (ms === undefined) {
        throw new TimeLimitError(
          `${
            pixel ? "the pixel did not get that colour" : "the region did not stay still"
          } within ${timeout_ms} ms`,
        );
      }
      return { ok: true, ms };
    },
  }),
];

type PictureCall = Call<Partial<Region> & { cursor?: boolean }, unknown>;

const BMP_HEADERS = headersOf("image/bmp");
const PNG_HEADERS = headersOf("image/png");

function bmpAnswer({ query, services, peer }: PictureCall): Response {
  const { cursor = false, ...region } = query;
  const lease = bmps.enter();
  let picture: Picture;
  try {
    picture = services.operator.picture(region, cursor);
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
  const { width, height, parts, release } = picture;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    lease[Symbol.dispose]();
    release();
  };
  // A client that has gone, or that asked for the headers alone, may never read the body to its end.
  peer.completed.then(end, end);
  const pieces = bmpPieces(width, height, parts);
  const body = streamOf(() => ended ? undefined : pieces.next().value ?? undefined, end);
  return pictureAnswer(body, bmpSize(width, height), BMP_HEADERS);
}

async function pngAnswer({ query, services }: PictureCall): Promise<Response> {
  const { cursor = false, ...region } = query;
  const png = await pngTurns.run(
    () => encodePng(services.operator.capture(region, cursor)),
    () => new BusyError("too many pictures are being made; try again later"),
  );
  return pictureAnswer(zeroCopyBody(png), png.length, PNG_HEADERS);
}

function pictureAnswer(body: BodyInit, length: number, headers: [string, string][]): Response {
  return new Response(body, { headers: [...headers, ["content-length", String(length)]] });
}
