import type { LossLaw } from '@lethe/core';
import { addDown, addUp, multiplyDown, multiplyUp, subtractDown, subtractUp } from '@lethe/numerics';
import { unprotectedLaw } from './finite.js';

/**
 * The law of what reveals everything with probability `delta`, by a coin of its own, and else has the given law:
 * `δ + (1 − δ)·H(ε)` at every ε.
 *
 * @param delta - In [0, 1].
 */
export function failingLaw(delta: number, law: LossLaw): LossLaw {
  if (delta === 0) return law;
  if (delta >= 1 || law.infinite >= 1) return unprotectedLaw;
  const rest = { lower: subtractDown(1, delta), upper: subtractUp(1, delta) };
  return {
    grain: (law.grain ?? 2 ** -44) + 2 ** -51,
    hockeyStick(epsilon) {
      const { lower, upper } = law.hockeyStick(epsilon);
      return { lower: addDown(delta, multiplyDown(rest.lower, lower)), upper: Math.min(1, addUp(delta, multiplyUp(rest.upper, upper))) };
    },
    infinite: Math.min(1, addUp(delta, multiplyUp(rest.upper, law.infinite))),
    support: law.support,
    ...(law.massesInto && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        law.massesInto!(p, q, edges);
        for (let i = 0; i < p.length; i++) {
          p[i]! *= 1 - delta;
          q[i]! *= 1 - delta;
        }
      },
    }),
  };
}
