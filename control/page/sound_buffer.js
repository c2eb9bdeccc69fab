/**
 * Sound that waits to be played: as little as the network's unevenness allows. Pure.
 *
 * Sound begins when there is enough of it. When none is left, silence is played until there is enough again. Sound
 * that was not needed within a second is skipped: a moment of uneven network, or a server with a slightly faster
 * clock, would otherwise delay all later sound.
 */

/** The length of sound that must be there before it is played, in milliseconds. */
const BEGIN_MS = 40;
/** The most sound that waits, in milliseconds; if more arrives at once, the older part is skipped. */
const MOST_MS = 80;
/** The most sound that is kept while the browser plays nothing, in milliseconds. */
const KEPT_MS = 1000;
/** The reserve that skipping leaves, in milliseconds. */
const RESERVE_MS = 15;
/** The time over which the smallest amount of waiting sound is measured, in milliseconds. */
const WATCHED_MS = 1000;
/**
 * The length of the blend from the sound before a skipped part to the sound after it, in samples; without a blend
 * there is a click.
 */
const BLEND = 96;

/** @typedef {{ channels: Float32Array[], at: number }} Piece Channels of one length; `at` is the time of the first sample. */

export class SoundBuffer {
  /** @type {Piece[]} */ #pieces = [];
  /** Samples of the first piece that were played. */ #played = 0;
  /** Samples that wait. */ #waiting = 0;
  #isPlaying = false;
  /** The least length of waiting sound since the last look, and the number of samples that were played since. */
  #least = Infinity;
  #watched = 0;

  /** @param {number} rate Samples a second. */
  constructor(rate) {
    this.rate = rate;
  }

  /** The length of the sound that waits, in milliseconds. */
  get waitingMs() {
    return 1000 * this.#waiting / this.rate;
  }

  /** The time of the sample that is played next; undefined in silence. */
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

  /** Skips the sound that was not needed in the last second. @param {number} length */
  #watch(length) {
    this.#least = Math.min(this.#least, this.#waiting);
    this.#watched += length;
    if (this.#watched < this.#samples(WATCHED_MS)) return;
    const surplus = this.#least - this.#samples(RESERVE_MS);
    if (surplus > BLEND) this.#skip(surplus);
    this.#begin(true);
  }

  /** Moves samples into channels. @param {Float32Array[]} channels @param {number} length @returns {number} How many. */
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

  /** Removes samples of the first piece. @param {number} count No more than it has. */
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
