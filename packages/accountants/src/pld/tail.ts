import type { Spectrum } from './spectrum.js';

/**
 * `Σ_{k > x} W_k e^(−λ(k − x)s) (1 − e^(−(k − x)s))` as
 * `e^logScale · value`, with an absolute error of `value`.
 */
export interface Tail {
  readonly logScale: number;
  readonly value: number;
  readonly error: number;
}

/**
 * Evaluates a tilted profile from the spectrum of a product on a circle with the points
 * `first … first + period − 1`.
 *
 * By Parseval's identity, it is the sum over frequencies of the spectrum times the transform of the weights.
 * The weights are geometric, so no inverse transform is needed. `error` covers the frequencies that were left
 * out and the errors of the others.
 */
export function tailOf(
  { period, frequencies, re, im, error, rounding, lost, beyond }: Spectrum,
  first: number,
  step: number,
  tilt: number,
): (x: number) => Tail {
  const n = re.length;
  const last = first + period - 1;
  const turn = (2 * Math.PI) / period;
  const reduced = (k: number): number => ((k % period) + period) % period;
  const end = reduced(last + 1);
  const endCosines = frequencies.map((j) => Math.cos(turn * ((j * end) % period)));
  const endSines = frequencies.map((j) => -Math.sin(turn * ((j * end) % period)));
  // With r = e^(−λs − iθ) the sum is (e^(−iθ start) − e^(−λs terms) e^(−iθ end)) / (1 − r), for λ and for
  // λ + 1: here are 1 / (1 − r), and what errors are multiplied by.
  const inverses = [0, 1, 2, 3].map(() => new Float64Array(n));
  const [real, imaginary, realNext, imaginaryNext] = inverses;
  let [wrong, rounded, size] = [0, 0, 0];
  for (let j = 1; j < n; j += 1) {
    const sine = -Math.sin(turn * frequencies[j]);
    const versine = 2 * Math.sin((turn * frequencies[j]) / 2) ** 2;
    let bound = 0;
    for (let k = 0; k < 2; k += 1) {
      const decay = Math.exp(-(tilt + k) * step);
      const dr = decay * versine - Math.expm1(-(tilt + k) * step);
      const di = -decay * sine;
      const d = dr * dr + di * di;
      inverses[2 * k][j] = dr / d;
      inverses[2 * k + 1][j] = -di / d;
      bound += 2 / Math.sqrt(d);
    }
    const twice = period === 2 * frequencies[j] ? 1 : 2;
    wrong += twice * error[j] * bound;
    rounded += twice * rounding[j] * bound;
    size += twice * (Math.abs(re[j]) + Math.abs(im[j])) * bound;
  }
  return (x) => {
    const start = Math.max(first, Math.floor(x) + 1);
    const distance = (start - x) * step;
    if (start > last) return { logScale: 0, value: 0, error: 0 };
    const terms = last - start + 1;
    const at = reduced(start);
    const shrink = Math.exp(-distance);
    const whole = geometric(tilt * step, terms);
    const wholeNext = geometric((tilt + 1) * step, terms);
    let value = re[0] * (whole - shrink * wholeNext);
    // Compensated summation of many small terms.
    let carried = 0;
    const left = Math.exp(-tilt * step * terms);
    const leftNext = Math.exp(-(tilt + 1) * step * terms);
    for (let j = 1; j < n; j += 1) {
      const angle = turn * ((frequencies[j] * at) % period);
      const c = Math.cos(angle);
      const s = -Math.sin(angle);
      const nr = c - left * endCosines[j];
      const ni = s - left * endSines[j];
      const mr = shrink * (c - leftNext * endCosines[j]);
      const mi = shrink * (s - leftNext * endSines[j]);
      const fr = nr * real[j] - ni * imaginary[j] - (mr * realNext[j] - mi * imaginaryNext[j]);
      const fi = ni * real[j] + nr * imaginary[j] - (mi * realNext[j] + mr * imaginaryNext[j]);
      const twice = period === 2 * frequencies[j] ? 1 : 2;
      const term = twice * (re[j] * fr - im[j] * fi);
      const next = value + term;
      carried += Math.abs(value) >= Math.abs(term) ? value - next + term : term - next + value;
      value = next;
    }
    // The errors of transforms are known by their 2-norm. By Cauchy and Schwarz, that norm times the norm of
    // the weights bounds their effect.
    const least = Math.min(
      error[0] * whole + wrong,
      rounding[0] * whole + rounded + lost * Math.sqrt(period * geometric(2 * tilt * step, terms)),
    );
    return {
      logScale: -tilt * distance,
      value: (value + carried) / period,
      error:
        (least * (1 + n * 2 ** -50) + (Math.abs(re[0]) * whole + size) * (64 + n * n * 2 ** -52) * 2 ** -52) /
          period +
        beyond * whole,
    };
  };
}

/** `Σ_{m < terms} e^(−rate m)`. */
const geometric = (rate: number, terms: number): number =>
  rate === 0 ? terms : Math.expm1(-rate * terms) / Math.expm1(-rate);
