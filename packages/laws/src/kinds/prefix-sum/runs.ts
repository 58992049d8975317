import type { PrefixSumRun, PrefixSumShape, Vector } from '@lethe/core';
import fc from 'fast-check';
import { fails, holds, type Violation, takesNothing } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { decoderOf, entryRounding, lengths, noiseOf, shapesTaken, type Rows } from './factors.js';

/** Treatment of arrays that a caller passes to a run. */
type Handling =
  | 'fresh arrays'
  | 'one array for every step'
  | 'an array that is overwritten after every step'
  | 'a part of a larger array';

/** One step; `noise` is valid during the step only. */
function step(run: PrefixSumRun, out: Vector, noise: (row: number, out: Vector) => void): Float64Array {
  let lent = true;
  run.nextInto(out, (row, into) => {
    if (lent) noise(row, into);
    else into.fill(NaN);
  });
  lent = false;
  return out.slice();
}

function wholeRun(
  { plugin, params }: Subject<'prefixSum'>,
  shape: PrefixSumShape,
  rows: Rows,
  handling: Handling,
): Rows {
  const run = plugin.begin(params, shape);
  const noise = noiseOf(rows);
  const reused =
    handling === 'a part of a larger array'
      ? new Float64Array(shape.dimension + 3).fill(NaN).subarray(2, 2 + shape.dimension)
      : new Float64Array(shape.dimension);
  return Array.from({ length: shape.steps }, () => {
    const written = step(
      run,
      handling === 'fresh arrays' ? new Float64Array(shape.dimension).fill(NaN) : reused,
      noise,
    );
    if (handling === 'an array that is overwritten after every step') reused.fill(1e9);
    return written;
  });
}

const firstDifference = (a: Rows, b: Rows): number =>
  a.findIndex((row, t) => row.some((value, j) => !Object.is(value + 0, b[t][j] + 0)));

/** Steps, seeds and the interleaving of two streams. */
const turns = fc.record({
  steps: fc.constantFrom(...lengths.slice(0, 13)),
  dimension: fc.integer({ min: 1, max: 4 }),
  left: fc.nat(8),
  order: fc.array(fc.boolean(), { maxLength: 40, size: 'max' }),
  seed: fc.nat(),
});

/** Runs are independent of each other. */
export const runs = defineLaw<'prefixSum'>({
  id: 'prefixSum/runs',
  kind: 'prefixSum',
  tier: 'search',
  statement:
    'a run depends on its shape and noise alone: not on other runs, earlier runs, ' +
    'or later changes of the arrays passed to it',
  power:
    'any different bit, for 60 interleavings of up to 17 steps, ' +
    'and noise requested through the function of an earlier step',
  check: (subject, env) =>
    env.forAll(
      turns,
      ({ steps, dimension, left, order, seed }): Violation | undefined => {
        const { plugin, params } = subject;
        const shape = { steps, dimension };
        if (shapesTaken(subject, [steps], () => dimension).length === 0) return undefined;
        const normal = (label: string): Rows =>
          Array.from({ length: steps }, (_, s) =>
            env.random(`${label} ${seed}`).fork(s).gaussianInto(new Float64Array(dimension)),
          );
        const ours = normal('ours');
        const theirs = normal('theirs');
        const alone = wholeRun(subject, shape, ours, 'fresh arrays');
        const bad = alone.findIndex((row) => !row.every(Number.isFinite));
        if (bad >= 0)
          return {
            what: `step ${bad} is not written, or not a number: it must be, whatever was in the array before`,
            witness: String(alone[bad]),
          };
        for (const handling of [
          'one array for every step',
          'an array that is overwritten after every step',
          'a part of a larger array',
        ] as const) {
          const at = firstDifference(alone, wholeRun(subject, shape, ours, handling));
          if (at >= 0)
            return {
              what:
                `with ${handling}, step ${at} is not what it is with fresh arrays: ` +
                'the run stores a reference to a passed array, or writes elsewhere',
            };
        }
        const abandoned = plugin.begin(params, shape);
        for (let t = 0; t < Math.min(left, steps); t++)
          step(abandoned, new Float64Array(dimension), noiseOf(theirs));
        const [one, other] = [plugin.begin(params, shape), plugin.begin(params, shape)];
        const [first, second]: [Float64Array[], Float64Array[]] = [[], []];
        for (const mine of [...order, ...Array.from({ length: 2 * steps }, (_, i) => i % 2 === 0)]) {
          if (mine && first.length < steps) first.push(step(one, new Float64Array(dimension), noiseOf(ours)));
          if (!mine && second.length < steps)
            second.push(step(other, new Float64Array(dimension), noiseOf(theirs)));
        }
        for (const [made, rows] of [
          [first, ours],
          [second, theirs],
        ] as const) {
          const at = firstDifference(
            made,
            wholeRun(subject, shape, rows, 'fresh arrays').slice(0, made.length),
          );
          if (at >= 0)
            return {
              what: `step ${at} of a run differs when it alternates with another run: runs share state`,
            };
        }
        return undefined;
      },
      { runs: 60 },
    ),
});

/** Outputs are linear in the given noise, without other terms. */
export const noiseIsGiven = defineLaw<'prefixSum'>({
  id: 'prefixSum/given-noise',
  kind: 'prefixSum',
  tier: 'exact',
  statement:
    'increments are (Bz)_t − (Bz)_{t−1} for the given noise z in each coordinate, without other terms',
  power: 'an error above 5e-13 of the terms per step, for streams of up to 128 steps in dimension 1 to 5',
  check(subject, env) {
    let samples = 0;
    for (const dimension of [1, 2, 5])
      for (const shape of shapesTaken(subject, lengths, () => dimension)) {
        const { steps } = shape;
        if (shapesTaken(subject, [steps], () => steps).length === 0) continue;
        samples++;
        const { increments, violation } = decoderOf(subject, { steps, dimension: steps });
        if (violation !== undefined) return fails(samples, violation);
        const z = Array.from({ length: steps }, (_, s) =>
          env.random(`noise ${steps} ${dimension}`).fork(s).gaussianInto(new Float64Array(dimension)),
        );
        for (const [t, written] of wholeRun(subject, shape, z, 'fresh arrays').entries())
          for (const [j, value] of written.entries()) {
            let expected = 0;
            let terms = 0;
            for (let s = 0; s < steps; s++) {
              expected += increments[t][s] * z[s][j];
              terms += Math.abs(increments[t][s] * z[s][j]) + Math.abs(z[s][j]) * entryRounding;
            }
            if (Math.abs(value - expected) <= steps * entryRounding * terms) continue;
            return fails(samples, {
              what:
                `coordinate ${j} of step ${t} is ${value}; ` +
                `the rows of B that unit noise shows give ${expected}`,
              measured: value,
              allowed: expected,
              input: { ...shape, step: t, coordinate: j },
            });
          }
      }
    return holds(samples);
  },
});

/** Streams of different lengths agree on common steps; for factorisations that claim it. */
export const prefixConsistent = defineLaw<'prefixSum'>({
  id: 'prefixSum/prefix-consistent',
  kind: 'prefixSum',
  tier: 'exact',
  onClaim: true,
  statement: 'the first steps of a stream do not depend on its length',
  power: 'any bit of any increment, lengths up to 128',
  check(subject, env) {
    const shapes = shapesTaken(subject, lengths, () => 3);
    const longest = shapes.at(-1);
    if (longest === undefined) return takesNothing('it refuses every stream');
    const z = Array.from({ length: longest.steps }, (_, s) =>
      env.random('noise').fork(s).gaussianInto(new Float64Array(3)),
    );
    const whole = wholeRun(subject, longest, z, 'fresh arrays');
    for (const [index, shape] of shapes.entries()) {
      const at = firstDifference(wholeRun(subject, shape, z, 'fresh arrays'), whole);
      if (at >= 0)
        return fails(index + 1, {
          what:
            `step ${at} differs between a stream of ${shape.steps} steps and ` +
            `one of ${longest.steps} with the same noise`,
          input: { ...shape, step: at },
        });
    }
    return holds(shapes.length);
  },
});
