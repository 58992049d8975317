import type { PrefixSumShape } from '@lethe/core';
import { fails, holds, type Violation, takesNothing } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import {
  decoderOf,
  encoderOf,
  entryRounding,
  lengths,
  shapesTaken,
  type Decoder,
  type Rows,
} from './factors.js';

/** The first entry of C that is not zero outside the declared band. */
function outsideBand(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  c: Rows,
): Violation | undefined {
  const bandwidth = plugin.bandwidth?.(params, shape) ?? shape.steps;
  for (let row = 0; row < shape.steps; row++)
    for (let column = 0; column <= row - bandwidth; column++)
      if (c[row][column] !== 0)
        return {
          what: `entry (${row}, ${column}) of C is ${c[row][column]}, outside its band of ${bandwidth} rows`,
          measured: c[row][column],
          allowed: 0,
          input: { steps: shape.steps, row, column },
        };
  return bandwidth >= 1 && Number.isInteger(bandwidth)
    ? undefined
    : { what: `the band of C has ${bandwidth} rows`, measured: bandwidth, allowed: 1 };
}

/**
 * The first non-zero entry of C above the diagonal, or the first
 * entry where BC is not the all-ones lower triangle.
 */
function wrongEntry(steps: number, c: Rows, { increments, sums }: Decoder): Violation | undefined {
  for (let row = 0; row < steps; row++)
    for (let column = 0; column < steps; column++) {
      const entry = c[row][column];
      if (!Number.isFinite(entry))
        return { what: `entry (${row}, ${column}) of C is ${entry}`, input: { steps, row, column } };
      if (column > row && entry !== 0)
        return {
          what:
            `C is not lower triangular: entry (${row}, ${column}) is ${entry}, ` +
            `so that noise of step ${row} would protect a future increment`,
          measured: entry,
          allowed: 0,
          input: { steps, row, column },
        };
    }
  const sizes = new Float64Array(steps);
  for (let t = 0; t < steps; t++) {
    for (let s = 0; s < steps; s++) sizes[s] = sizes[s] + Math.abs(increments[t][s]);
    for (let column = 0; column < steps; column++) {
      let product = 0;
      let terms = 1;
      for (let s = 0; s < steps; s++) {
        product += sums[t][s] * c[s][column];
        terms += sizes[s] * Math.abs(c[s][column]);
      }
      const expected = column <= t ? 1 : 0;
      if (Math.abs(product - expected) <= steps * entryRounding * terms) continue;
      return {
        what:
          `BC is not the running sum: entry (${t}, ${column}) is ${product} instead of ${expected}, ` +
          'for B read off the run and C from encoder',
        measured: product,
        allowed: expected,
        input: { steps, step: t, column },
      };
    }
  }
  return undefined;
}

/** B in any dimension, by one run for each row and coordinate of the noise; coordinates must not mix. */
function mixes({ plugin, params }: Subject<'prefixSum'>, shape: PrefixSumShape): Violation | undefined {
  const { steps, dimension } = shape;
  const c = encoderOf({ plugin, params } as Subject<'prefixSum'>, shape);
  const empty = (): Float64Array[] => Array.from({ length: steps }, () => new Float64Array(steps));
  for (let j = 0; j < dimension; j++) {
    const increments = empty();
    const sums = empty();
    for (let s = 0; s < steps; s++) {
      const run = plugin.begin(params, shape);
      for (let t = 0; t < steps; t++) {
        const out = new Float64Array(dimension);
        run.nextInto(out, (row, noise) => {
          noise.fill(0);
          if (row === s) noise[j] = 1;
        });
        const other = out.findIndex((value, i) => i !== j && value !== 0);
        if (other >= 0)
          return {
            what: `noise of coordinate ${j} reaches coordinate ${other}: their noise is not independent`,
            input: { ...shape, step: t, row: s },
          };
        increments[t][s] = out[j];
        sums[t][s] = (t === 0 ? 0 : sums[t - 1][s]) + out[j];
      }
    }
    const violation = wrongEntry(steps, c, { increments, sums });
    if (violation !== undefined)
      return { ...violation, what: `in coordinate ${j} of ${dimension}, ${violation.what}` };
  }
  return undefined;
}

/** The factorisation behind privacy and accuracy: both factors multiply to the all-ones lower triangle. */
export const factorisation = defineLaw<'prefixSum'>({
  id: 'prefixSum/factorisation',
  kind: 'prefixSum',
  tier: 'exact',
  statement:
    'A = BC with A the all-ones lower triangle, B the matrix of the runs and C lower triangular, ' +
    'zero outside the band that is declared',
  power:
    'an error in an entry of more than 5e-13 of its terms per step, for streams of up to 128 steps; ' +
    'noise that is omitted, requested twice or ahead of its step, or shared by coordinates',
  check(subject) {
    let samples = 0;
    for (const shape of shapesTaken(subject, lengths, (steps) => steps)) {
      samples++;
      const decoder = decoderOf(subject, shape);
      const c = encoderOf(subject, shape);
      const violation =
        decoder.violation ?? wrongEntry(shape.steps, c, decoder) ?? outsideBand(subject, shape, c);
      if (violation !== undefined) return fails(samples, violation);
    }
    for (const shape of shapesTaken(subject, [1, 2, 3, 4, 5, 8], () => 3).concat(
      shapesTaken(subject, [4, 7], () => 1),
    )) {
      samples++;
      const violation = mixes(subject, shape);
      if (violation !== undefined) return fails(samples, violation);
    }
    return samples > 0
      ? holds(samples)
      : takesNothing(`it refuses every stream of ${lengths[0]} to ${lengths.at(-1)} steps`);
  },
});
