import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unwrapping } from './unwrapping.js';

interface Box {
  readonly size: number;
  readonly holds: Box | null;
}
const box = (depth: number): fc.Arbitrary<Box> =>
  fc.record(
    {
      size: fc.nat(100),
      holds: depth === 0 ? fc.constant(null) : fc.option(box(depth - 1), { nil: null, freq: 10 }),
    },
    { noNullPrototype: true },
  );
const boxes = unwrapping(box(4), ({ holds }) => (holds === null ? [] : [holds]));
const sizes = (b: Box | null): readonly number[] => (b === null ? [] : [b.size, ...sizes(b.holds)]);

const smallest = (fine: (b: Box) => boolean, seed: number): fc.RunDetails<[Box]> =>
  fc.check(fc.property(boxes, fine), { seed, numRuns: 1000 });

it('shrinking removes outer values around the counterexample and minimises its content', () => {
  for (let seed = 0; seed < 20; seed++)
    expect(smallest((b) => sizes(b).every((size) => size < 50), seed).counterexample).toEqual([
      { size: 50, holds: null },
    ]);
});
it('required outer values stay', () => {
  expect(sizes(defined(smallest((b) => sizes(b).length < 3, 1).counterexample)[0])).toEqual([0, 0, 0]);
});
it('a path leads to the same value again', () => {
  const found = smallest((b) => sizes(b).every((size) => size < 50), 3);
  const again = fc.check(
    fc.property(boxes, (b) => sizes(b).every((size) => size < 50)),
    { seed: 3, path: defined(found.counterexamplePath), endOnFailure: true },
  );
  expect(again.counterexample).toEqual(found.counterexample);
});
