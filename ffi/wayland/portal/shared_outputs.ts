/** The outputs of the compositor that are shared. Pure. */

import { type OutputState, turnedSize } from "../wire/geometry.ts";
import type { PortalStream } from "./streams.ts";

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
