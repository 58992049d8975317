import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import type { Program, Query, Run, Vector } from '@lethe/core';
import { sparseGradientsChecks } from '../../src/sparse-gradients/index.js';
import {
  sparseGradientsSubject as shipped,
  type SparseGradientsSubject,
} from '../../src/sparse-gradients/subject.js';
import type { SparsePlan } from '../../src/sparse-gradients/sparse-run.js';
import { testRows, type Mutant } from '../rows.js';

type Subject = Partial<SparseGradientsSubject>;
const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Subject,
  part = '',
): Mutant<SparseGradientsSubject> => ({
  id: `ghazi-${row}${part}`,
  title,
  row,
  subject,
  killedBy: `ghazi/${killedBy}`,
});

type Levels = ReturnType<SparseGradientsSubject['levelsFor']>;
/** Other levels, however they are made. */
const levels = (change: (levels: Levels, most: number) => Partial<Levels>): Subject => ({
  truncatedGeometric: (most) => ({
    ...shipped.truncatedGeometric(most),
    ...change(shipped.truncatedGeometric(most), most),
  }),
  levelsFor: (slots) => ({
    ...shipped.levelsFor(slots),
    ...change(shipped.levelsFor(slots), shipped.levelsFor(slots).most),
  }),
});
const law = (change: (law: Float64Array) => readonly number[]): Subject => ({
  lawOfStopping: (setting) => Float64Array.from(change(shipped.lawOfStopping(setting))),
});
const bounds = (change: (bounds: StoppingBounds) => Partial<StoppingBounds>): Subject => ({
  stoppingBounds: (setting) => {
    const found = shipped.stoppingBounds(setting);
    return { ...found, ...change(found) };
  },
});
type StoppingBounds = ReturnType<SparseGradientsSubject['stoppingBounds']>;

type Prepare = SparseGradientsSubject['biasReducedSgd']['prepare'];
type Context = Parameters<Prepare>[0];
const prepared = (prepare: (context: Context) => Run): Subject => ({
  biasReducedSgd: { ...shipped.biasReducedSgd, prepare },
});
/** Runs as it should, and says something else. */
const saying = (change: (plan: SparsePlan) => Partial<SparsePlan>): Subject =>
  prepared((context) => {
    const run = shipped.biasReducedSgd.prepare(context);
    return { ...run, plan: { ...run.plan, ...change(run.plan as SparsePlan) } };
  });
const staying = prepared((context) => {
  const run = shipped.biasReducedSgd.prepare(context);
  return {
    ...run,
    *steps(options): Program<Vector> {
      const start = options.start.slice();
      yield* run.steps(options);
      return start;
    },
  };
});
const halfMedian = saying(({ median }) => ({
  median: median === null ? null : { ...median, bound: median.bound / 2 },
}));

/** Checks of the claims of some rows. */
const checksOfRows = (first: number, last: number) => {
  const own = new Set(
    ledger.claims.flatMap(({ id, ...claim }) => {
      const row = Number(id.slice(6));
      if (row < first || row > last) return [];
      return [claim.check, ...('counterexample' in claim ? [claim.counterexample] : [])];
    }),
  );
  return (replaced: Subject) => sparseGradientsChecks(replaced).filter(({ id }) => own.has(id));
};
const common = {
  paper: 'ghazi',
  shippedBy: { subject: shipped, ledger },
  // Some of what is printed is refuted by numbers alone.
  spared: (id: string) => id.endsWith('-printed'),
} as const;

testRows<SparseGradientsSubject>({
  ...common,
  rows: [32, 61],
  checksOf: checksOfRows(32, 61),
  mutants: [
    mutant(32, 'the exponent is M', 'level-law', {
      truncatedGeometric: (most) => ({
        ...shipped.truncatedGeometric(most),
        probability: (level) => shipped.truncatedGeometric(most + 1).probability(level),
      }),
    }),
    mutant(
      33,
      'the constant is 1/2',
      'level-constant',
      levels(() => ({ probability: (k) => 2 ** -(k + 1) })),
    ),
    mutant(
      34,
      'E b² is half of what it is, as printed',
      'batch-moments',
      levels(({ batch }) => ({ batch: { ...batch, meanSquare: batch.meanSquare / 2 } })),
    ),
    mutant(
      34,
      'E b² is half of what it is, as printed',
      'batch-moments-printed',
      levels(({ batch, probability }, most) => ({
        batch: { ...batch, meanSquare: probability(0) * (2 ** (most + 2) - 2) },
      })),
      '-printed',
    ),
    mutant(
      35,
      'levels are drawn in reverse',
      'level-draws',
      levels(({ draw }, most) => ({ draw: (random) => most - draw(random) })),
    ),
    mutant(36, 'an estimate lacks the weight of its level', 'telescoping', {
      *biasReducedEstimate(given): Program<Vector> {
        const estimate = yield* shipped.biasReducedEstimate(given);
        const weight = shipped.levelsFor(given.from.normaliser).inverseProbability(given.level);
        return estimate.map((x) => x / weight);
      },
    }),
    mutant(37, 'the halves are in stored order', 'halves', {
      *nestedBatches(given) {
        const steps = shipped.nestedBatches(given);
        for (let next = steps.next(); ;) {
          if (next.done === true) return next.value;
          const query: Query = next.value;
          next = steps.next(yield query.ask === 'split' ? { ...query, order: 'stored' } : query);
        }
      },
    }),
    mutant(38, 'the bias is that of twice as many records', 'bias', {
      biasReducedBounds: (given) => {
        const found = shipped.biasReducedBounds(given);
        return { ...found, bias: found.bias / Math.SQRT2 };
      },
    }),
    mutant(39, 'the halves are counted once', 'second-moment', {
      biasReducedBounds: (given) => {
        const found = shipped.biasReducedBounds(given);
        return { ...found, meanSquare: (7 / 8) * found.meanSquare };
      },
    }),
    mutant(40, 'the coefficients are as printed', 'halves-of-errors', {
      halvesBound: (a, b, c) => 4 * a ** 2 + b ** 2 + c ** 2,
    }),
    mutant(41, 'the factor is 1', 'amplified-price', { amplifiedPrice: (q, x) => q * x }),
    mutant(42, 'halves are free', 'price-of-call', { chargeOf: (level) => 2 ** (level + 1) + 1 }),
    mutant(43, 'the charge has 2 for 1', 'largest-call', { chargeOf: (level) => 3 * 2 ** (level + 1) + 2 }),
    mutant(44, 'the logarithm is of 2/δ', 'filter', {
      stoppingLimits: ({ delta, ...setting }) => shipped.stoppingLimits({ ...setting, delta: 2 * delta }),
    }),
    mutant(
      45,
      'the loop leaves a call earlier',
      'literal-loop',
      saying(({ levels: drawn }) => ({ levels: drawn.slice(1) })),
    ),
    mutant(46, 'a call more is made', 'realised-budget', {
      drawnLevels: (setting, random) => [...shipped.drawnLevels(setting, random), 0],
    }),
    mutant(
      47,
      'the most calls are one fewer',
      'most-calls',
      bounds(({ most }) => ({ most: most - 1 })),
    ),
    mutant(
      48,
      'the law is that of T + 1',
      'law-of-calls',
      law((all) => [0, ...all]),
    ),
    mutant(
      49,
      'the charge has 2 for 1',
      'wald',
      levels(({ charge }) => ({ charge: { ...charge, mean: charge.mean + 1 } })),
    ),
    mutant(
      50,
      'runs end at once',
      'expected-calls-lower',
      law(() => [1]),
    ),
    mutant(
      51,
      'runs end at once',
      'expected-calls-printed',
      law(() => [1]),
    ),
    mutant(
      52,
      'ϱ is a quarter',
      'tail-of-calls',
      bounds(({ rate }) => ({ rate: rate / 4 })),
    ),
    mutant(
      53,
      'the upper bound is a third',
      'expected-calls',
      bounds(({ expectedCalls: { atLeast, atMost } }) => ({
        expectedCalls: { atLeast, atMost: atMost / 3 },
      })),
    ),
    mutant(
      54,
      'levels follow from answers',
      'public-schedule',
      saying(({ levels: drawn }) => ({ levels: drawn.map((level) => level + 1) })),
    ),
    mutant(55, 'the sum is limited by 6n', 'gradients', {
      stoppingLimits: (setting) => {
        const found = shipped.stoppingLimits(setting);
        return { ...found, sum: 1.5 * found.sum };
      },
    }),
    mutant(56, 'squares have the coefficient η/4', 'path-regret', {
      regretAlong: (path, minimiser) =>
        path.answers.reduce(
          (sum, answer) =>
            sum - (path.stepSize / 4) * Array.from(answer).reduce((total, x) => total + x ** 2, 0),
          shipped.regretAlong(path, minimiser),
        ),
    }),
    mutant(57, 'squares have the coefficient ηH/4', 'path-gradients', {
      gradientsAlong: (path, { gap, smoothness }) =>
        shipped.gradientsAlong(path, { gap, smoothness: smoothness / 2 }),
    }),
    mutant(58, 'the bias counts half', 'regret', {
      regretBound: ({ bias, ...steps }, start) => shipped.regretBound({ ...steps, bias: bias / 2 }, start),
    }),
    mutant(59, 'the bound is an eighth', 'median-risk', {
      medianBound: (sum, law_) => shipped.medianBound(sum / 8, law_),
    }),
    mutant(60, 'the bound is a twentieth', 'median-gradient', {
      medianBound: (sum, law_) => shipped.medianBound(sum / 20, law_),
    }),
    mutant(
      61,
      'another iterate is returned than planned',
      'uniform-iterate',
      saying(({ output }) => ({ output: { ...output, index: 1 } })),
    ),
    mutant(
      61,
      'the iterate is one of x¹ … x^T',
      'uniform-iterate',
      prepared((context) => {
        for (let i = 0; ; i++) {
          const run = shipped.biasReducedSgd.prepare({ ...context, random: context.random.fork(i) });
          if ((run.plan as SparsePlan).output.index !== 0) return run;
        }
      }),
      '-start',
    ),
  ],
});

testRows<SparseGradientsSubject>({
  ...common,
  rows: [104, 110],
  checksOf: checksOfRows(104, 110),
  mutants: [
    mutant(
      104,
      'E b² counts half, as printed',
      'expected-squares',
      levels(({ charge }) => ({ charge: { ...charge, meanSquare: charge.meanSquare / 2 } })),
    ),
    mutant(
      105,
      'runs end a call earlier',
      'early-end',
      law(([none, one = 0, ...rest]) => [none + one, ...rest]),
    ),
    mutant(
      106,
      'noise is for ten times the budget',
      'private-run',
      prepared(({ budget, ...context }) =>
        shipped.biasReducedSgd.prepare({ ...context, budget: { ...budget, epsilon: 10 * budget.epsilon } }),
      ),
    ),
    mutant(
      107,
      'noise is larger where the drawn level is',
      'noise-of-levels',
      prepared((context) => {
        const run = shipped.biasReducedSgd.prepare(context);
        const { levels: drawn, noiseMultiplier } = run.plan as SparsePlan;
        if (context.params.stopping === 'printed') return run;
        return shipped.biasReducedSgd.prepare({
          ...context,
          params: {
            ...context.params,
            noiseMultiplier: noiseMultiplier * (1 + drawn[0]),
          },
        });
      }),
    ),
    mutant(108, 'the bias is that of half of the records', 'estimate-rate', {
      biasReducedBounds: (given) => {
        const found = shipped.biasReducedBounds(given);
        return { ...found, bias: found.bias * Math.SQRT2 };
      },
    }),
    mutant(109, 'the bound is half of what it is', 'convex-run', halfMedian),
    mutant(109, 'the start is returned', 'convex-run', staying, '-start'),
    mutant(110, 'the bound is half of what it is', 'stationary-run', halfMedian),
    mutant(110, 'the start is returned', 'stationary-run', staying, '-start'),
  ],
});
