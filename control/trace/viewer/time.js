/** Times as people read them. */

/** @param {number} ms @returns {string} Such as `1:02.5`. */
export function clock(ms) {
  const minutes = Math.floor(ms / 60_000), seconds = (ms % 60_000 / 1000).toFixed(1).padStart(4, "0");
  return minutes < 60
    ? `${minutes}:${seconds}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
}

/** @param {number} ms @returns {string} Such as `12 ms` or `1.5 s`. */
export function duration(ms) {
  if (ms < 10) return `${ms} ms`;
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
