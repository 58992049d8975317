import { seededRandom } from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import {
  defineClaimCheck,
  fails,
  gaussianCurve,
  hockeyStick,
  holds,
  pool,
  type ClaimCheck,
} from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { curated, logisticProblem, type Records } from './curated-run.js';
import { noCalibration } from './no-calibration.js';
import type { SketchingSubject } from './sketching-subject.js';

const budget = { epsilon: 1, delta: 0.1 };
const start = [0, -3000];
/**
 * Two opposite records along the first coordinate. Far out along the second coordinate both slopes are 1, and
 * steps are short.
 */
const worlds: readonly (readonly number[])[] = [
  [1, 0.01],
  [-1, 0.01],
];
const smoothness = 1e9;
const recordsOf = (features: readonly number[]): Records => ({
  features: [features],
  featureNorm: Math.hypot(1, 0.01),
  featureBounds: [1, 0.01],
});
const thresholds = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12];

/**
 * Releases of the first coordinate, times `M`, from the answers of one long run with one release per step.
 */
function releases(
  subject: SketchingSubject,
  features: readonly number[],
  label: string,
  count: number,
): readonly number[] {
  const records = recordsOf(features);
  const problem = logisticProblem(subject, records);
  const context = { problem, budget, calibrate: noCalibration, random: seededRandom('plan') };
  const params = {
    sketch: {
      name: 'single-coordinate',
      params: { choice: { by: 'probabilities', probabilities: [0.9, 0.1] } },
    },
    smoothness,
    rounds: 1,
  };
  const { noiseMultiplier } = subject.dpSkgd.prepare({
    registry: mechanisms,
    ...context,
    params: { ...params, innerSteps: 1, calibration: 'theorem' },
  }).plan as { readonly noiseMultiplier?: number };
  const run = subject.dpSkgd.prepare({
    registry: mechanisms,
    ...context,
    params: { ...params, innerSteps: Math.ceil(1.2 * count) + 50, noiseMultiplier: defined(noiseMultiplier) },
  });
  const asked = curated(subject, run, records, start, label);
  return asked
    .slice(0, -1)
    .flatMap(({ at, coordinates }, k) =>
      coordinates[0] === 0 ? [(at[0] - asked[k + 1].at[0]) * smoothness] : [],
    )
    .slice(0, count);
}

/** Row 23. */
export const audit = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/audit',
    tier: 'statistical',
    statement:
      'for two neighbours that attain the sensitivity 2 L_U, the release of a step along a coordinate, ' +
      'with the noise of Theorem 4.1, is (1, 0.1)-private and satisfies its Gaussian privacy parameter',
    power: 'noise of half the required scale, within 4000 releases per side',
    run(env) {
      const count = env.samples(4000);
      const [P, Q] = worlds.map((features, i) =>
        releases(subject, features, `${env.random('world').bits32()}/${i}`, count),
      );
      const total = gaussianCurve(subject.theoremGaussianMu(budget), 0).upper;
      const claims = [budget, { epsilon: 0, delta: total * (1 + 1e-9) }].flatMap((claim) =>
        thresholds.flatMap((threshold) =>
          [1, -1].map((side) => ({ threshold, side, process: hockeyStick(claim) })),
        ),
      );
      const evidence = pool(claims.map(({ process }) => process));
      const samples = Math.min(P.length, Q.length);
      for (let i = 0; i < samples; i++) {
        for (const { threshold, side, process } of claims) {
          const [first, second] = side > 0 ? [P[i], Q[i]] : [-Q[i], -P[i]];
          process.push(Number(-first > threshold), Number(-second > threshold));
        }
        if (evidence.rejects(env.alpha))
          return fails(2 * (i + 1), {
            what:
              'releases of neighbours are distinguished more often than (1, ' +
              '0.1) or the Gaussian parameter allow',
            logE: evidence.peak,
            input: { worlds, start },
          });
      }
      return holds(2 * samples);
    },
  });
