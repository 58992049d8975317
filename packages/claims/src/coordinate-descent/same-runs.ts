import { encode, publicCoins } from '@lethe/numerics';
import {
  plainLoops,
  seededRandom,
  type Answer,
  type Batch,
  type MeanQuery,
  type Run,
  type Vector,
} from '@lethe/core';
import { mechanisms } from '@lethe/mechanisms';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { differs, firstOf } from '../common/compare.js';
import { logisticProblem } from './curated-run.js';
import { entries, positives } from './distributions-of-sets.js';
import { noCalibration } from './no-calibration.js';
import type { SketchingSubject } from './sketching-subject.js';

const allRecords = { id: 'everyone', normaliser: 4, size: 'exact', scope: null } as Batch;

/** A recorded run with its queries, as bytes and as numbers. */
interface RecordedRun {
  readonly bytes: readonly string[];
  readonly asked: readonly MeanQuery[];
  readonly answers: readonly Vector[];
  readonly output: Vector;
}

/**
 * Records a run with answers that depend only on the query index, and public randomness that depends only on
 * the seed.
 */
function recordedRun(run: Run, start: Vector, seed: number): RecordedRun {
  const steps = run.steps({
    allRecords,
    start: start.slice(),
    random: publicCoins(seededRandom(`coins ${seed}`)),
    ...plainLoops(),
  });
  const bytes: string[] = [];
  const asked: MeanQuery[] = [];
  const answers: Vector[] = [];
  for (let next = steps.next(); ;) {
    if (next.done === true) return { bytes, asked, answers, output: next.value };
    if (next.value.ask !== 'mean') {
      next = steps.next(null);
      continue;
    }
    const { of } = next.value;
    bytes.push(encode(next.value).toString());
    asked.push({
      ...next.value,
      of: { ...of, terms: of.terms.map(({ weight, at }) => ({ weight, at: at.slice() })) },
    });
    answers.push(
      seededRandom(`answers ${seed}`)
        .fork(answers.length)
        .gaussianInto(new Float64Array(of.coordinates?.length ?? start.length)),
    );
    next = steps.next(answers[answers.length - 1].slice() as Answer);
  }
}

const scenarios = fc.record({
  d: fc.integer({ min: 2, max: 5 }),
  M: positives,
  start: entries,
  rounds: fc.integer({ min: 1, max: 3 }),
  innerSteps: fc.integer({ min: 1, max: 9 }),
  seed: fc.nat(1_000_000),
});
type Scenario = Parameters<Parameters<(typeof scenarios)['map']>[0]>[0];

const contextOf = (subject: SketchingSubject, { d, M, rounds, innerSteps }: Scenario) => ({
  context: {
    problem: logisticProblem(subject, {
      features: Array.from({ length: 4 }, () => Array.from({ length: d }, () => 0)),
      featureNorm: 1,
      featureBounds: Array.from({ length: d }, () => 1),
    }),
    budget: { epsilon: 1, delta: 1e-6 },
    calibrate: noCalibration,
    random: seededRandom('plan'),
  },
  params: { smoothness: M.slice(0, d), rounds, innerSteps, calibration: 'theorem' as const },
});

/** Compares two runs bit by bit. */
function sameRun(what: string, one: RecordedRun, other: RecordedRun): Violation | undefined {
  const at = one.bytes.findIndex((bytes, k) => bytes !== other.bytes[k]);
  if (at >= 0 || one.bytes.length !== other.bytes.length)
    return {
      what: `${what}: query ${at < 0 ? Math.min(one.bytes.length, other.bytes.length) : at} is not the same`,
    };
  const j = one.output.findIndex((entry, i) => !Object.is(entry, other.output[i]));
  return j < 0
    ? undefined
    : { what: `${what}: coordinate ${j} of the output is ${one.output[j]} and ${other.output[j]}` };
}

/**
 * Textbook update: moves the queried coordinates by `1/M_j` of the answer, and averages the iterates of a
 * round.
 */
function textbook(
  what: string,
  { asked, answers, output }: RecordedRun,
  { d, M, start, rounds, innerSteps }: Scenario,
): Violation | undefined {
  let w = start.slice(0, d);
  for (let t = 0; t < rounds; t++) {
    const theta = [...w];
    const sum = theta.map(() => 0);
    for (let k = 0; k < innerSteps; k++) {
      const step = t * innerSteps + k;
      const { terms, coordinates } = asked[step].of;
      const size = Math.max(...theta.map(Math.abs), 1);
      const wrong = firstOf(
        theta.map((entry, j) =>
          differs({
            what: `${what}: coordinate ${j} of the point of query ${step}`,
            got: terms[0].at[j],
            want: entry,
            tolerance: 1e-13,
            size,
          }),
        ),
      );
      if (wrong !== undefined) return wrong;
      Array.from(coordinates ?? theta.keys()).forEach((j, i) => {
        theta[j] -= (1 / M[j]) * answers[step][i];
      });
      for (let j = 0; j < d; j++) sum[j] += theta[j];
    }
    w = sum.map((all) => all / innerSteps);
  }
  return firstOf(
    w.map((entry, j) =>
      differs({
        what: `${what}: coordinate ${j} of the output`,
        got: output[j],
        want: entry,
        tolerance: 1e-12,
        size: Math.max(...w.map(Math.abs), 1),
      }),
    ),
  );
}

/** Row 26. */
export const coordinateDescent = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/coordinate-descent',
    tier: 'search',
    statement:
      'with single coordinates drawn uniformly the method is DP-CD: with equal randomness and answers it ' +
      'sends the same queries, bit for bit, and ends at the same point; both follow the textbook update ' +
      'by 1/M_j of the noisy derivative',
    power:
      'any bit of any query or output, over 60 runs of up to 3 rounds of 9 steps in up to 5 dimensions; ' +
      '1e-12 against the textbook',
    run: (env) =>
      env.forAll(
        scenarios,
        (scenario) => {
          const { context, params } = contextOf(subject, scenario);
          const start = Float64Array.from(scenario.start.slice(0, scenario.d));
          const play = (run: Run): RecordedRun => recordedRun(run, start, scenario.seed);
          const sketched = (sketch: {
            readonly name: string;
            readonly params?: Record<string, unknown>;
          }): RecordedRun =>
            play(
              subject.dpSkgd.prepare({
                registry: mechanisms,
                ...context,
                params: { ...params, sketch: { params: {}, ...sketch } },
              }),
            );
          const single = sketched({ name: 'single-coordinate' });
          const own = play(subject.dpCd.prepare({ registry: mechanisms, ...context, params }));
          return (
            textbook('DP-CD', own, scenario) ??
            textbook('uniform coordinates', single, scenario) ??
            sameRun('uniform coordinates and DP-CD', single, own) ??
            sameRun(
              'blocks of one coordinate and DP-CD',
              sketched({ name: 'block', params: { blocks: scenario.d } }),
              own,
            ) ??
            (own.asked.every(({ of }) => of.coordinates?.length === 1)
              ? undefined
              : { what: 'a query is not along a single coordinate' })
          );
        },
        { runs: 60 },
      ),
  });

/** Row 27. */
export const fullGradient = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/full-gradient',
    tier: 'search',
    statement:
      'with all coordinates drawn the method is gradient descent over all records with noise and a step ' +
      'size for each coordinate: with equal answers it sends the same queries, bit for bit, ' +
      'and ends at the same point',
    power:
      'any bit of any query or output, over 60 runs of up to 3 rounds of 9 steps in up to 5 dimensions; ' +
      '1e-12 against the textbook',
    run: (env) =>
      env.forAll(
        scenarios,
        (scenario) => {
          const { context, params } = contextOf(subject, scenario);
          const start = Float64Array.from(scenario.start.slice(0, scenario.d));
          const play = (run: Run): RecordedRun => recordedRun(run, start, scenario.seed);
          const own = play(
            subject.noisyGradientDescent.prepare({ registry: mechanisms, ...context, params }),
          );
          const sketches = [
            { name: 'full', params: {} },
            { name: 'block', params: { blocks: 1 } },
            { name: 'tau-nice', params: { tau: scenario.d } },
          ];
          return (
            textbook('gradient descent', own, scenario) ??
            firstOf(
              sketches.map((sketch) =>
                sameRun(
                  `the sketch '${sketch.name}' and gradient descent`,
                  play(
                    subject.dpSkgd.prepare({
                      registry: mechanisms,
                      ...context,
                      params: { ...params, sketch },
                    }),
                  ),
                  own,
                ),
              ),
            ) ??
            (own.asked.every(({ of, batch }) => of.coordinates === undefined && batch.id === allRecords.id)
              ? undefined
              : { what: 'a query is not of the whole gradient over all records' })
          );
        },
        { runs: 60 },
      ),
  });
