import type { PrefixSumShape } from '@lethe/core';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { lengths, shapesTaken } from './factors.js';

/** Generating noise dominates the time of a stream; for plugins that claim to request each row once. */
export const eachRowOnce = defineLaw<'prefixSum'>({
  id: 'prefixSum/each-row-once',
  kind: 'prefixSum',
  tier: 'exact',
  onClaim: true,
  statement: 'a run requests each row of the noise at most once',
  power: 'any second request, streams of up to 128 steps, all of 66 000 and the first 300 of 100 000',
  check(subject) {
    const { plugin, params } = subject;
    let samples = 0;
    for (const shape of shapesTaken(subject, [...lengths, 66_000, 100_000], () => 1)) {
      samples++;
      const run = plugin.begin(params, shape);
      const out = new Float64Array(1);
      const asked = new Set<number>();
      for (let step = 0; step < (shape.steps > 66_000 ? 300 : shape.steps); step++) {
        let again: number | undefined;
        run.nextInto(out, (row, noise) => {
          if (asked.has(row)) again = row;
          asked.add(row);
          noise.fill(0);
        });
        if (again !== undefined)
          return fails(samples, {
            what: `step ${step} asks for row ${again} of the noise again`,
            input: { ...shape, step, row: again },
          });
      }
    }
    return holds(samples);
  },
});

/** Total length of the vectors that a function allocates. */
function allocated(work: () => void): number {
  const original = globalThis.Float64Array;
  let entries = 0;
  globalThis.Float64Array = new Proxy(original, {
    construct(target, given, newTarget) {
      const made = Reflect.construct(
        target,
        given,
        newTarget === globalThis.Float64Array ? target : newTarget,
      ) as Float64Array;
      if (!(given[0] instanceof ArrayBuffer)) entries += made.length;
      return made;
    },
  });
  try {
    work();
  } finally {
    globalThis.Float64Array = original;
  }
  return entries;
}

/** Memory that grows with the dimension. */
export const vectorsKept = defineLaw<'prefixSum'>({
  id: 'prefixSum/vectors-kept',
  kind: 'prefixSum',
  tier: 'search',
  statement: 'a run allocates at most vectorsKept vectors of its dimension',
  power:
    'an additional vector allocated with `new Float64Array` (not by array methods), ' +
    'for streams of up to 128 steps',
  exempt: ({ plugin, claims }) =>
    plugin.vectorsKept === undefined && !claims.some(({ property }) => property === 'vectors-kept')
      ? 'it does not say how many vectors it keeps'
      : undefined,
  check(subject) {
    const shapes = shapesTaken(subject, lengths, () => 1);
    for (const [index, shape] of shapes.entries()) {
      const violation = tooMany(subject, shape);
      if (violation !== undefined) return fails(index + 1, violation);
    }
    return holds(shapes.length);
  },
});

/** Allocations per dimension, from the difference between two dimensions. */
function tooMany({ plugin, params }: Subject<'prefixSum'>, shape: PrefixSumShape): Violation | undefined {
  const [narrow, wide] = [10, 1010];
  const entriesAt = (dimension: number): number => {
    const out = new Float64Array(dimension);
    return allocated(() => {
      const run = plugin.begin(params, { ...shape, dimension });
      for (let step = 0; step < shape.steps; step++)
        run.nextInto(out, (row, noise) => {
          noise.fill(row);
        });
    });
  };
  const vectors = (entriesAt(wide) - entriesAt(narrow)) / (wide - narrow);
  const declared = plugin.vectorsKept?.(params, { ...shape, dimension: wide });
  if (declared === undefined) return { what: 'it claims vectors-kept, and has no vectorsKept' };
  return vectors <= declared
    ? undefined
    : {
        what: `a run of ${shape.steps} steps allocates ${vectors} vectors; vectorsKept says ${declared}`,
        measured: vectors,
        allowed: declared,
        input: { ...shape },
      };
}
