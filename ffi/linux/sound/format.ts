/** The form of the desktop's sound, whichever way it comes. */

/** Samples a second of each channel: Opus' own rate (RFC 6716 section 2). */
export const RATE = 48_000;
/** The number of channels: left and right. */
export const CHANNELS = 2;
/** Samples of each channel in a packet: 10 ms. */
export const FRAME = 480;
