/**
 * Sound waiting to be played: as little as network jitter allows. Pure.
 *
 * Playback starts once enough sound is buffered. When it runs out, silence is played until there is enough
 * again. Sound that was not needed within a second is skipped: otherwise, brief jitter, or a server with a
 * slightly faster clock, would delay all later sound.
 */

/** Amount of sound required before playback starts, in milliseconds. */
const BEGIN_MS = 40;
/**
 * Maximum amount of waiting sound, in milliseconds; if more arrives at the same time, the older part is
 * skipped.
 */
const MOST_MS = 80;
/** Maximum amount of sound kept while the browser plays nothing, in milliseconds. */
const KEPT_MS = 1000;
/** Reserve left after skipping, in milliseconds. */
const RESERVE_MS = 15;
/** Time window for the smallest amount of waiting sound, in milliseconds. */
const WATCHED_MS = 1000;
/**
 * Length of the crossfade over a skipped part, in samples; without it, there would be a click.
 */
const BLEND = 96;

/**
 * @typedef {{ channels: Float32Array[], at: number }} Piece Channels of equal length; `at` is the time of the
 * first sample.
 */

export class SoundBuffer {
  /** @type {Piece[]} */ #pieces = [];
  /** Number of samples of the first piece that were played. */ #played = 0;
  /** Number of waiting samples. */ #waiting = 0;
  #isPlaying = false;
  /** Smallest amount of waiting sound since the last check, and number of samples played since then. */
  #least = Infinity;
  #watched = 0;

  /** @param {number} rate Samples per second. */
  constructor(rate) {
    this.rate = rate;
  }

  /** Amount of waiting sound, in milliseconds. */
  get waitingMs() {
    return 1000 * this.#waiting / this.rate;
  }

  /** Time of the next sample to play; undefined in silence. */
  get at() {
    const [piece] = this.#pieces;
    return piece && this.#isPlaying ? piece.at + 1000 * this.#played / this.rate : undefined;
  }

  /** @param {Piece} piece */
  push(piece) {
    this.#pieces.push(piece);
    this.#waiting += piece.channels[0].length;
    while (this.waitingMs > KEPT_MS) this.#drop(this.#pieces[0].channels[0].length - this.#played);
    if (this.waitingMs >= BEGIN_MS) this.#isPlaying = true;
  }

  /** Fills channels with the sound to play now. @param {Float32Array[]} channels */
  pull(channels) {
    const length = channels[0].length;
    if (this.waitingMs > MOST_MS) this.#skip(this.#waiting - this.#samples(BEGIN_MS));
    let done = 0;
    if (this.#isPlaying) done = this.#take(channels, length);
    for (const channel of channels) channel.fill(0, done);
    if (done < length) this.#begin(false);
    else this.#watch(length);
  }

  /** @param {number} ms */
  #samples(ms) {
    return Math.round(ms * this.rate / 1000);
  }

  /** @param {boolean} isPlaying */
  #begin(isPlaying) {
    this.#isPlaying = isPlaying;
    this.#least = Infinity;
    this.#watched = 0;
  }

  /** Skips sound that was not needed in the last second. @param {number} length */
  #watch(length) {
    this.#least = Math.min(this.#least, this.#waiting);
    this.#watched += length;
    if (this.#watched < this.#samples(WATCHED_MS)) return;
    const surplus = this.#least - this.#samples(RESERVE_MS);
    if (surplus > BLEND) this.#skip(surplus);
    this.#begin(true);
  }

  /**
   * Moves samples to channels. @param {Float32Array[]} channels @param {number} length @returns {number}
   * Their count.
   */
  #take(channels, length) {
    let done = 0;
    while (done < length && this.#pieces.length) {
      const [{ channels: from }] = this.#pieces,
        count = Math.min(length - done, from[0].length - this.#played);
      channels.forEach((channel, i) => {
        channel.set((from[i] ?? from[0]).subarray(this.#played, this.#played + count), done);
      });
      this.#drop(count);
      done += count;
    }
    return done;
  }

  /** Removes samples of the first piece. @param {number} count At most its length. */
  #drop(count) {
    this.#played += count;
    this.#waiting -= count;
    if (this.#played < this.#pieces[0].channels[0].length) return;
    this.#pieces.shift();
    this.#played = 0;
  }

  /** Drops the oldest waiting sound, and blends the sound before and after the gap. @param {number} count */
  #skip(count) {
    const [first] = this.#pieces,
      before = first.channels.map((channel) => channel.slice(this.#played, this.#played + BLEND));
    for (let left = count; left > 0;) {
      const part = Math.min(left, this.#pieces[0].channels[0].length - this.#played);
      this.#drop(part);
      left -= part;
    }
    const [{ channels }] = this.#pieces;
    channels.forEach((channel, i) => {
      const old = before[i], length = Math.min(old.length, channel.length - this.#played);
      for (let j = 0; j < length; j++) {
        const share = (j + 1) / (length + 1), to = this.#played + j;
        channel[to] = share * channel[to] + (1 - share) * old[j];
      }
    });
  }
}
