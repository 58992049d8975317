import { seededRandom, type RandomSource, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { batchesFor, few, same, type Batch } from './data.js';
import { defineMeanLaw } from './define-mean-law.js';
import { feed, noShape, scaleAt, shapesOf, wholeShape, type CentralSubject } from './release.js';
import { randomnessByRecord } from './randomness-by-record.js';

/** More than the rounding of a clip that adds the entries of a record in another way. */
const slack = 2 ** -40;

const takesSparse = (subject: CentralSubject): boolean =>
  shapesOf(subject).some((shape) => {
    const run = subject.plugin.begin(subject.params, wholeShape(subject, shape), seededRandom('laws'));
    return run.addSparse !== undefined;
  });

/** Records given by their entries count as the same records given dense. */
export const sparseRecords = defineMeanLaw({
  id: 'mean/sparse-records',
  tier: 'search',
  statement:
    'addSparse of the entries of a record, zeros among them or not, gives the value that add of the ' +
    'dense record gives, to 2^-40 of the bound; a record that is not finite counts as zero. What ' +
    'addSparse is lent it leaves as it was, and what is done to that afterwards changes nothing',
  power: 'a difference of one part in 10^12 of the bound, or any use of what was lent, on one of 100 batches',
  exempt: (subject) =>
    noShape(subject) ?? (takesSparse(subject) ? undefined : 'it takes no records by their entries'),
  check: (subject, env) =>
    env.forAll(
      batchesFor(subject),
      (batch): Violation | undefined => {
        for (const tried of [batch, ...notFinite(batch)]) {
          const found = difference(subject, tried, env.random('coins'));
          if (found !== undefined) return found;
        }
        return undefined;
      },
      { runs: 100 },
    ),
});

/** The batch with a first record that is not finite. */
const notFinite = ({ shape, data }: Batch): readonly Batch[] =>
  [Number.NaN, Infinity].map((x) => ({
    shape,
    data: data.map((row, slot) =>
      slot === 0 ? (row ?? Array.from({ length: shape.dimension }, () => 0)).with(0, x) : row,
    ),
  }));

function difference(subject: CentralSubject, batch: Batch, randomness: RandomSource): Violation | undefined {
  const dense = feed(subject, batch.data, { shape: batch.shape, randomness }).value;
  const sparse = fedSparse(subject, batch, randomness);
  if (typeof sparse === 'string') return { what: sparse, input: batch };
  const measured = distance('linf', dense, sparse);
  const allowed = slack * scaleAt(subject, batch.shape);
  return measured <= allowed
    ? undefined
    : {
        what: `records given by their entries make ${few(sparse)}; given dense, ${few(dense)}`,
        measured,
        allowed,
        input: batch,
      };
}

/** The value of sparse records; a sentence where what was lent has changed. */
function fedSparse(
  subject: CentralSubject,
  { shape, data }: Batch,
  randomness: RandomSource,
): Vector | string {
  const { random, turn } = randomnessByRecord(randomness);
  const run = subject.plugin.begin(subject.params, wholeShape(subject, shape), random);
  // Lent again for every record, as a curator does.
  const lent = { indices: new Uint32Array(shape.dimension), values: new Float64Array(shape.dimension) };
  for (const [slot, row] of data.entries()) {
    turn(slot);
    const entries = (row ?? []).flatMap((x, j) => (x === 0 && slot % 2 === 0 ? [] : [[j, x] as const]));
    const given = { indices: entries.map(([j]) => j), values: entries.map(([, x]) => x) };
    const indices = lent.indices.subarray(0, entries.length);
    const values = lent.values.subarray(0, entries.length);
    indices.set(given.indices);
    values.set(given.values);
    defined(run.addSparse).call(run, slot, indices, values);
    if (!same(indices, given.indices) || !same(values, given.values))
      return `addSparse changed the record that it was lent: ${few(row ?? [])}`;
    lent.values.fill(1e6 * scaleAt(subject, shape) + 1);
  }
  turn('value');
  return run.value();
}
