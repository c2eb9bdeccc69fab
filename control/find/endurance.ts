/** When a sample shows that too little of a place agrees. */

/**
 * How unlikely a sample must be before a place is given up: e to the power of minus this, one in a million.
 * A place that agrees just enough is missed that seldom at each look.
 */
const CERTAINTY = 14;

/**
 * Tells from a growing sample of pixels whether more of all of them are wrong than are allowed.
 *
 * If a share q of all pixels is wrong, at least f wrong ones among the first n of a sample have a probability of at
 * most exp(-n D(f/n, q)) (Chernoff's bound; D is the Kullback-Leibler divergence of two coins), and less still for a
 * sample without repetition (Hoeffding 1963, section 6).
 *
 * @param count Pixels of the sample.
 * @param share The share that may be wrong, 0 to below 1.
 * @returns For f from 0 to `count` the number of looks up to which f wrong pixels are too many.
 */
export function endurance(count: number, share: number): Int32Array {
  const looks = new Int32Array(count + 1);
  for (let wrong = 1; wrong <= count; wrong++) {
    let n = wrong;
    while (n <= count && wrong > share * n && n * divergence(wrong / n, share) > CERTAINTY) n++;
    looks[wrong] = n - 1;
  }
  return looks;
}

function divergence(seen: number, expected: number): number {
  if (expected === 0) return Infinity;
  const wrong = seen * Math.log(seen / expected);
  return seen === 1 ? wrong : wrong + (1 - seen) * Math.log((1 - seen) / (1 - expected));
}
