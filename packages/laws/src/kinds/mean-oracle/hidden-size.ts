import fc from 'fast-check';
import { dataOf, type Data } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unit } from '../clip/apply.js';
import { few } from './data.js';
import { noShape, scaleAt, sensitivityAt, shapesOf, type Oracle, type Shape } from './release.js';

/** Which numbers records have, as they are added. */
type Numbering = (position: number) => number;
const numberings: readonly Numbering[] = [(position) => position, (position) => 3 * position + 7, (position) => 1000 - position];

function valueOf({ plugin, params }: Oracle, data: Data, shape: Shape, numbered: Numbering, random: Parameters<Oracle['plugin']['begin']>[1]['random']): Float64Array {
  const run = plugin.begin(params as never, { ...shape, random });
  data.forEach((row, position) => { run.add(numbered(position), row === null ? new Float64Array(shape.dimension) : Float64Array.from(row)); });
  return run.value();
}

/** A release that needs no more than a public normaliser. */
export const hiddenSize = defineLaw({
  id: 'meanOracle/hidden-size', kind: 'meanOracle', tier: 'search', invariant: 'I-6',
  statement: 'where an oracle takes batches of hidden size, any number of records can be added under any numbers, beside a normaliser that is not whole; value() depends neither on the numbers nor on the order, and a record that leaves moves it by no more than the sensitivity, however many there are',
  power: 'a count, a slot or a position that enters value(), among 200 batches of up to three times as many records as the normaliser says',
  exempt: (oracle) => (oracle.plugin.hiddenSize === true ? noShape(oracle) : 'it takes batches of exact size only'),
  check(oracle, env) {
    const batches = fc.constantFrom(...shapesOf(oracle, { most: 4 })).chain((whole) => {
      const shape = { ...whole, slots: whole.slots - 0.25 };
      return fc.tuple(fc.constant(shape), dataOf({ dimension: shape.dimension, scale: scaleAt(oracle, whole), norm: oracle.plugin.norm, rows: 3 * whole.slots, fewest: 1, nulls: true }), fc.nat());
    });
    return env.forAll(batches, ([shape, data, pick]): Violation | undefined => {
      const input = { shape, data }, random = env.random('coins'), declared = sensitivityAt(oracle, shape)?.['add-remove'];
      if (declared === undefined) return { what: `it takes batches of hidden size, and declares no sensitivity for a record that leaves one with the normaliser ${shape.slots}`, input };
      const value = valueOf(oracle, data, shape, numberings[0]!, random);
      // Where values are whole, sums are exact in any order; elsewhere they round.
      const slack = oracle.plugin.integers === true ? 0 : 64 * unit * data.length * declared;
      for (const [what, other] of [
        ['other numbers', valueOf(oracle, data, shape, numberings[1]!, random)], ['other numbers', valueOf(oracle, data, shape, numberings[2]!, random)],
        ['another order', valueOf(oracle, data.toReversed(), shape, numberings[0]!, random)],
      ] as const) {
        const moved = distance(oracle.plugin.norm, value, other);
        if (!(moved <= slack)) return { what: `with ${what} of the same records value() is ${few(other)} in place of ${few(value)}: in a batch of hidden size they tell who else is there`, measured: moved, allowed: slack, input };
      }
      const without = valueOf(oracle, data.toSpliced(pick % data.length, 1), shape, numberings[0]!, random);
      const measured = distance(oracle.plugin.norm, value, without), allowed = declared * (1 + 64 * unit) + slack;
      return measured <= allowed ? undefined : { what: `without one of ${data.length} records value() moves by more than its sensitivity`, measured, allowed, input };
    }, { runs: 200 });
  },
});
