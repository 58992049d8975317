import type { Program, Vector } from '@lethe/core';
import {
  convergenceSubject,
  type ConvergenceSubject,
} from '../../src/coordinate-descent/convergence-subject.js';
import type { StepTerms } from '../../src/coordinate-descent/lemmas.js';
import type { Mutant } from '../rows.js';

const shipped = convergenceSubject;
const all = (dimension: number, entry: (j: number) => number): Float64Array =>
  Float64Array.from({ length: dimension }, (_, j) => entry(j));

/** Lemma E.3 without `P⁻¹`. */
const withoutMarginals = (terms: StepTerms): number =>
  shipped.descentBound({ ...terms, marginals: all(terms.gradient.length, () => 1) });

interface Flaws {
  /** Points that are averaged: `θ⁰ … θ^K⁻¹`, with one more than there are, or the last alone. */
  readonly average?: 'from the start' | 'one more' | 'last';
  readonly restart?: 'last';
  /** Of each step, besides `1/M_j`. */
  readonly factor?: (j: number) => number;
  /** Noise over what it should be. */
  readonly noise?: number;
}

/** Algorithm 1, plainly, with a flaw. */
const flawed = ({
  average,
  restart,
  factor = () => 1,
  noise = 1,
}: Flaws): ConvergenceSubject['sketchedDescent'] =>
  function* ({ start, rounds, innerSteps, draw, stepSizes, gradient }): Program<Vector> {
    let theta = (start as Vector).slice();
    let answer = theta;
    const louder = Math.sqrt((2 * noise ** 2 - 1) / 4) - 0.5;
    for (let t = 0; t < rounds; t++) {
      const total = theta.map(() => 0);
      const add = (): void =>
        theta.forEach((at, j) => {
          total[j] += at;
        });
      for (let k = 0; k < innerSteps; k++) {
        if (average === 'from the start') add();
        const coordinates = draw(t * innerSteps + k);
        const one = yield* gradient(theta, coordinates);
        const other = noise === 1 ? one : yield* gradient(theta, coordinates);
        coordinates.forEach((j, i) => {
          theta[j] -= stepSizes[j] * factor(j) * ((1 + louder) * one[i] - louder * other[i]);
        });
        if (average !== 'from the start') add();
      }
      answer =
        average === 'last'
          ? theta.slice()
          : total.map((sum) => sum / (innerSteps + (average === 'one more' ? 1 : 0)));
      if (restart === undefined) theta = answer.slice();
    }
    return answer;
  };

/** Importance that is in proportion to something else. */
const reweighed = <S extends typeof shipped.blockSketch | typeof shipped.singleCoordinate>(
  sketch: S,
  of: (smoothness: number) => number,
): S =>
  ({
    ...sketch,
    name: sketch.name,
    marginals: (params: never, dimension: number) => sketch.marginals(bent(params, of), dimension),
    enumerate: (params: never, dimension: number) => sketch.enumerate(bent(params, of), dimension),
    pairProbability: (params: never, dimension: number, i: number, j: number) =>
      sketch.pairProbability(bent(params, of), dimension, i, j),
  }) as never;

function bent(params: never, of: (smoothness: number) => number): never {
  const { choice, ...rest } = params as {
    readonly choice: { readonly by: string; readonly smoothness?: readonly number[] };
  };
  return {
    ...rest,
    choice: choice.smoothness === undefined ? choice : { ...choice, smoothness: choice.smoothness.map(of) },
  } as never;
}

const withRates = (replaced: Partial<ConvergenceSubject['rates']>): Partial<ConvergenceSubject> => ({
  rates: { ...shipped.rates, ...replaced },
});
/** Independent coordinates that are drawn again while there are none. */
const neverEmpty: ConvergenceSubject['independentCoordinates'] = {
  ...shipped.independentCoordinates,
  name: shipped.independentCoordinates.name,
  draw: (params: never, dimension: number, random: never) => {
    for (;;) {
      const drawn = shipped.independentCoordinates.draw(params, dimension, random);
      if (drawn.coordinates.length > 0) return drawn;
    }
  },
} as never;

/** One for each way of failing that the table of claims names, and others that are as easily made. */
export const convergenceMutants: readonly Mutant<ConvergenceSubject>[] = [
  {
    id: 'C2-01',
    row: 32,
    title: 'the second-order term of the descent lemma lacks P⁻¹',
    subject: { descentBound: withoutMarginals },
    killedBy: 'maranjyan/descent-lemma',
  },
  {
    id: 'C2-02',
    row: 32,
    title: 'the descent lemma counts the noise twice',
    subject: {
      descentBound: (terms) =>
        shipped.descentBound({ ...terms, noise: (weights) => 2 * terms.noise(weights) }),
    },
    killedBy: 'maranjyan/descent-lemma',
  },
  {
    id: 'C2-03',
    row: 33,
    title: 'the gradient term of Lemma E.4 has the printed sign',
    subject: { distanceBound: shipped.printedDistanceBound },
    killedBy: 'maranjyan/distance-lemma',
  },
  {
    id: 'C2-04',
    row: 33,
    title: 'the printed Lemma E.4 has the right sign, so that there is nothing to refute',
    subject: { printedDistanceBound: shipped.distanceBound },
    killedBy: 'maranjyan/distance-lemma-printed',
  },
  {
    id: 'C2-05',
    row: 34,
    title: 'Lemma E.5 without noise',
    subject: { gapBound: (terms) => shipped.gapBound({ ...terms, stepNoise: 0 }) },
    killedBy: 'maranjyan/gap-lemma',
  },
  {
    id: 'C2-06',
    row: 34,
    title: 'Lemma E.5 without the decrease of the distance',
    subject: { gapBound: (terms) => shipped.gapBound({ ...terms, distance: 0, expectedDistance: 0 }) },
    killedBy: 'maranjyan/gap-lemma',
  },
  {
    id: 'C2-07',
    row: 35,
    title: 'Lemma E.1 without noise',
    subject: { roundBound: (terms) => shipped.roundBound({ ...terms, stepNoise: 0 }) },
    killedBy: 'maranjyan/round-bounds',
  },
  {
    id: 'C2-08',
    row: 35,
    title: 'the sharper bound without noise',
    subject: {
      sharpRoundBound: (terms) => shipped.sharpRoundBound({ ...terms, stepNoise: 0, riskNoise: 0 }),
    },
    killedBy: 'maranjyan/round-bounds',
  },
  {
    id: 'C2-09',
    row: 35,
    title: 'M is the diagonal of the Hessian, and all coordinates move at once',
    subject: {
      componentSmoothness: (facts, d) =>
        shipped.componentSmoothness(facts, d, { blocks: Array.from({ length: d }, (_, j) => [j]) }),
    },
    killedBy: 'maranjyan/round-bounds',
  },
  {
    id: 'C2-10',
    row: 36,
    title: 'the risk of the average is that of the last point',
    subject: {
      exactQuadraticMoments: (run) => {
        const found = shipped.exactQuadraticMoments(run);
        return {
          ...found,
          rounds: found.rounds.map(({ risks }) => ({ risks, average: risks[risks.length - 1] })),
        };
      },
    },
    killedBy: 'maranjyan/average-risk',
  },
  {
    id: 'C2-11',
    row: 36,
    title: 'the lazy average holds the start',
    subject: {
      lazyAverage: (start) => {
        const average = shipped.lazyAverage(start);
        average.push(start as Float64Array, []);
        return average;
      },
    },
    killedBy: 'maranjyan/average-risk',
  },
  {
    id: 'C2-12',
    row: 36,
    title: 'the sharper bound has the noise of the risk twice',
    subject: {
      sharpRoundBound: (terms) => shipped.sharpRoundBound({ ...terms, riskNoise: 2 * terms.riskNoise }),
    },
    killedBy: 'maranjyan/average-risk',
  },
  {
    id: 'C2-13',
    row: 37,
    title: 'M is the diagonal of the Hessian',
    subject: {
      componentSmoothness: (facts, d) =>
        shipped.componentSmoothness(facts, d, { blocks: Array.from({ length: d }, (_, j) => [j]) }),
    },
    killedBy: 'maranjyan/whole-smoothness',
  },
  {
    id: 'C2-14',
    row: 38,
    title: 'the blockwise bound without distance',
    subject: {
      blockwiseRoundBound: (terms) => shipped.blockwiseRoundBound({ ...terms, distance: 0, gap: 0 }),
    },
    killedBy: 'maranjyan/blockwise-round-bound',
  },
  {
    id: 'C2-15',
    row: 38,
    title: 'the blockwise bound without noise',
    subject: {
      blockwiseRoundBound: (terms) => shipped.blockwiseRoundBound({ ...terms, stepNoise: 0, riskNoise: 0 }),
    },
    killedBy: 'maranjyan/blockwise-round-bound',
  },
  {
    id: 'C2-16',
    row: 39,
    title: 'the convex bound has R for R²',
    subject: {
      convexBound: ({ distance, ...terms }) =>
        shipped.convexBound({ ...terms, distance: Math.sqrt(distance) }),
    },
    killedBy: 'maranjyan/convex-theorem',
  },
  {
    id: 'C2-17',
    row: 39,
    title: 'the length of a round has R² for R',
    subject: {
      convexSchedule: ({ distance, ...terms }) =>
        shipped.convexSchedule({ ...terms, distance: distance ** 2 }),
    },
    killedBy: 'maranjyan/convex-theorem',
  },
  {
    id: 'C2-18',
    row: 40,
    title: 'the minimiser is taken to be the printed length',
    subject: { convexSchedule: (terms) => shipped.convexSchedule({ ...terms, rule: 'printed' }) },
    killedBy: 'maranjyan/best-round-length',
  },
  {
    id: 'C2-19',
    row: 40,
    title: 'the printed length is the minimiser, so that there is nothing to refute',
    subject: { convexSchedule: (terms) => shipped.convexSchedule({ ...terms, rule: 'minimiser' }) },
    killedBy: 'maranjyan/best-round-length-printed',
  },
  {
    id: 'C2-20',
    row: 41,
    title: 'rounds contract by κ/K without the sharper noise',
    subject: {
      stronglyConvexBound: (terms) =>
        shipped.sharpStronglyConvexBound({ ...terms, riskNoise: terms.stepNoise }),
    },
    killedBy: 'maranjyan/strongly-convex-recursion',
  },
  {
    id: 'C2-21',
    row: 41,
    title: 'the bound counts the noise of the last round only',
    subject: {
      sharpStronglyConvexBound: (terms) =>
        (terms.condition / terms.innerSteps) ** terms.rounds * terms.gap +
        (terms.stepNoise + terms.riskNoise) / 2,
    },
    killedBy: 'maranjyan/strongly-convex-recursion',
  },
  {
    id: 'C2-22',
    row: 42,
    title: 'the safe bound has the printed constant',
    subject: { safeStronglyConvexBound: shipped.printedStronglyConvexBound },
    killedBy: 'maranjyan/strongly-convex-constant',
  },
  {
    id: 'C2-23',
    row: 42,
    title: 'the printed bound is the safe one, so that there is nothing to refute',
    subject: { printedStronglyConvexBound: shipped.safeStronglyConvexBound },
    killedBy: 'maranjyan/strongly-convex-constant-printed',
  },
  {
    id: 'C2-24',
    row: 43,
    title: 'the length of a round is the main text’s',
    subject: { roundLength: shipped.printedRoundLength },
    killedBy: 'maranjyan/condition-at-least-one',
  },
  {
    id: 'C2-25',
    row: 43,
    title: 'the schedule has κ in the denominator',
    subject: {
      stronglyConvexSchedule: ({ condition, ...terms }) =>
        shipped.stronglyConvexSchedule({ ...terms, condition: 1 / condition }),
    },
    killedBy: 'maranjyan/condition-at-least-one',
  },
  {
    id: 'C2-26',
    row: 43,
    title: 'the main text’s length is the appendix’s, so that there is nothing to refute',
    subject: { printedRoundLength: shipped.roundLength },
    killedBy: 'maranjyan/round-length-printed',
  },
  {
    id: 'C2-27',
    row: 44,
    title: 'the length of a round has Σ² for Σ',
    subject: {
      convexSchedule: ({ noise, ...terms }) => shipped.convexSchedule({ ...terms, noise: noise ** 2 }),
    },
    killedBy: 'maranjyan/scale-invariance',
  },
  {
    id: 'C2-28',
    row: 44,
    title: 'the number of rounds has Σ for Σ²',
    subject: {
      stronglyConvexSchedule: ({ noise, ...terms }) =>
        shipped.stronglyConvexSchedule({ ...terms, noise: Math.sqrt(noise) }),
    },
    killedBy: 'maranjyan/scale-invariance',
  },
  {
    id: 'C2-29',
    row: 44,
    title: 'the bound of a round has R for R²',
    subject: {
      roundBound: ({ distance, ...terms }) => shipped.roundBound({ ...terms, distance: Math.sqrt(distance) }),
    },
    killedBy: 'maranjyan/scale-invariance',
  },
  {
    id: 'C2-51',
    row: 44,
    title: 'a strongly convex rate lacks the square that Table 1 lacks',
    subject: withRates({
      'blocks-importance': (setting) => {
        const rate = shipped.rates['blocks-importance'](setting);
        return { ...rate, stronglyConvex: Math.sqrt(rate.stronglyConvex) };
      },
    }),
    killedBy: 'maranjyan/scale-invariance',
  },
  {
    id: 'C2-30',
    row: 45,
    title: 'blocks are drawn in proportion to the root of their smoothness',
    subject: { blockSketch: reweighed(shipped.blockSketch, Math.sqrt) },
    killedBy: 'maranjyan/importance-is-best',
  },
  {
    id: 'C2-31',
    row: 45,
    title: 'coordinates are drawn in proportion to the square of their smoothness',
    subject: { singleCoordinate: reweighed(shipped.singleCoordinate, (M) => M * M) },
    killedBy: 'maranjyan/importance-is-best',
  },
  {
    id: 'C2-32',
    row: 46,
    title: 'blocks are drawn in proportion to the inverse of their smoothness',
    subject: { blockSketch: reweighed(shipped.blockSketch, (M) => 1 / M) },
    killedBy: 'maranjyan/importance-dominates',
  },
  {
    id: 'C2-33',
    row: 47,
    title: 'the best probabilities are in proportion to squares',
    subject: {
      bestConvexProbabilities: (terms) => {
        const roots = shipped.bestConvexProbabilities(terms);
        const sum = roots.reduce((s, p) => s + p * p, 0);
        return roots.map((p) => (p * p) / sum);
      },
    },
    killedBy: 'maranjyan/best-convex-probabilities',
  },
  {
    id: 'C2-34',
    row: 48,
    title: 'the rate with all coordinates has Tr(M⁻¹) for its root',
    subject: withRates({
      full: (setting) => {
        const rate = shipped.rates.full(setting);
        return {
          ...rate,
          convex: rate.convex * Math.sqrt(setting.smoothness.reduce((sum, M) => sum + 1 / M, 0)),
        };
      },
    }),
    killedBy: 'maranjyan/against-dp-sgd',
  },
  {
    id: 'C2-35',
    row: 48,
    title: 'the rate of DP-SGD has no √d, so that the speed-up is lost',
    subject: withRates({
      'dp-sgd': (setting) => {
        const rate = shipped.rates['dp-sgd'](setting);
        return { ...rate, convex: rate.convex / Math.sqrt(setting.smoothness.length) };
      },
    }),
    killedBy: 'maranjyan/against-dp-sgd',
  },
  {
    id: 'C2-52',
    row: 48,
    title:
      'the rate of uniform blocks has the roughness of the roughest everywhere, so that its gain is bounded',
    subject: withRates({
      'blocks-uniform': (setting) =>
        shipped.rates['blocks-uniform']({
          ...setting,
          smoothness: setting.smoothness.map(() => Math.max(...setting.smoothness)),
        }),
    }),
    killedBy: 'maranjyan/against-dp-sgd',
  },
  {
    id: 'C2-36',
    row: 49,
    title: 'the rate of importance sampling has R_M for R_I',
    subject: withRates({
      'coordinates-importance': (setting) => {
        const rate = shipped.rates['coordinates-importance'](setting);
        return {
          ...rate,
          convex:
            (rate.convex * shipped.weightedNorm(setting.offsets, setting.smoothness)) /
            shipped.weightedNorm(
              setting.offsets,
              setting.smoothness.map(() => 1),
            ),
        };
      },
    }),
    killedBy: 'maranjyan/against-dp-cd',
  },
  {
    id: 'C2-37',
    row: 49,
    title: 'the risk of separable quadratics is that of half a round',
    subject: {
      separableRisk: (run) => shipped.separableRisk({ ...run, innerSteps: Math.max(1, run.innerSteps >> 1) }),
    },
    killedBy: 'maranjyan/against-dp-cd',
  },
  {
    id: 'C2-39',
    row: 51,
    title: 'a norm that is not rooted',
    subject: { weightedNorm: (v, weights) => shipped.weightedNorm(v, weights) ** 2 },
    killedBy: 'maranjyan/convexity-in-other-norms',
  },
  {
    id: 'C2-40',
    row: 51,
    title: 'the rate of DP-CD has d² for d',
    subject: withRates({
      'dp-cd': (setting) => {
        const rate = shipped.rates['dp-cd'](setting);
        return { ...rate, stronglyConvex: rate.stronglyConvex * setting.smoothness.length };
      },
    }),
    killedBy: 'maranjyan/convexity-in-other-norms',
  },
  {
    id: 'C2-41',
    row: 52,
    title: 'the refined rate is that of Theorem 4.2',
    subject: withRates({ refined: shipped.rates['dp-skgd'] }),
    killedBy: 'maranjyan/refined-condition',
  },
  {
    id: 'C2-42',
    row: 53,
    title: 'a norm weighed by the roots of the weights',
    subject: { weightedNorm: (v, weights) => shipped.weightedNorm(v, Array.from(weights, Math.sqrt)) },
    killedBy: 'maranjyan/expected-smoothness',
  },
  {
    id: 'C2-43',
    row: 54,
    title: 'independent coordinates are drawn again while there are none',
    subject: { independentCoordinates: neverEmpty },
    killedBy: 'maranjyan/marginal-cost',
  },
  {
    id: 'C2-44',
    row: 55,
    title: 'the average holds the start and not the end',
    subject: { sketchedDescent: flawed({ average: 'from the start' }) },
    killedBy: 'maranjyan/whole-run',
  },
  {
    id: 'C2-45',
    row: 55,
    title: 'the average is divided by one more',
    subject: { sketchedDescent: flawed({ average: 'one more' }) },
    killedBy: 'maranjyan/whole-run',
  },
  {
    id: 'C2-46',
    row: 55,
    title: 'the last point is returned',
    subject: { sketchedDescent: flawed({ average: 'last' }) },
    killedBy: 'maranjyan/whole-run',
  },
  {
    id: 'C2-47',
    row: 55,
    title: 'a round goes on from the last point',
    subject: { sketchedDescent: flawed({ restart: 'last' }) },
    killedBy: 'maranjyan/whole-run',
  },
  {
    id: 'C2-48',
    row: 55,
    title: 'steps are longer in one coordinate',
    subject: { sketchedDescent: flawed({ factor: (j) => (j === 0 ? 1.2 : 1) }) },
    killedBy: 'maranjyan/whole-run',
  },
  {
    id: 'C2-49',
    row: 55,
    title: 'steps are multiplied by a marginal',
    subject: { sketchedDescent: flawed({ factor: () => 0.25 }) },
    killedBy: 'maranjyan/whole-run',
  },
  {
    id: 'C2-50',
    row: 55,
    title: 'noise is a tenth too large',
    subject: { sketchedDescent: flawed({ noise: 1.1 }) },
    killedBy: 'maranjyan/whole-run',
  },
];
