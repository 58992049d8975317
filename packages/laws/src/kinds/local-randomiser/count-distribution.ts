/** Probabilities of `from`, `from + 1`, …; the omitted tails weigh less than 10⁻¹⁵. */
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
  return { from: a.from + b.from, weights: sum };
}

/** Logarithm of what the omitted tails and frequencies weigh. */
const logNegligible = -42;

/**
 * Distribution of the sum over users, as a Fourier sum over the frequencies at which the characteristic
 * function of the sum is not negligible; values are exact to 10⁻¹¹ in total.
 */
export function times({ from, weights }: Counts, users: number): Counts {
  const top = weights.length - 1;
  const mean = weights.reduce((sum, p, k) => sum + k * p, 0);
  const variance = weights.reduce((sum, p, k) => sum + (k - mean) ** 2 * p, 0);
  // Counts from here on keep angles small, so that their multiples are exact.
  const centre = Math.round(mean);
  // Bernstein's inequality: the sum leaves this range with probability e^logNegligible.
  const linear = (-logNegligible * top) / 3;
  const reach = linear + Math.hypot(linear, Math.sqrt(-2 * logNegligible * users * variance));
  const low = Math.max(-users * centre, Math.floor(users * (mean - centre) - reach));
  const high = Math.min(users * (top - centre), Math.ceil(users * (mean - centre) + reach));
  const period = high - low + 1;
  const turn = (2 * Math.PI) / period;
  const cosine = Float64Array.from({ length: period }, (_, j) => Math.cos(turn * j));
  const sine = Float64Array.from({ length: period }, (_, j) => Math.sin(turn * j));
  const place = (frequency: number, count: number): number =>
    (((frequency * count) % period) + period) % period;

  const sum = new Float64Array(period).fill(1 / period);
  for (let frequency = 1; 2 * frequency <= period; frequency++) {
    let [re, im] = [0, 0];
    for (let k = 0; k <= top; k++) {
      const j = place(frequency, k - centre);
      re += weights[k] * cosine[j];
      im += weights[k] * sine[j];
    }
    const logModulus = users * Math.log(Math.hypot(re, im));
    if (!(logModulus > logNegligible)) continue;
    // A frequency stands for its conjugate as well, except that of half a period.
    const share = ((2 * frequency === period ? 1 : 2) * Math.exp(logModulus)) / period;
    const angle = users * Math.atan2(im, re);
    const [along, across] = [share * Math.cos(angle), share * Math.sin(angle)];
    for (let i = 0, j = place(frequency, low); i < period; i++) {
      sum[i] += along * cosine[j] + across * sine[j];
      j += frequency;
      if (j >= period) j -= period;
    }
  }
  return { from: users * (from + centre) + low, weights: sum };
}

const at = ({ from, weights }: Counts, count: number): number => weights[count - from] ?? 0;
/** `Σ max(0, p − e^ε q)`. */
export function hockeyStick(p: Counts, q: Counts, epsilon: number): number {
  const factor = Math.exp(epsilon);
  let sum = 0;
  for (let i = 0; i < p.weights.length; i++) sum += Math.max(0, p.weights[i] - factor * at(q, p.from + i));
  return sum;
}
