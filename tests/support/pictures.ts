/** Pictures of the desktop, and requests that look for them, in tests. */

import type { Frame } from "../../control/desktop/desktop.ts";
import type { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { type ControlApi, controlApi } from "./control.ts";

export type Api = ControlApi<VirtualDesktop>;
export type Bytes = Uint8Array<ArrayBuffer>;

/** The ring that a click leaves at 300, 200, and the pixels around it. */
export const RING = { x: 280, y: 180, width: 40, height: 30 };
export const FOUND = { ...RING, center: { x: 300, y: 195 }, match: 1 };

/** A picture of a region of the desktop. */
export async function picture(api: Api, region = RING, format = "png"): Promise<Bytes> {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(region)) query.set(name, String(value));
  return await (await api.request("GET", `/api/screenshot?${query}`)).bytes();
}

/** A control API whose desktop was clicked at 300, 200, and the ring's picture. */
export async function clicked(options: { readOnly?: boolean } = {}): Promise<{ api: Api; png: Bytes }> {
  const api = controlApi(options);
  await api.operator.click({ x: 300, y: 200 }, "left");
  return { api, png: await picture(api) };
}

export async function find(api: Api, file: Bytes, query = "") {
  const response = await api.request("POST", `/api/find${query}`, undefined, { body: file });
  return { status: response.status, ...await response.json() };
}

export async function wait(api: Api, body: unknown) {
  const response = await api.request("POST", "/api/wait", body);
  return { status: response.status, ...await response.json() };
}

export function frame(width: number, height: number, color: (x: number, y: number) => number): Frame {
  const pixels = Uint32Array.from(
    { length: width * height },
    (_, i) => color(i % width, Math.floor(i / width)),
  );
  return { width, height, stride: width * 4, pixels: new Uint8Array(pixels.buffer) };
}
