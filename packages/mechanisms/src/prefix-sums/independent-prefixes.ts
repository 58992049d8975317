import { definePrefixSum, type Participation, type PrefixSumShape } from '@lethe/core';
import { nextUp, sqrtUp } from '@lethe/numerics';
import * as z from 'zod';
import { assertNext, assertShape, assertSteps, largestParticipation } from './participation.js';
import { anyLength, typedErrors } from './shared-claims.js';

/**
 * Fresh noise on every running sum: `B = I`, `C = A`. The variance does not grow with the number of steps;
 * the sensitivity is `√T` for a slot that takes part once. Memory: one row of noise.
 *
 * `columnNorm` is exact: the norm of `C(x − x′)` squared is `Σ_t ‖Σ_{j ≤ t} (x − x′)_j‖²`, each inner norm is
 * at most the number of participations up to `t`, and all of them are largest together when a slot takes part
 * as early and as often as it may and all its differences point the same way. Norms are ℓ2.
 */
export const independentPrefixes = definePrefixSum({
  name: 'independent-prefixes',
  summary: 'Fresh noise on every running sum itself.',
  source: { id: 'dp-mu2-fl', item: 'untrusted server' },
  params: z.strictObject({}),
  claims: [
    { property: 'factorisation', statement: 'A = BC with B = I and C = A' },
    {
      property: 'column-norm',
      statement:
        '√T for one participation; √(Σ_t min(k, ⌊t/gap⌋ + 1)²) in general, k = min(times, ⌊(T − 1)/gap⌋ + 1)',
    },
    {
      property: 'column-norm-attained',
      statement: 'by taking part as early and as often as possible, always in the same direction',
    },
    { property: 'variance', statement: 'every running sum has variance 1 per entry' },
    { property: 'given-noise', statement: 'increment t carries row t of the noise minus row t − 1' },
    { property: 'each-row-once', statement: 'step t asks for row t' },
    { property: 'vectors-kept', statement: 'the row of this step and of the one before' },
    { property: 'runs', statement: 'a run keeps a copy of one row of noise and nothing of other runs' },
    { property: 'prefix-consistent', statement: 'the first steps do not depend on how many there will be' },
    anyLength,
    typedErrors,
  ],
  examples: [{}],
  freshNoise: true,
  columnNorm(_params, shape, participation) {
    assertShape(shape);
    return sqrtUp(earliestPatternUp(shape, participation));
  },
  variance(_params, shape, step) {
    assertSteps(shape, step);
    return 1;
  },
  vectorsKept(_params, shape) {
    assertShape(shape);
    return 2;
  },
  encoder(_params, shape, row, column) {
    assertSteps(shape, row, column);
    return column <= row ? 1 : 0;
  },
  begin(_params, shape) {
    assertShape(shape);
    let step = 0;
    const previous = new Float64Array(shape.dimension);
    const current = new Float64Array(shape.dimension);
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        noise(step, current);
        for (let j = 0; j < out.length; j++) out[j] = current[j] - previous[j];
        previous.set(current);
        step++;
      },
    };
  },
});

/** `Σ_t min(k, ⌊t/gap⌋ + 1)²`, rounded up: `gap` steps at each count below the last, the rest at the last. */
function earliestPatternUp(shape: PrefixSumShape, participation: Participation): number {
  const last = BigInt(largestParticipation(shape, participation));
  const before = last - 1n;
  const gap = BigInt(participation.gap);
  const sum =
    (gap * before * last * (2n * before + 1n)) / 6n + (BigInt(shape.steps) - before * gap) * last * last;
  const nearest = Number(sum);
  return BigInt(nearest) < sum ? nextUp(nearest) : nearest;
}
