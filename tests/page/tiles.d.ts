/** Decodes tiles; see control/page/tiles.js. */
export declare class TileDecoder {
  constructor(pixels: Uint32Array, width: number);
  begin(bytes: Uint8Array): void;
  run(run: { x: number; y: number; width: number; height: number }): void;
}
