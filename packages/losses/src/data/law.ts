import { z } from 'zod';
import type { DataRandom } from './random-source.js';
import { studentTInto } from './student-t.js';

const scale = z.number().positive().min(1e-100).max(1e100).default(1);

/** A law on the line, as JSON. Its `scale` multiplies the standard variate. */
export const law = z.discriminatedUnion('law', [
  z.strictObject({ law: z.literal('gaussian'), scale }),
  z.strictObject({ law: z.literal('student-t'), degreesOfFreedom: z.number().positive().max(1e9), scale }),
  z.strictObject({ law: z.literal('log-normal'), sigma: z.number().positive().max(5), scale, centred: z.boolean().default(true) }),
]);

/** Input form of {@link law}. */
export type LawSpec = z.input<typeof law>;

/** Parsed form of {@link law}. */
export type Law = z.output<typeof law>;

/** Raw moments `E X`, `E X²`, `E X⁴`: Infinity where the integral diverges, `null` where a mean does not exist. */
export interface Moments {
  readonly mean: number | null;
  readonly second: number;
  readonly fourth: number;
}

/**
 * Exact moments. Gaussian: 0, s², 3s⁴. Student-t with ν degrees of freedom: 0 (ν > 1), s²ν/(ν − 2) (ν > 2),
 * 3s⁴ν²/((ν − 2)(ν − 4)) (ν > 4). Log-normal: `E X^p = s^p exp(p²σ²/2)`, and with `centred` the central moments.
 */
export function momentsOf(spec: Law): Moments {
  const square = spec.scale ** 2;
  switch (spec.law) {
    case 'gaussian': return { mean: 0, second: square, fourth: 3 * square ** 2 };
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
      if (!spec.centred) return { mean: spec.scale * Math.sqrt(e), second: square * e ** 2, fourth: square ** 2 * e ** 8 };
      const variance = square * e * Math.expm1(spec.sigma ** 2);
      return { mean: 0, second: variance, fourth: variance ** 2 * (e ** 4 + 2 * e ** 3 + 3 * e ** 2 - 3) };
    }
  }
}

/** Fills `out` with independent draws. */
export function drawInto(out: Float64Array, spec: Law, random: DataRandom): Float64Array {
  if (spec.law === 'student-t') studentTInto(out, spec.degreesOfFreedom, random);
  else random.gaussianInto(out);
  const centre = spec.law === 'log-normal' && spec.centred ? Math.exp(spec.sigma ** 2 / 2) : 0;
  for (let index = 0; index < out.length; index++) {
    const standard = out[index] as number;
    out[index] = spec.scale * (spec.law === 'log-normal' ? Math.exp(spec.sigma * standard) - centre : standard);
  }
  return out;
}
