import { InvalidData, InvalidParameter, Unsupported, type Fact, type Loss, type Resolved } from '@lethe/core';
import { componentSmoothness } from '@lethe/curator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale } from '../../test/support/arbitraries.js';
import { linear } from '../linear.js';
import { logistic } from '../logistic.js';
import { squared } from '../squared.js';
import { computedSmoothness } from './computed-smoothness.js';
import { lossCurvature } from './loss-curvature.js';

const of = (plugin: Loss): Resolved<Loss> => ({ plugin, params: {} });
const rowsOf = (rows: readonly (readonly number[])[]) => ({
  features: Float64Array.from(rows.flat()),
  rows: rows.length,
  columns: rows[0].length,
  labels: new Float64Array(rows.length),
});
const constants = (facts: Readonly<Record<string, Fact>>): number[] =>
  Object.keys(facts).map((_, j) => facts[`componentSmoothness.${j}`].value);
const methods = ['row-sums', 'scaled-eigenvalue'] as const;
const table = fc.integer({ min: 1, max: 5 }).chain((columns) =>
  fc.tuple(
    fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: columns, maxLength: columns }), {
      minLength: 1,
      maxLength: 6,
    }),
    fc.array(fc.integer({ min: -40, max: 40 }), { minLength: columns, maxLength: columns }),
  ),
);

/**
 * `v_jᵀ A v_j` against `Σ M_j v_j²` in integers: `v` is in units of the columns, so `A` is one of integers.
 */
function dominates(
  bound: readonly number[],
  rows: readonly (readonly number[])[],
  scales: readonly number[],
  direction: readonly number[],
): boolean {
  const form =
    rows.reduce((sum, row) => sum + row.reduce((inner, x, j) => inner + x * direction[j], 0) ** 2, 0) /
    rows.length;
  return (
    form <=
    bound.reduce((sum, constant, j) => sum + (constant / 4 ** scales[j]) * direction[j] ** 2, 0) * (1 + 1e-14)
  );
}

describe('computedSmoothness', () => {
  it.each(methods)('dominates the mean of x xᵀ along every direction: %s', (method) => {
    fc.assert(
      fc.property(
        table,
        fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 5, maxLength: 5 }), {
          minLength: 20,
          maxLength: 20,
        }),
        ([rows, scales], directions) => {
          const bound = constants(
            computedSmoothness(
              of(squared),
              rowsOf(rows.map((row) => row.map((x, j) => x * 2 ** scales[j]))),
              { method },
            ),
          );
          for (const direction of directions) expect(dominates(bound, rows, scales, direction)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('tells row sums, and the least multiple of the diagonal', () => {
    // XᵀX / 2 = [[5, 1, 0], [1, 2, 0], [0, 0, 0]].
    const rows = rowsOf([
      [3, 0, 0],
      [1, 2, 0],
    ]);
    const sums = constants(computedSmoothness(of(squared), rows, { method: 'row-sums' }));
    [6, 3, 0].forEach((expected, j) => expect(sums[j]).toBeCloseTo(expected, 12));
    const scaled = constants(computedSmoothness(of(squared), rows, { method: 'scaled-eigenvalue' }));
    const eigenvalue = 1 + 1 / Math.sqrt(10);
    [5 * eigenvalue, 2 * eigenvalue, 0].forEach((expected, j) => {
      expect(scaled[j]).toBeGreaterThanOrEqual(expected);
      expect(scaled[j]).toBeLessThanOrEqual(expected * (1 + 2 ** -19));
    });
    expect(constants(computedSmoothness(of(logistic), rows, { method: 'row-sums' }))[2]).toBe(0);
  });

  it('is a quarter for the logistic loss, and nothing at all for a linear one', () => {
    const rows = rowsOf([
      [1, 2],
      [3, -1],
    ]);
    const [whole, quarter] = [squared, logistic].map((loss) =>
      constants(computedSmoothness(of(loss), rows, { method: 'scaled-eigenvalue' })),
    );
    whole.forEach((constant, j) => expect(quarter[j] / constant).toBeCloseTo(0.25, 12));
    expect(lossCurvature(of(squared))).toBeCloseTo(1, 12);
    expect(() => computedSmoothness(of(linear), rows, { method: 'row-sums' })).toThrow(Unsupported);
    const bent = { ...squared, linear: null } as unknown as Loss;
    expect(() => lossCurvature(of(bent))).toThrow(Unsupported);
    expect(() => lossCurvature(of({ ...squared, facts: () => ({}) } as unknown as Loss))).toThrow(
      Unsupported,
    );
  });

  it('is never worse than constants from the diagonal alone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(multiScale(-3, 3), multiScale(-3, 3), multiScale(-3, 3)), {
          minLength: 1,
          maxLength: 6,
        }),
        (rows) => {
          const squares = [0, 1, 2].map((j) => rows.reduce((sum, row) => sum + row[j] ** 2, 0) / rows.length);
          const free = componentSmoothness(
            Object.fromEntries(
              squares.map((value, j) => [
                `coordinateSmoothness.${j}`,
                { value, scope: 'population', provenance: 'declared' } as const,
              ]),
            ),
            3,
          );
          constants(computedSmoothness(of(squared), rowsOf(rows), { method: 'row-sums' })).forEach(
            (constant, j) => expect(constant).toBeLessThanOrEqual(free[j] * (1 + 1e-12)),
          );
          constants(computedSmoothness(of(squared), rowsOf(rows), { method: 'scaled-eigenvalue' })).forEach(
            (constant, j) => expect(constant).toBeLessThanOrEqual(3 * squares[j] * (1 + 1e-5)),
          );
        },
      ),
    );
  });

  it('says that it was computed, of these records only', () => {
    for (const fact of Object.values(
      computedSmoothness(of(squared), rowsOf([[1, 2]]), { method: 'row-sums' }),
    ))
      expect(fact).toMatchObject({ provenance: 'computed', scope: 'population' });
  });

  it('refuses what is not finite, and shapes that disagree', () => {
    expect(() => computedSmoothness(of(squared), rowsOf([[1, Number.NaN]]), { method: 'row-sums' })).toThrow(
      InvalidData,
    );
    expect(() => computedSmoothness(of(squared), rowsOf([[1e300, 1]]), { method: 'row-sums' })).toThrow(
      InvalidParameter,
    );
    expect(() =>
      computedSmoothness(of(squared), { ...rowsOf([[1, 2]]), rows: 2 }, { method: 'row-sums' }),
    ).toThrow(InvalidParameter);
  });
});
