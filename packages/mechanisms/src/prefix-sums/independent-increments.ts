import { definePrefixSum } from '@lethe/core';
import { sqrtUp } from '@lethe/numerics';
import * as z from 'zod';
import { assertNext, assertShape, assertSteps, largestParticipation } from './participation.js';
import { anyLength, typedErrors } from './shared-claims.js';

/**
 * Fresh noise on every increment: `C = I`, `B = A`. The sensitivity does not grow with the number of steps;
 * the variance of the running sum grows linearly. Memory: none.
 *
 * `columnNorm` is `√k` for `k` participations, attained when all increments differ by 1. Norms are ℓ2.
 */
export const independentIncrements = definePrefixSum({
  name: 'independent-increments',
  summary: 'Fresh noise on every increment of a running sum.',
  source: { id: 'dwork-naor-pitassi-rothblum-2010', item: 'baseline of continual counting' },
  params: z.strictObject({}),
  claims: [
    { property: 'factorisation', statement: 'A = BC with B = A and C = I' },
    { property: 'column-norm', statement: '√k, k = min(times, ⌊(steps − 1)/gap⌋ + 1)' },
    { property: 'column-norm-attained', statement: 'by increments that all differ by 1' },
    { property: 'variance', statement: 'the running sum after step t has variance t + 1 per entry' },
    { property: 'given-noise', statement: 'increment t carries row t of the noise and nothing else' },
    { property: 'each-row-once', statement: 'step t asks for row t' },
    { property: 'vectors-kept', statement: 'no vectors' },
    { property: 'runs', statement: 'a run counts its steps and keeps nothing else' },
    { property: 'prefix-consistent', statement: 'the first steps do not depend on how many there will be' },
    anyLength,
    typedErrors,
  ],
  examples: [{}],
  columnNorm(_params, shape, participation) {
    assertShape(shape);
    return sqrtUp(largestParticipation(shape, participation));
  },
  variance(_params, shape, step) {
    assertSteps(shape, step);
    return step + 1;
  },
  vectorsKept(_params, shape) {
    assertShape(shape);
    return 0;
  },
  bandwidth(_params, shape) {
    assertShape(shape);
    return 1;
  },
  encoder(_params, shape, row, column) {
    assertSteps(shape, row, column);
    return row === column ? 1 : 0;
  },
  begin(_params, shape) {
    assertShape(shape);
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        noise(step, out);
        step++;
      },
    };
  },
});
