/** Probabilities of `from`, `from + 1`, …; the total of the omitted tails is below 10⁻¹⁵. */
export interface Counts {
  readonly from: number;
  readonly weights: Float64Array;
}

/** Distribution of the number of times that one user sends `message`. */
export function countsOf(sent: ReadonlyMap<string, number>, message: string): Counts {
  const weights: number[] = [];
  for (const [text, probability] of sent) {
    const count = text.split(' ').filter((other) => other === message).length;
    weights[count] = (weights[count] ?? 0) + probability;
  }
  return { from: 0, weights: Float64Array.from(weights, (probability) => probability ?? 0) };
}

/** The distribution of the sum of two independent counts. */
export function sumOf(a: Counts, b: Counts): Counts {
  const [left, right] = [a.weights, b.weights];
  const sum = new Float64Array(left.length + right.length - 1);
  for (let i = 0; i < left.length; i++)
    if (left[i] > 0) for (let j = 0; j < right.length; j++) sum[i + j] += left[i] * right[j];
  return trimmed(a.from + b.from, sum);
}

/** The sum of two of the same: each pair of different counts is met once, and counted twice. */
function twice({ from, weights }: Counts): Counts {
  const sum = new Float64Array(2 * weights.length - 1);
  for (let i = 0; i < weights.length; i++) {
    const double = 2 * weights[i];
    if (double === 0) continue;
    sum[2 * i] += weights[i] * weights[i];
    for (let j = i + 1; j < weights.length; j++) sum[i + j] += double * weights[j];
  }
  return trimmed(2 * from, sum);
}

function trimmed(from: number, sum: Float64Array): Counts {
  const first = sum.findIndex((p) => p > 1e-22);
  const last = sum.findLastIndex((p) => p > 1e-22);
  return { from: from + first, weights: sum.subarray(first, last + 1) };
}

/** Distribution of the sum over users, by doubling. */
export function times(counts: Counts, users: number): Counts {
  if (users === 0) return { from: 0, weights: Float64Array.of(1) };
  const even = twice(times(counts, Math.floor(users / 2)));
  return users % 2 === 0 ? even : sumOf(even, counts);
}

const at = ({ from, weights }: Counts, count: number): number => weights[count - from] ?? 0;
/** `Σ max(0, p − e^ε q)`. */
export function hockeyStick(p: Counts, q: Counts, epsilon: number): number {
  const factor = Math.exp(epsilon);
  let sum = 0;
  for (let i = 0; i < p.weights.length; i++) sum += Math.max(0, p.weights[i] - factor * at(q, p.from + i));
  return sum;
}
