import * as z from 'zod';
import type { DataRandom } from './random-source.js';
import { studentTInto } from './student-t.js';

const scale = z.number().positive().min(1e-100).max(1e100).default(1);

const signed = z.boolean().default(true).describe('Either sign with the same chance; false: never negative.');

/** A law on the line, as JSON. Its `scale` multiplies the standard variate. */
export const law = z.discriminatedUnion('law', [
  z.strictObject({ law: z.literal('gaussian'), scale }),
  z.strictObject({ law: z.literal('student-t'), degreesOfFreedom: z.number().positive().max(1e9), scale }),
  z.strictObject({
    law: z.literal('log-normal'),
    sigma: z.number().positive().max(5),
    scale,
    centred: z.boolean().default(true),
  }),
  z.strictObject({
    law: z.literal('truncated-normal'),
    bound: z.number().min(1e-3).describe('Standard normals are drawn again until they are within ± this.'),
    scale,
  }),
  z.strictObject({ law: z.literal('two-point'), probability: z.number().positive().max(1), scale, signed }),
  z.strictObject({
    law: z.literal('pareto'),
    tail: z
      .number()
      .min(0.1)
      .max(1e9)
      .describe('P(|X| > t) = (scale/t)^tail: moments of order below it are finite.'),
    scale,
    signed,
  }),
]);

/** Input form of {@link law}. */
export type DistributionSpec = z.input<typeof law>;

/** Parsed form of {@link law}. */
export type EntryDistribution = z.output<typeof law>;

/**
 * Raw moments `E X`, `E X²`, `E X⁴`: Infinity where the
 * integral diverges, `null` where a mean does not exist.
 */
export interface Moments {
  readonly mean: number | null;
  readonly second: number;
  readonly fourth: number;
}

/**
 * Exact moments. Gaussian: 0, s², 3s⁴. Student-t with ν degrees of freedom: 0 (ν > 1), s²ν/(ν − 2) (ν > 2),
 * 3s⁴ν²/((ν − 2)(ν − 4)) (ν > 4). Log-normal: `E X^p = s^p exp(p²σ²/2)`, and with `centred` the central
 * moments. Truncated normal: by quadrature, up to rounding. Two-point (`scale` with the given probability,
 * else 0): `P(X ≠ 0)·s^p`. Pareto with tail α: `s^p α/(α − p)` (p < α). The last two have mean 0 where they
 * are signed.
 */
export function momentsOf(spec: EntryDistribution): Moments {
  const square = spec.scale ** 2;
  const signs = (mean: number): number | null => {
    if (mean === Infinity) return null;
    return 'signed' in spec && spec.signed ? 0 : mean;
  };
  switch (spec.law) {
    case 'gaussian':
      return { mean: 0, second: square, fourth: 3 * square ** 2 };
    case 'student-t': {
      const nu = spec.degreesOfFreedom;
      return {
        mean: nu > 1 ? 0 : null,
        second: nu > 2 ? (square * nu) / (nu - 2) : Infinity,
        fourth: nu > 4 ? (3 * square ** 2 * nu * nu) / ((nu - 2) * (nu - 4)) : Infinity,
      };
    }
    case 'log-normal': {
      const e = Math.exp(spec.sigma ** 2);
      if (!spec.centred)
        return { mean: spec.scale * Math.sqrt(e), second: square * e ** 2, fourth: square ** 2 * e ** 8 };
      const variance = square * e * Math.expm1(spec.sigma ** 2);
      return { mean: 0, second: variance, fourth: variance ** 2 * (e ** 4 + 2 * e ** 3 + 3 * e ** 2 - 3) };
    }
    case 'truncated-normal':
      return {
        mean: 0,
        second: square * truncatedMoment(2, spec.bound),
        fourth: square ** 2 * truncatedMoment(4, spec.bound),
      };
    case 'two-point':
      return {
        mean: signs(spec.probability * spec.scale),
        second: spec.probability * square,
        fourth: spec.probability * square ** 2,
      };
    case 'pareto': {
      const power = (p: number): number =>
        spec.tail > p ? (spec.scale ** p * spec.tail) / (spec.tail - p) : Infinity;
      return { mean: signs(power(1)), second: power(2), fourth: power(4) };
    }
  }
}

/** `E Z^p` of a standard normal held to `±bound`, `p` even. */
function truncatedMoment(p: number, bound: number): number {
  // Trapezium rule in u with x = b/(1 + e^−u), whose error is far
  // below rounding; nothing is left beyond 40 standard deviations.
  const b = Math.min(bound, 40);
  let [moment, mass] = [0, 0];
  for (let u = -40; u <= 40; u += 1 / 8) {
    const x = b / (1 + Math.exp(-u));
    const weight = (Math.exp((-x * x) / 2) * x) / (1 + Math.exp(u));
    mass += weight;
    moment += weight * x ** p;
  }
  return moment / mass;
}

/** Fills `out` with independent draws. */
export function drawInto(out: Float64Array, spec: EntryDistribution, random: DataRandom): Float64Array {
  switch (spec.law) {
    case 'student-t':
      studentTInto(out, spec.degreesOfFreedom, random);
      break;
    case 'truncated-normal':
      truncatedInto(out, spec.bound, random);
      break;
    case 'two-point':
      signsInto(out, spec, () => (random.uniform() < spec.probability ? 1 : 0), random.fork('signs'));
      break;
    // At most 2^53 to the power 1/tail, held to what doubles can square.
    case 'pareto':
      signsInto(
        out,
        spec,
        () => Math.min((1 - random.uniform()) ** (-1 / spec.tail), 1e150),
        random.fork('signs'),
      );
      break;
    default:
      random.gaussianInto(out);
  }
  const centre = spec.law === 'log-normal' && spec.centred ? Math.exp(spec.sigma ** 2 / 2) : 0;
  for (let index = 0; index < out.length; index++) {
    const standard = out[index] as number;
    out[index] =
      spec.scale * (spec.law === 'log-normal' ? Math.exp(spec.sigma * standard) - centre : standard);
  }
  return out;
}

function signsInto(
  out: Float64Array,
  { signed: isSigned }: { readonly signed: boolean },
  draw: () => number,
  randomness: DataRandom,
): void {
  for (let index = 0; index < out.length; index++) {
    const size = draw();
    out[index] = isSigned && randomness.uniform() < 0.5 && size !== 0 ? -size : size;
  }
}

/** By rejection: of normals, or where few of them are accepted, of uniforms. */
function truncatedInto(out: Float64Array, bound: number, random: DataRandom): void {
  const one = new Float64Array(1);
  const randomness = random.fork('accepted');
  const draw = (): number => (bound > 1 ? random.gaussianInto(one)[0] : bound * (2 * random.uniform() - 1));
  for (let index = 0; index < out.length;) {
    const drawn = draw();
    if (bound > 1 ? Math.abs(drawn) <= bound : randomness.uniform() < Math.exp((-drawn * drawn) / 2))
      out[index++] = drawn;
  }
}
