import { defineClaimCheck, type ClaimCheck } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { differs, firstOf, tried } from '../common/compare.js';
import { answered, finished } from '../common/finished.js';
import type { SketchingSubject } from './sketching-subject.js';

const all = (d: number): number[] => Array.from({ length: d }, (_, j) => j);

/** Sequences of changes of a few coordinates. Integers, so that sums are exact. */
const walks = fc.record({
  d: fc.integer({ min: 1, max: 5 }),
  start: fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 5, maxLength: 5 }),
  moves: fc.array(fc.array(fc.tuple(fc.nat(4), fc.integer({ min: -1000, max: 1000 })), { maxLength: 5 }), {
    minLength: 1,
    maxLength: 12,
  }),
});

/** The iterates `θ⁰ … θ^K` of a sequence, with the changes of each step. */
function walked({ d, start, moves }: Parameters<Parameters<(typeof walks)['map']>[0]>[0]) {
  const iterates = [Float64Array.from(start.slice(0, d))];
  const sets: Uint32Array[] = [];
  for (const move of moves) {
    const next = iterates[iterates.length - 1].slice();
    const changes = new Map(move.filter(([j]) => j < d));
    for (const [j, by] of changes) next[j] += by;
    iterates.push(next);
    sets.push(Uint32Array.from(changes.keys()).toSorted());
  }
  return { iterates, sets };
}

/** Row 30. */
export const averaging = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/averaging',
    tier: 'search',
    statement:
      'a round ends in the mean of θ¹ to θ^K, without θ⁰ and with θ^K; the lazy average, ' +
      'which updates only changed coordinates, is equal',
    power:
      'any error above rounding of the mean of whole numbers, ' +
      'over 300 rounds of up to 12 steps in up to 5 dimensions',
    run: (env) =>
      env.forAll(
        walks,
        (walk) => {
          const { iterates, sets } = walked(walk);
          const K = sets.length;
          const average = subject.lazyAverage(iterates[0]);
          sets.forEach((set, i) => {
            average.push(iterates[i + 1], set);
          });
          let k = 0;
          const ended = finished(
            subject.sketchedDescent({
              start: iterates[0],
              rounds: 1,
              innerSteps: K,
              draw: (step) => sets[step],
              stepSizes: new Float64Array(walk.d).fill(0.5),
              gradient: (theta, set) => {
                k++;
                return answered(Float64Array.from(set, (j) => 2 * (theta[j] - iterates[k][j])));
              },
            }),
          );
          return firstOf(
            all(walk.d).flatMap((j) => {
              const want = iterates.slice(1).reduce((sum, theta) => sum + theta[j], 0) / K;
              return [
                differs({
                  what: `the mean of coordinate ${j} over ${K} steps`,
                  got: average.value()[j],
                  want,
                  tolerance: 2 ** -52,
                }),
                differs({
                  what: `coordinate ${j} after a round of ${K} steps`,
                  got: ended[j],
                  want,
                  tolerance: 2 ** -52,
                }),
              ];
            }),
          );
        },
        { runs: 300 },
      ),
  });

/** Algorithm 1 on a quadratic with known expectations. */
interface Anchor {
  readonly A: readonly number[];
  readonly M: readonly number[];
  readonly start: readonly number[];
  readonly sets: readonly {
    readonly coordinates: readonly number[];
    readonly probability: number;
    readonly scale: number;
  }[];
  readonly innerSteps: number;
  readonly rounds: number;
  /** `E f(w^T)`. */
  readonly risk: number;
}

const blocks: Omit<Anchor, 'rounds' | 'risk'> = {
  A: [3, 1, 0, 1, 2, -0.5, 0, -0.5, 1],
  M: [4, 3.5, 1.5],
  start: [2, -1, 0.5],
  innerSteps: 2,
  sets: [
    { coordinates: [0, 2], probability: 0.4, scale: 0.2 },
    { coordinates: [1], probability: 0.6, scale: 0.1 },
  ],
};
const anchors: readonly Anchor[] = [
  { ...blocks, rounds: 1, risk: 2.872728768620071 },
  { ...blocks, rounds: 2, risk: 1.5645874929330141 },
  {
    A: [4, 1, 1, 2],
    M: [5, 3],
    start: [1, -2],
    innerSteps: 3,
    rounds: 1,
    sets: [
      { coordinates: [0], probability: 0.25, scale: 0.5 },
      { coordinates: [1], probability: 0.75, scale: 0.2 },
    ],
    risk: 1.5308070473251028,
  },
  {
    A: [2, 0, 0, 8],
    M: [2, 8],
    start: [3, -1],
    innerSteps: 2,
    rounds: 2,
    sets: [{ coordinates: [0, 1], probability: 1, scale: 1 }],
    risk: 0.15625,
  },
];

interface Outcome {
  readonly coordinates: Uint32Array;
  readonly noise: Float64Array;
  readonly probability: number;
}

/** Outcomes of one step with two-valued noise: expectations of quadratics depend only on its variance. */
const outcomesOf = ({ sets }: Anchor): readonly Outcome[] =>
  sets.flatMap(({ coordinates, probability, scale }) =>
    all(2 ** coordinates.length).map((signs) => ({
      coordinates: Uint32Array.from(coordinates),
      noise: Float64Array.from(coordinates, (_, k) => ((signs >> k) & 1 ? scale : -scale)),
      probability: probability / 2 ** coordinates.length,
    })),
  );

/** `E f(w^T)` of the shipped descent over all outcomes. */
function expectedRisk(subject: SketchingSubject, anchor: Anchor): number {
  const { A, M, start, innerSteps, rounds } = anchor;
  const d = M.length;
  const steps = innerSteps * rounds;
  const outcomes = outcomesOf(anchor);
  const stepSizes = Float64Array.from(M, (constant) => 1 / constant);
  let total = 0;
  for (let path = 0; path < outcomes.length ** steps; path++) {
    const taken = all(steps).map((k) => outcomes[Math.floor(path / outcomes.length ** k) % outcomes.length]);
    let step = -1;
    const end = finished(
      subject.sketchedDescent({
        start: Float64Array.from(start),
        rounds,
        innerSteps,
        stepSizes,
        draw: (k) => taken[k].coordinates,
        gradient: (theta, set) => {
          const { noise } = taken[++step];
          return answered(
            Float64Array.from(set, (j, k) =>
              all(d).reduce((sum, i) => sum + A[j * d + i] * theta[i], noise[k]),
            ),
          );
        },
      }),
    );
    const risk = all(d * d).reduce((sum, at) => sum + A[at] * end[Math.floor(at / d)] * end[at % d], 0) / 2;
    total += taken.reduce((product, { probability }) => product * probability, 1) * risk;
  }
  return total;
}

/** Row 31. */
export const restarts = (subject: SketchingSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'maranjyan/restarts',
    tier: 'exact',
    statement:
      'each round begins at the average of the previous one; over all sets and signs the expected risk ' +
      'of the descent equals the known value and the value from second moments',
    power: 'a relative error above 1e-12 of the expected risk of four runs, two of them of two rounds',
    run: () =>
      tried(anchors, (anchor) => {
        const { A, M, start, sets, innerSteps, rounds, risk } = anchor;
        const scaleOf = new Map(sets.map(({ coordinates, scale }) => [coordinates.join(), scale]));
        const moments = subject.exactQuadraticMoments({
          hessian: A,
          smoothness: M,
          sketch: subject.finiteSketch,
          params: {
            sets: sets.map(({ coordinates, probability }) => ({
              coordinates: [...coordinates],
              probability,
            })),
          },
          noiseScale: (set) => defined(scaleOf.get(set.join())),
          start,
          innerSteps,
          rounds,
        });
        return firstOf([
          differs({
            what: `the expected risk after ${rounds} rounds`,
            got: expectedRisk(subject, anchor),
            want: risk,
          }),
          differs({
            what: 'the risk by moments',
            got: moments.rounds[moments.rounds.length - 1].average,
            want: risk,
          }),
        ]);
      }),
  });
