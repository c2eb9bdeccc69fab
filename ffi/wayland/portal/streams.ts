/** The screens that a person shares, as the portal describes them. Pure. */

import type { Region } from "../../../control/desktop/desktop.ts";
import { type OutputState, turnedSize } from "../wire/outputs.ts";

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

// The outputs of the compositor that are shared. Pure.

/** An output that a stream shows; its pictures are upright. */
export interface SharedOutput extends OutputState {
  /** The number of the stream's node in PipeWire. */
  node: number;
}

/**
 * Finds the output of each stream: the portal reports the stream's place, and the compositor the output there.
 * @param outputs As the compositor describes them.
 * @param known Names of outputs by node, from an earlier call, to which new names are added, since an output may move.
 * @returns An output for each stream; none for a stream whose output is gone.
 */
export function sharedOutputs(
  streams: readonly PortalStream[],
  outputs: readonly OutputState[],
  known: Map<number, string>,
): SharedOutput[] {
  return streams.flatMap(({ node, region }, i) => {
    const name = known.get(node);
    const output = outputs.find((one) =>
      name === undefined
        ? region ? isAt(one, region) : streams.length === 1 && outputs.length === 1
        : one.name === name
    );
    if (output) {
      known.set(node, output.name);
      return [{ ...output, mode: turnedSize(output), transform: 0, node }];
    }
    if (name !== undefined || !region) return [];
    // A shared stream without an output, such as a virtual display, has one pixel for each logical pixel.
    const { width, height } = region;
    return [{ name: `screen ${i + 1}`, mode: { width, height }, transform: 0, logical: region, node }];
  });
}

function isAt(
  { logical }: OutputState,
  region: { x: number; y: number; width: number; height: number },
): boolean {
  return logical.x === region.x && logical.y === region.y && logical.width === region.width &&
    logical.height === region.height;
}
