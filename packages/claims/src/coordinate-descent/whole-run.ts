import type { RandomSource } from '@lethe/core';
import {
  boundedMean,
  defineClaimCheck,
  detectableGap,
  fails,
  heavyMean,
  holds,
  type ClaimCheck,
} from '@lethe/laws';
import fc from 'fast-check';
import { anchored, anchors, type Anchor } from './anchors.js';
import type { ConvergenceSubject } from './convergence-subject.js';
import { enumeratedRun } from './enumerated-runs.js';
import { answered, finished } from '../common/finished.js';
import { both } from '../common/compare.js';
import { above, differs, first } from '../common/judging.js';
import { gradientOf, quadratic, quadraticInputs, riskOf, squared, type Quadratic } from './quadratics.js';
import { sketchCase, type SketchInput } from './sketch-inputs.js';

type CheckOf = (subject: ConvergenceSubject) => ClaimCheck;

const momentsOf = (
  subject: ConvergenceSubject,
  { hessian, smoothness, sketch, params, noiseScale, start }: Quadratic,
  innerSteps: number,
  rounds: number,
) =>
  subject.exactQuadraticMoments({
    hessian,
    smoothness,
    sketch,
    params: params,
    noiseScale,
    start,
    innerSteps,
    rounds,
  });

/** Row 36: Jensen's inequality, and the basis of all exact risks. */
export const averageRisk: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/average-risk',
    tier: 'search',
    statement:
      'The exact risk of an average is at most the mean of the exact risks, ' +
      'for points averaged lazily and for whole runs; the recursion for runs gives the known values, ' +
      'and agrees with enumeration of all sequences of sets.',
    power: 'Any expectation of the recursion that is off by one part in 10⁹.',
    run: (env) =>
      both(
        env.forAll(
          fc.constantFrom(...anchors),
          (anchor) => {
            const problem = anchored(subject, anchor);
            const { rounds, stepNoise, riskNoise } = momentsOf(
              subject,
              problem,
              anchor.innerSteps,
              anchor.rounds,
            );
            const terms = { innerSteps: anchor.innerSteps, stepNoise };
            const distance = Math.sqrt(
              squared(problem.start, (j) => problem.smoothness[j] / problem.marginals[j]),
            );
            return first(
              ...anchor.risks.flatMap((risks, t) =>
                risks.map((risk, k) =>
                  differs(
                    `anchor ${anchor.name}: E f(θ^${k}) in round ${t}`,
                    rounds[t].risks[k],
                    risk,
                    1e-12,
                  ),
                ),
              ),
              ...anchor.averages.map((average, t) =>
                differs(`anchor ${anchor.name}: E f(w^${t + 1})`, rounds[t].average, average, 1e-12),
              ),
              differs(`anchor ${anchor.name}: N`, stepNoise, anchor.stepNoise, 1e-12),
              differs(`anchor ${anchor.name}: N′`, riskNoise, anchor.riskNoise, 1e-12),
              ...(anchor.bounds === undefined
                ? []
                : [
                    differs(
                      `anchor ${anchor.name}: Lemma E.1`,
                      subject.roundBound({ ...terms, distance, gap: rounds[0].risks[0] }),
                      anchor.bounds[0],
                      1e-12,
                    ),
                    differs(
                      `anchor ${anchor.name}: the sharper bound`,
                      subject.sharpRoundBound({ ...terms, distance, riskNoise }),
                      anchor.bounds[1],
                      1e-12,
                    ),
                  ]),
            );
          },
          { runs: 1, examples: anchors },
        ),
        env.forAll(
          fc.tuple(quadraticInputs(), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 })),
          ([input, innerSteps, rounds]) => {
            const problem = quadratic(subject, input);
            const { rounds: found } = momentsOf(subject, problem, innerSteps, rounds);
            const mean = found.map(
              ({ risks }) => risks.slice(1).reduce((sum, risk) => sum + risk, 0) / innerSteps,
            );
            const gap = riskOf(problem.hessian, problem.start);
            const jensen = first(
              ...found.map(({ average }, t) =>
                above(
                  `the risk of the average of round ${t}`,
                  average,
                  mean[t],
                  1e-9 * mean[t] + 1e-11 * gap,
                ),
              ),
            );
            if (jensen !== undefined || problem.law.length ** (innerSteps * rounds) > 250) return jensen;
            const listed = enumeratedRun(problem, innerSteps, rounds);
            const slack = 1e-9 * (gap + found[0].risks[innerSteps]);
            return first(
              ...found.flatMap(({ risks, average }, t) =>
                [...risks.map((risk, k) => [risk, listed.risks[t][k]]), [average, listed.averages[t]]].map(
                  ([risk, known]) =>
                    Math.abs(risk - known) <= 1e-9 * known + slack
                      ? undefined
                      : {
                          what:
                            `a risk of round ${t} by the recursion: ` +
                            `${risk} is not ${known}, which listing gives`,
                          measured: risk,
                          allowed: known,
                        },
                ),
              ),
            );
          },
          { runs: 200 },
        ),
        env.forAll(
          fc.tuple(
            quadraticInputs(),
            fc.array(fc.tuple(fc.nat(3), fc.integer({ min: -9, max: 9 })), { minLength: 1, maxLength: 12 }),
          ),
          ([input, moves]) => {
            const { hessian, start, dimension } = quadratic(subject, input);
            const average = subject.lazyAverage(start);
            const theta = start.slice();
            const plain = start.map(() => 0);
            let risks = 0;
            for (const [j, to] of moves) {
              theta[j % dimension] = to;
              average.push(theta, Uint32Array.of(j % dimension));
              theta.forEach((at, i) => {
                plain[i] += at / moves.length;
              });
              risks += riskOf(hessian, theta) / moves.length;
            }
            const value = average.value();
            return first(
              ...Array.from(value, (at, i) =>
                Math.abs(at - plain[i]) <= 1e-12
                  ? undefined
                  : {
                      what: `the lazy average of coordinate ${i} is ${at}, not ${plain[i]}`,
                      measured: at,
                      allowed: plain[i],
                    },
              ),
              above('f of the average', riskOf(hessian, value), risks),
            );
          },
        ),
      ),
  });

/** One family of each kind, with unequal marginals. */
const families: readonly SketchInput[] = [
  { family: 'full' },
  { family: 'single', choice: [1, 2, 3, 4, 6] },
  { family: 'blocks', blocks: [[0, 3], [1], [2, 4]], choice: [1, 2, 5] },
  { family: 'nice', tau: 3 },
  { family: 'independent', probabilities: [0.1, 0.2, 0.3, 0.4, 0.5] },
  { family: 'finite', weights: Array.from({ length: 31 }, (_, k) => 1 + (k % 7)) },
];

/** Row 54: the cost of a step. */
export const marginalCost: CheckOf = (subject) =>
  defineClaimCheck({
    id: 'maranjyan/marginal-cost',
    tier: 'statistical',
    statement:
      'The expected number of coordinates of a step is the sum of the marginals: ' +
      'exactly for the listed distribution, and for draws.',
    power:
      'A mean of draws that is off by 0.2 coordinates, ' +
      'with probability 0.99; of the listed law, one part in 10⁹.',
    run: (env) => {
      const draws = env.samples(6000);
      const dimension = 5;
      let looked = 0;
      for (const [k, input] of families.entries()) {
        const { sketch, params, law, marginals } = sketchCase(
          subject,
          input,
          new Float64Array(dimension).fill(1),
        );
        const expected = marginals.reduce((sum, p) => sum + p, 0);
        const listed = differs(
          `the mean size of the listed sets of '${input.family}'`,
          law.reduce((sum, { coordinates, probability }) => sum + probability * coordinates.length, 0),
          expected,
        );
        if (listed !== undefined) return fails(looked + 1, listed);
        const random = env.random(input.family);
        const over = boundedMean({ atMost: expected, lowest: -1 });
        const under = boundedMean({ atMost: -expected, lowest: -dimension - 1 });
        for (let draw = 0; draw < draws; draw++, looked++) {
          const size = sketch.draw(params, dimension, random).coordinates.length;
          over.push(size);
          under.push(-size);
        }
        const share = env.alpha / (2 * families.length);
        const worst = over.peak > under.peak ? over : under;
        if (worst.rejects(share))
          return fails(looked, {
            what:
              `draws of '${input.family}' contain ${over === worst ? 'more' : 'fewer'} ` +
              `than ${expected} coordinates on average`,
            allowed: expected,
            logE: worst.peak,
            input: { family: k },
          });
      }
      return holds(looked);
    },
  });

/** One run of the shipped descent on an anchor: `f(w^T) − f*`. */
function sampledRisk(
  subject: ConvergenceSubject,
  problem: Quadratic,
  { innerSteps, rounds }: Anchor,
  randomness: RandomSource,
  normal: () => number,
): number {
  const { hessian, smoothness, sketch, params, noiseScale, start, dimension } = problem;
  return riskOf(
    hessian,
    finished(
      subject.sketchedDescent({
        start,
        rounds,
        innerSteps,
        stepSizes: smoothness.map((M) => 1 / M),
        draw: () => sketch.draw(params, dimension, randomness).coordinates,
        gradient: (theta, coordinates) => {
          const gradient = gradientOf(hessian, theta);
          const scale = noiseScale(coordinates);
          return answered(Float64Array.from(coordinates, (j) => gradient[j] + scale * normal()));
        },
      }),
    ),
  );
}

/** Standard normal draws, many at a time. */
function normals(random: RandomSource): () => number {
  const buffer = new Float64Array(4096);
  let at = buffer.length;
  return () => {
    if (at === buffer.length) {
      random.gaussianInto(buffer);
      at = 0;
    }
    return buffer[at++];
  };
}

/** Row 55: whole runs against the exact recursion. */
export const wholeRun: CheckOf = (subject) => {
  const runs = 40_000;
  return defineClaimCheck({
    id: 'maranjyan/whole-run',
    tier: 'statistical',
    statement:
      'On four small quadratics the risk of whole runs of the shipped descent has the exact mean, ' +
      'on which the recursion and the enumeration of all sequences of sets agree.',
    power:
      'At a false alarm of 10⁻¹⁰, with probability 0.99, a mean that is off by ' +
      `${detectableGap(1, runs, 1e-10 / 24).toFixed(3)} of its standard deviation: ` +
      'a noise scale of 1.1 times what it should be, an average that includes the start, no average, ' +
      'or a restart from the last point.',
    run: (env) => {
      const count = env.samples(runs);
      const alpha = env.alpha / anchors.length;
      let looked = 0;
      // The fastest to decide first.
      for (const anchor of anchors.toReversed()) {
        const problem = anchored(subject, anchor);
        const { averages, variance } = enumeratedRun(problem, anchor.innerSteps, anchor.rounds);
        const mean = averages[anchor.rounds - 1];
        const exact = differs(
          `anchor ${anchor.name}: the recursion`,
          momentsOf(subject, problem, anchor.innerSteps, anchor.rounds).rounds[anchor.rounds - 1].average,
          mean,
        );
        if (exact !== undefined) return fails(looked + 1, exact);
        // Rounded up, so that a true hypothesis is not rejected.
        const evidence = heavyMean({
          equals: mean,
          order: 2,
          moment: variance * (1 + 1e-9),
          horizon: count,
          alpha,
        });
        const random = env.random(anchor.name);
        const randomness = random.fork('coins');
        const normal = normals(random.fork('noise'));
        let sum = 0;
        for (let run = 1; run <= count; run++, looked++) {
          const risk = sampledRisk(subject, problem, anchor, randomness, normal);
          sum += risk;
          evidence.push(risk);
          if ((run % 500 === 0 || run === count) && evidence.rejects(alpha))
            return fails(looked, {
              what: `anchor ${anchor.name}: the mean risk of ${run} runs is ${sum / run}, not ${mean}`,
              measured: sum / run,
              allowed: mean,
              logE: evidence.peak,
              input: anchor,
            });
        }
      }
      return holds(looked);
    },
  });
};
