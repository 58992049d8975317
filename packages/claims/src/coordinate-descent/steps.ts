import { normalCdf } from '@lethe/numerics';
import { seededRandom } from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import {
  defineClaimCheck,
  fails,
  holds,
  noiseDistribution,
  pool,
  type ClaimCheck,
  type Finding,
  type LawEnv,
  type Violation,
} from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, firstOf } from '../common/compare.js';
import { curated, logisticProblem, type Records } from './curated-run.js';
import { answered, finished } from '../common/finished.js';
import { entries, distributionChoices, distributionOf, positives } from './distributions-of-sets.js';
import { noCalibration } from './no-calibration.js';
import type { SketchingSubject } from './sketching-subject.js';

const all = (d: number): number[] => Array.from({ length: d }, (_, j) => j);

/** One step of the shipped descent, with the entries of `ΓC` for the canonical step sizes. */
const stepped = (
  subject: SketchingSubject,
  start: Float64Array,
  coordinates: Uint32Array,
  smoothness: Float64Array,
  slopes: Float64Array,
): Float64Array =>
  finished(
    subject.sketchedDescent({
      start,
      rounds: 1,
      innerSteps: 1,
      draw: () => coordinates,
      stepSizes: smoothness.map((constant) => 1 / constant),
      gradient: (_theta, drawn) => answered(Float64Array.from(drawn, (j) => slopes[j])),
    }),
  );

const scenarios = fc.record({
  choice: distributionChoices(),
  start: entries,
  gradient: entries,
  noise: entries,
  M: positives,
});

/** Row 24, exactly: no gradient, and known noise. */
function exactly(
  subject: SketchingSubject,
  { choice, start, noise, M }: Parameters<Parameters<(typeof scenarios)['map']>[0]>[0],
): Violation | undefined {
  const distribution = distributionOf(subject, choice);
  const d = distribution.dimension;
  const smoothness = Float64Array.from(M.slice(0, d));
  const from = Float64Array.from(start.slice(0, d));
  const eta = Float64Array.from(noise.slice(0, d));
  return firstOf(
    distribution.sets.flatMap(({ coordinates }) => {
      const to = stepped(subject, from, coordinates, smoothness, eta);
      const listing = subject.sketchedStep({
        gradient: new Float64Array(d),
        noise: eta,
        steps: subject.canonicalSteps(distribution.marginals, smoothness),
        coordinates,
        marginals: distribution.marginals,
      });
      return all(d).flatMap((j) => {
        const drawn = coordinates.includes(j);
        const what = `the step in coordinate ${j} on the set ${coordinates.join()}`;
        return [
          drawn
            ? differs({ what, got: from[j] - to[j], want: eta[j] / smoothness[j], size: Math.abs(from[j]) })
            : differs({ what, got: to[j], want: from[j], tolerance: 0 }),
          differs({ what: `${what}, as listed,`, got: listing[j], want: drawn ? eta[j] / smoothness[j] : 0 }),
        ];
      });
    }),
  );
}

const records: Records = {
  features: [
    [0, 0, 0],
    [0, 0, 0],
  ],
  featureNorm: 2,
  featureBounds: [1, 0.5, 2],
};
const constants = [0.5, 2, 10];
const sketch = {
  name: 'finite',
  params: {
    sets: [
      { coordinates: [0], probability: 0.2 },
      { coordinates: [0, 1], probability: 0.3 },
      { coordinates: [0, 1, 2], probability: 0.1 },
      { coordinates: [2], probability: 0.4 },
    ],
  },
};

/**
 * Row 24, for the shipped run: records without features, a curator, the noise of Theorem 4.1. Query points
 * give the steps.
 */
function byDraws(subject: SketchingSubject, env: LawEnv): Finding {
  const problem = logisticProblem(subject, records);
  const budget = { epsilon: 1, delta: 1e-5 };
  const innerSteps = env.samples(3000);
  const run = subject.dpSkgd.prepare({
    registry: mechanisms,
    problem,
    budget,
    calibrate: noCalibration,
    random: seededRandom('plan'),
    params: { sketch, smoothness: constants, rounds: 1, innerSteps, calibration: 'theorem' },
  });
  const asked = curated(subject, run, records, [0, 0, 0], `${env.random('run').bits32()}`);
  const laws = constants.map(() => noiseDistribution({ cdf: normalCdf }));
  const evidence = pool(laws);
  for (let k = 0; k + 1 < asked.length; k++) {
    const { at, coordinates } = asked[k];
    const to = asked[k + 1].at;
    const lipschitz = subject.blockLipschitz(problem.facts, 3, Uint32Array.from(coordinates)) ?? Number.NaN;
    const scale = subject.runNoiseScale({ lipschitz, records: 2, innerSteps, rounds: 1, ...budget });
    for (let j = 0; j < 3; j++) {
      if (coordinates.includes(j)) laws[j].push(((to[j] - at[j]) * constants[j]) / scale);
      else if (to[j] !== at[j])
        return fails(k + 1, {
          what: `a step on the set ${coordinates.join()} moves coordinate ${j} by ${to[j] - at[j]}`,
        });
    }
    if (evidence.rejects(env.alpha))
      return fails(k + 1, {
        what: 'steps without a gradient, times M_j over the σ_S of Theorem 4.1, are not standard normal',
        logE: evidence.peak,
      });
  }
  return holds(asked.length - 1);
}

/** Row 24. */
export const noiseWhereDrawn = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/noise-where-drawn',
    tier: 'statistical',
    statement:
      'without a gradient a step is noise of variance σ_S²/M_j² on the drawn coordinates, ' +
      'and does not change the others',
    power:
      'any change off the set and a relative error above 1e-12 on it for known noise, over 200 laws; ' +
      'for the shipped run, a scale 20 % away within 3000 steps',
    run: (env) =>
      both(
        () => env.forAll(scenarios, (scenario) => exactly(subject, scenario), { runs: 200 }),
        () => byDraws(subject, env),
      ),
  });

/** Row 25. */
export const canonicalStep = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/canonical-step',
    tier: 'search',
    statement:
      'with Γ = PM⁻¹ the matrix ΓC is M⁻¹ on the drawn set, for all probabilities; ' +
      'the descent with steps 1/M_j is Algorithm 1 with that Γ',
    power: 'a relative error above 1e-15 of ΓC, 1e-12 of a step, on every set of 200 laws',
    run: (env) =>
      env.forAll(
        scenarios,
        ({ choice, start, gradient, noise, M }) => {
          const distribution = distributionOf(subject, choice);
          const d = distribution.dimension;
          const smoothness = Float64Array.from(M.slice(0, d));
          const steps = subject.canonicalSteps(distribution.marginals, smoothness);
          const [from, g, eta] = [start, gradient, noise].map((list) => Float64Array.from(list.slice(0, d)));
          return firstOf(
            distribution.sets.flatMap(({ coordinates }) => {
              const diagonal = subject.sketchDiagonal(coordinates, distribution.marginals);
              const listing = subject.sketchedStep({
                gradient: g,
                noise: eta,
                steps,
                coordinates,
                marginals: distribution.marginals,
              });
              const to = stepped(
                subject,
                from,
                coordinates,
                smoothness,
                g.map((slope, j) => slope + eta[j]),
              );
              return all(d).flatMap((j) => [
                differs({
                  what: `entry ${j} of ΓC on the set ${coordinates.join()}`,
                  got: steps[j] * diagonal[j],
                  want: coordinates.includes(j) ? 1 / smoothness[j] : 0,
                  tolerance: 1e-15,
                }),
                differs({
                  what: `coordinate ${j} after a step on the set ${coordinates.join()}`,
                  got: to[j],
                  want: from[j] - listing[j],
                  size: Math.abs(from[j]),
                }),
              ]);
            }),
          );
        },
        { runs: 200 },
      ),
  });
