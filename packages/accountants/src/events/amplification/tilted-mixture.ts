import type { PrivacyLossDistribution } from '@lethe/core';
import { addUp, defined, multiplyDown, multiplyUp, sumDown, sumUp } from '@lethe/numerics';

/**
 * One component of a mixture: its probabilities under `P` and `Q`, and the privacy-loss distribution within
 * it.
 */
export interface Case {
  readonly p: number;
  readonly q: number;
  readonly distribution: PrivacyLossDistribution;
}

/** Components below this share of the profile are bounded instead of evaluated. */
const negligible = 2 ** -50;

/**
 * Privacy-loss distribution of a mixture with a revealed component, whose weights may differ under `P` and
 * `Q`. The loss in a component is its own loss plus `log(p/q)`.
 */
export function tiltedMixture(cases: readonly Case[]): PrivacyLossDistribution {
  const finite = cases
    .filter(({ p, q }) => p > 0 && q > 0)
    .map(({ p, q, distribution }) => ({ p, q, distribution, tilt: p === q ? 0 : Math.log(p / q) }))
    .toSorted((one, other) => other.p - one.p);
  const revealed = cases.filter(({ q }) => q === 0).map(({ p }) => p);
  const known = finite.every(({ distribution }) => distribution.massesInto !== undefined);
  return {
    hockeyStick(epsilon) {
      const lower = [...revealed];
      const upper = [...revealed];
      let sure = sumDown(revealed);
      for (const { p, distribution, tilt } of finite) {
        // Negligible components are bounded by their weight.
        if (p < negligible * sure) {
          upper.push(p);
          continue;
        }
        const slack = tilt === 0 ? 0 : 2 ** -49 * (1 + Math.abs(epsilon) + Math.abs(tilt));
        const one = distribution.hockeyStick(epsilon - tilt - slack);
        upper.push(multiplyUp(p, one.upper));
        lower.push(
          multiplyDown(p, (slack === 0 ? one : distribution.hockeyStick(epsilon - tilt + slack)).lower),
        );
        sure = Math.max(sure, lower[lower.length - 1]);
      }
      return { lower: Math.min(1, sumDown(lower)), upper: Math.min(1, sumUp(upper)) };
    },
    infinite: Math.min(
      1,
      sumUp([...revealed, ...finite.map(({ p, distribution }) => multiplyUp(p, distribution.infinite))]),
    ),
    support: {
      least: Math.min(
        ...finite.map(
          ({ distribution, tilt }) => distribution.support.least + tilt - 2 ** -48 * (1 + Math.abs(tilt)),
        ),
      ),
      most: Math.max(
        ...finite.map(
          ({ distribution, tilt }) => distribution.support.most + tilt + 2 ** -48 * (1 + Math.abs(tilt)),
        ),
      ),
    },
    grain: addUp(2 ** -50, Math.max(2 ** -44, ...finite.map(({ distribution }) => distribution.grain ?? 0))),
    ...(known && {
      massesInto(p: Float64Array, q: Float64Array, edges: Float64Array) {
        p.fill(0);
        q.fill(0);
        const partP = new Float64Array(p.length);
        const partQ = new Float64Array(q.length);
        for (const { p: weightP, q: weightQ, distribution, tilt } of finite) {
          defined(distribution.massesInto)(
            partP,
            partQ,
            tilt === 0 ? edges : edges.map((edge) => edge - tilt),
          );
          for (let i = 0; i < p.length; i++) {
            p[i] += weightP * partP[i];
            q[i] += weightQ * partQ[i];
          }
        }
      },
    }),
  };
}
