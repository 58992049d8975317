import type { LossLaw } from '../../plugins/loss-law.js';
import { addUp, multiplyDown, multiplyUp, sumDown, sumUp } from '../../rounding/index.js';

/** One case of a mixture: its probability under `P`, under `Q`, and what tells them apart within it. */
export interface Case { readonly p: number; readonly q: number; readonly law: LossLaw }

/**
 * The law of what also shows which of several cases it is in, where the two distributions may choose their cases differently: in a
 * case the loss is that of the case plus `log(p/q)`.
 */
export function tiltedMixture(cases: readonly Case[]): LossLaw {
  const finite = cases.filter(({ p, q }) => p > 0 && q > 0).map(({ p, q, law }) => ({ p, q, law, tilt: p === q ? 0 : Math.log(p / q) }));
  const revealed = cases.filter(({ q }) => q === 0).map(({ p }) => p);
  const known = finite.every(({ law }) => law.massesInto !== undefined);
  return {
    hockeyStick(epsilon) {
      const slack = (tilt: number): number => (tilt === 0 ? 0 : 2 ** -49 * (1 + Math.abs(epsilon) + Math.abs(tilt)));
      const bounds = finite.map(({ p, law, tilt }) => {
        const upper = law.hockeyStick(epsilon - tilt - slack(tilt)).upper;
        return { upper: multiplyUp(p, upper), lower: multiplyDown(p, law.hockeyStick(epsilon - tilt + slack(tilt)).lower) };
      });
      return { lower: Math.min(1, sumDown([...revealed, ...bounds.map(({ lower }) => lower)])), upper: Math.min(1, sumUp([...revealed, ...bounds.map(({ upper }) => upper)])) };
    },
    infinite: Math.min(1, sumUp([...revealed, ...finite.map(({ p, law }) => multiplyUp(p, law.infinite))])),
    support: {
      least: Math.min(...finite.map(({ law, tilt }) => law.support.least + tilt - 2 ** -48 * (1 + Math.abs(tilt)))),
      most: Math.max(...finite.map(({ law, tilt }) => law.support.most + tilt + 2 ** -48 * (1 + Math.abs(tilt)))),
    },
    grain: addUp(2 ** -50, Math.max(2 ** -44, ...finite.map(({ law }) => law.grain ?? 0))),
    ...(known && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        p.fill(0);
        q.fill(0);
        const partP = new Float64Array(p.length), partQ = new Float64Array(q.length);
        for (const { p: weightP, q: weightQ, law, tilt } of finite) {
          law.massesInto!(partP, partQ, tilt === 0 ? edges : edges.map((edge) => edge - tilt));
          for (let i = 0; i < p.length; i++) {
            p[i]! += weightP * partP[i]!;
            q[i]! += weightQ * partQ[i]!;
          }
        }
      },
    }),
  };
}
