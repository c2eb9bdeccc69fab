/* pixelmatch 7.2.0, made by "deno task libraries".

ISC License

Copyright (c) 2025, Mapbox

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE. */
function L(e, t, n, r, a, A = {}) {
  let {
    threshold: l = .1,
    alpha: y = .1,
    aaColor: f = [255, 255, 0],
    diffColor: M = [255, 0, 0],
    checkerboard: b = !0,
    includeAA: o,
    diffColorAlt: s,
    diffMask: i,
  } = A;
  if (!v(e) || !v(t) || n && !v(n)) {
    throw new Error("Image data: Uint8Array, Uint8ClampedArray or Buffer expected.");
  }
  if (e.length !== t.length || n && n.length !== e.length) {
    throw new Error(`Image sizes do not match. Image 1 size: ${e.length}, image 2 size: ${t.length}`);
  }
  if (e.length !== r * a * 4) {
    throw new Error(`Image data size does not match width/height. Expecting ${r * a * 4}. Got ${e.length}`);
  }
  let c = r * a,
    d = new Uint32Array(e.buffer, e.byteOffset, c),
    E = new Uint32Array(t.buffer, t.byteOffset, c),
    z = !0;
  for (let x = 0; x < c; x++) {
    if (d[x] !== E[x]) {
      z = !1;
      break;
    }
  }
  if (z) {
    if (n && !i) { for (let x = 0, G = 0; x < c; x++, G += 4) q(e, G, y, n); }
    return 0;
  }
  let B = 35215 * l * l, [C, D, I] = f, [P, R, U] = M, [$, u, N] = s || M, O = 0;
  for (let x = 0, G = 0; x < c; x++, G += 4) {
    let S = d[x] === E[x] ? 0 : V(e, t, G, G, b);
    if (Math.abs(S) > B) {
      let T = x % r, X = x / r | 0;
      !o && (_(e, T, X, r, a, d, E, b) || _(t, T, X, r, a, E, d, b))
        ? n && !i && h(n, G, C, D, I)
        : (n && (S < 0 ? h(n, G, $, u, N) : h(n, G, P, R, U)), O++);
    } else n && !i && q(e, G, y, n);
  }
  return O;
}
function v(e) {
  return ArrayBuffer.isView(e) && e.BYTES_PER_ELEMENT === 1;
}
function _(e, t, n, r, a, A, l, y) {
  let f = Math.max(t - 1, 0),
    M = Math.max(n - 1, 0),
    b = Math.min(t + 1, r - 1),
    o = Math.min(n + 1, a - 1),
    s = (n * r + t) * 4,
    i = e[s],
    c = e[s + 1],
    d = e[s + 2],
    E = e[s + 3],
    z = t === f || t === b || n === M || n === o ? 1 : 0,
    B = 0,
    C = 0,
    D = 0,
    I = 0,
    P = 0,
    R = 0;
  for (let U = f; U <= b; U++) {
    for (let $ = M; $ <= o; $++) {
      if (U === t && $ === n) continue;
      let u = j(e, s, ($ * r + U) * 4, i, c, d, E, y);
      if (u === 0) { if (z++, z > 2) return !1; }
      else u < B ? (B = u, D = U, I = $) : u > C && (C = u, P = U, R = $);
    }
  }
  return B === 0 || C === 0
    ? !1
    : Y(A, D, I, r, a) && Y(l, D, I, r, a) || Y(A, P, R, r, a) && Y(l, P, R, r, a);
}
function Y(e, t, n, r, a) {
  let A = Math.max(t - 1, 0),
    l = Math.max(n - 1, 0),
    y = Math.min(t + 1, r - 1),
    f = Math.min(n + 1, a - 1),
    M = e[n * r + t],
    b = t === A || t === y || n === l || n === f ? 1 : 0;
  for (let o = A; o <= y; o++) {
    for (let s = l; s <= f; s++) {
      if (!(o === t && s === n) && (b += +(M === e[s * r + o]), b > 2)) return !0;
    }
  }
  return !1;
}
function V(e, t, n, r, a) {
  let A = e[n],
    l = e[n + 1],
    y = e[n + 2],
    f = e[n + 3],
    M = t[r],
    b = t[r + 1],
    o = t[r + 2],
    s = t[r + 3],
    i = A - M,
    c = l - b,
    d = y - o,
    E = f - s;
  if (f < 255 || s < 255) {
    let I = 255, P = 255, R = 255;
    a &&
    (I = 48 + 159 * (n % 2),
      P = 48 + 159 * ((n / 1.618033988749895 | 0) % 2),
      R = 48 + 159 * ((n / 2.618033988749895 | 0) % 2)),
      i = (A * f - M * s - I * E) / 255,
      c = (l * f - b * s - P * E) / 255,
      d = (y * f - o * s - R * E) / 255;
  }
  let z = i * .29889531 + c * .58662247 + d * .11448223,
    B = i * .59597799 - c * .2741761 - d * .32180189,
    C = i * .21147017 - c * .52261711 + d * .31114694,
    D = .5053 * z * z + .299 * B * B + .1957 * C * C;
  return z > 0 ? -D : D;
}
function j(e, t, n, r, a, A, l, y) {
  let f = e[n], M = e[n + 1], b = e[n + 2], o = e[n + 3], s = r - f, i = a - M, c = A - b, d = l - o;
  if (!s && !i && !c && !d) return 0;
  if (l < 255 || o < 255) {
    let E = 255, z = 255, B = 255;
    y &&
    (E = 48 + 159 * (t % 2),
      z = 48 + 159 * ((t / 1.618033988749895 | 0) % 2),
      B = 48 + 159 * ((t / 2.618033988749895 | 0) % 2)),
      s = (r * l - f * o - E * d) / 255,
      i = (a * l - M * o - z * d) / 255,
      c = (A * l - b * o - B * d) / 255;
  }
  return s * .29889531 + i * .58662247 + c * .11448223;
}
function h(e, t, n, r, a) {
  e[t] = n, e[t + 1] = r, e[t + 2] = a, e[t + 3] = 255;
}
function q(e, t, n, r) {
  let a = 255 + (e[t] * .29889531 + e[t + 1] * .58662247 + e[t + 2] * .11448223 - 255) * n * e[t + 3] / 255;
  h(r, t, a, a, a);
}
export { L as default };
