import { definePrefixSum, type PrefixSum, type Vector } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws, subjectsOf, type Subject } from '../../law/index.js';
import { prefixSumLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Bug = Partial<Omit<PrefixSum, 'kind'>>;

/** Coefficients of `(1 − x)^(−1/2)`: their Toeplitz matrix is the square root of A. */
const coefficients = [1];
const root = (steps: number): readonly number[] => {
  while (coefficients.length < steps)
    coefficients.push(
      (coefficients[coefficients.length - 1] * (2 * coefficients.length - 1)) / (2 * coefficients.length),
    );
  return coefficients.slice(0, steps);
};
const coefficient = (k: number): number => coefficients[k] ?? root(k + 1)[k];

/**
 * The square-root factorisation: B = C, Toeplitz. The column norm
 * uses the triangle inequality, exact for one participation.
 */
const squareRoot = {
  name: 'square-root',
  summary: 'B = C.',
  source: { id: 'test', item: 'definition' },
  params: z.strictObject({}),
  claims: [
    { property: 'prefix-consistent', statement: 'coefficients do not depend on the length' },
    { property: 'vectors-kept', statement: 'a row, and two sums' },
  ],
  vectorsKept: () => 3,
  columnNorm: (
    _params: unknown,
    { steps }: { readonly steps: number },
    { times, gap }: { readonly times: number; readonly gap: number },
  ) =>
    Math.min(times, Math.floor((steps - 1) / gap) + 1) *
    Math.sqrt(root(steps).reduce((sum, x) => sum + x * x, 0)),
  variance: (_params: unknown, _shape: unknown, step: number) =>
    root(step + 1).reduce((sum, x) => sum + x * x, 0),
  encoder: (_params: unknown, _shape: unknown, row: number, column: number) =>
    column > row ? 0 : coefficient(row - column),
  begin(_params: unknown, { steps, dimension }: { readonly steps: number; readonly dimension: number }) {
    const c = root(steps);
    const row = new Float64Array(dimension);
    const before = new Float64Array(dimension);
    const sum = new Float64Array(dimension);
    let step = 0;
    return {
      nextInto(out: Vector, noise: (s: number, into: Vector) => void) {
        sum.fill(0);
        for (let s = 0; s <= step; s++) {
          noise(s, row);
          for (let j = 0; j < dimension; j++) sum[j] = sum[j] + c[step - s] * row[j];
        }
        for (let j = 0; j < dimension; j++) out[j] = sum[j] - before[j];
        before.set(sum);
        step++;
      },
    };
  },
};

async function broken(bug: Bug, only?: string): Promise<ReadonlyMap<string, string>> {
  const reports = await runLaws(
    prefixSumLaws,
    subjectsOf(definePrefixSum({ ...squareRoot, ...bug } as never))[0] as Subject<'prefixSum'>,
    lawsAlone(only),
  );
  return new Map(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
}
/** The square root with changed outputs of its runs. */
const writing = (change: (out: Vector, step: number) => void): Bug => ({
  begin(params, shape) {
    const run = squareRoot.begin(params, shape);
    let step = 0;
    return {
      nextInto(out, noise) {
        run.nextInto(out, noise);
        change(out, step++);
      },
    };
  },
});

describe('laws of prefix sums', () => {
  it('hold for the square-root factorisation, which mixes all rows', async () => {
    expect(await broken({})).toEqual(new Map());
  });

  const bugs: readonly (readonly [string, Bug, string, RegExp])[] = [
    [
      'noise 1 % too small at one step',
      writing((out, step) => {
        if (step === 5)
          out.forEach((x, j) => {
            out[j] = 0.99 * x;
          });
      }),
      'prefixSum/factorisation',
      /BC is not the running sum/u,
    ],
    [
      'an encoder above the diagonal',
      {
        encoder: (params, shape, row, column) =>
          squareRoot.encoder(params, shape, Math.max(row, column), Math.min(row, column)),
      },
      'prefixSum/factorisation',
      /not lower triangular/u,
    ],
    [
      'rows of future steps',
      {
        begin: (params, shape) => {
          const run = squareRoot.begin(params, shape);
          return { nextInto: (out, noise) => run.nextInto(out, (row, into) => noise(row + 1, into)) };
        },
      },
      'prefixSum/factorisation',
      /asks for row 1/u,
    ],
    [
      'mixed coordinates',
      writing((out, step) => {
        if (out.length === 3 && step === 3) out[0] = out[0] + out[1] * 1e-3;
      }),
      'prefixSum/factorisation',
      /coordinate 1 reaches coordinate 0/u,
    ],
    [
      'a standard deviation for a variance',
      { variance: (params, shape, step) => Math.sqrt(squareRoot.variance(params, shape, step)) },
      'prefixSum/variance',
      /it declares/u,
    ],
    [
      'the norm of the second column',
      {
        columnNorm: (params, { steps }, participation) =>
          squareRoot.columnNorm(params, { steps: Math.max(1, steps - 1) }, participation),
      },
      'prefixSum/column-norm',
      /moves the encoded stream by/u,
    ],
    [
      'a column norm that grows with √times',
      {
        columnNorm: (params, shape, { times }) =>
          Math.sqrt(times) * squareRoot.columnNorm(params, shape, { times: 1, gap: 1 }),
      },
      'prefixSum/column-norm',
      /moves the encoded stream by/u,
    ],
    [
      'a false claim to be attained',
      { claims: [{ property: 'column-norm-attained', statement: 'it is not' }] },
      'prefixSum/column-norm-attained',
      /noise is wasted/u,
    ],
    [
      'outputs that are added instead of written',
      {
        begin: (params, shape) => {
          const run = squareRoot.begin(params, shape);
          return {
            nextInto(out, noise) {
              const old = out.slice();
              run.nextInto(out, noise);
              out.forEach((x, j) => {
                out[j] = x + old[j];
              });
            },
          };
        },
      },
      'prefixSum/runs',
      /whatever was in the array before/u,
    ],
    [
      'a counter shared by all runs',
      {
        begin: (params, shape) => {
          const run = squareRoot.begin(params, shape);
          begun++;
          const mine = begun;
          return {
            nextInto(out, noise) {
              run.nextInto(out, noise);
              if (mine !== begun)
                out.forEach((x, j) => {
                  out[j] = 2 * x;
                });
            },
          };
        },
      },
      'prefixSum/runs',
      /share state/u,
    ],
    [
      'noise that is rounded to single precision',
      {
        begin: (params, shape) => {
          const run = squareRoot.begin(params, shape);
          return {
            nextInto: (out, noise) =>
              run.nextInto(out, (row, into) => {
                noise(row, into);
                into.forEach((x, j) => {
                  into[j] = Math.fround(x);
                });
              }),
          };
        },
      },
      'prefixSum/given-noise',
      /the rows of B that unit noise shows give/u,
    ],
    [
      'steps that depend on the length',
      {
        begin: (params, shape) =>
          squareRoot.begin(params, shape.steps === 9 ? { ...shape, steps: 9 } : shape),
        ...lengthDependent(),
      },
      'prefixSum/prefix-consistent',
      /differs between a stream of/u,
    ],
    [
      'a wrong variancesInto',
      {
        variancesInto: (out: Vector, params: unknown, shape: never) => {
          out.forEach((_, t) => {
            out[t] = squareRoot.variance(params, shape, Math.max(0, t - 1));
          });
        },
      } as Bug,
      'prefixSum/variance',
      /variancesInto says/u,
    ],
    [
      'a variance too small by 0.001 after 1000 steps',
      {
        variance: (params, shape, step) =>
          squareRoot.variance(params, shape, step) * (step < 1000 ? 1 : 0.999),
      },
      'prefixSum/long-streams',
      /it declares/u,
    ],
    [
      'rows requested again',
      { claims: [{ property: 'each-row-once', statement: 'it does not' }] },
      'prefixSum/each-row-once',
      /asks for row 0 of the noise again/u,
    ],
    [
      'a vector more than declared',
      { claims: [{ property: 'vectors-kept', statement: 'it does not' }], vectorsKept: () => 2 },
      'prefixSum/vectors-kept',
      /allocates 3 vectors; vectorsKept says 2/u,
    ],
    [
      'a claim without vectorsKept',
      { claims: [{ property: 'vectors-kept', statement: 'it does not' }], vectorsKept: undefined as never },
      'prefixSum/vectors-kept',
      /has no vectorsKept/u,
    ],
    [
      'invalid inputs accepted',
      { claims: [{ property: 'typed-errors', statement: 'it does not' }] },
      'prefixSum/typed-errors',
      /must be refused with a typed error/u,
    ],
  ];
  let begun = 0;
  it.each(bugs)('find %s', async (_name, bug, law, words) => {
    expect((await broken(bug, law)).get(law)).toMatch(words);
  });
});

/**
 * Fresh noise on increments for short streams, the square root
 * for long ones: both correct, but not prefix-consistent.
 */
function lengthDependent(): Bug {
  return {
    begin(params, shape) {
      if (shape.steps > 8) return squareRoot.begin(params, shape);
      let step = 0;
      return {
        nextInto: (out, noise) => {
          noise(step++, out);
        },
      };
    },
  };
}
