/** The screens that a person shares, as the portal describes them. Pure. */

import type { Region } from "../../../control/desktop.ts";

/** A shared screen. */
export interface PortalStream {
  /** The number of the stream's node in PipeWire. */
  node: number;
  /** The stream's place in the compositor's logical pixels; undefined where the portal does not say. */
  region?: Region;
}

/**
 * Reads the screens of an answer.
 * @param streams A list of `[node, properties]`, as the portal's `a(ua{sv})` is received.
 */
export function streamsOf(streams: unknown): PortalStream[] {
  if (!Array.isArray(streams)) return [];
  return streams.flatMap((stream) => {
    if (!Array.isArray(stream) || typeof stream[0] !== "number" || !(stream[1] instanceof Map)) return [];
    const [node, properties] = stream;
    const place = pairOf(properties.get("position")), size = pairOf(properties.get("size"));
    if (!size) return [{ node }];
    return [{ node, region: { x: place?.[0] ?? 0, y: place?.[1] ?? 0, width: size[0], height: size[1] } }];
  });
}

function pairOf(value: unknown): [number, number] | undefined {
  return Array.isArray(value) && value.length === 2 ? [Number(value[0]), Number(value[1])] : undefined;
}
