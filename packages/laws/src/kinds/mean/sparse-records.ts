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
    'addSparse of the entries of a record that differ from zero gives the value that add of the dense record ' +
    'gives, to 2^-40 of the bound, and leaves what it is lent as it was',
  power: 'a difference of one part in 10^12 of the bound on one of 100 batches',
  exempt: (subject) =>
    noShape(subject) ?? (takesSparse(subject) ? undefined : 'it takes no records by their entries'),
  check: (subject, env) =>
    env.forAll(
      batchesFor(subject),
      (batch): Violation | undefined => {
        const randomness = env.random('coins');
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
      },
      { runs: 100 },
    ),
});

/** The value of sparse records; a sentence where what was lent has changed. */
function fedSparse(
  subject: CentralSubject,
  { shape, data }: Batch,
  randomness: RandomSource,
): Vector | string {
  const { random, turn } = randomnessByRecord(randomness);
  const run = subject.plugin.begin(subject.params, wholeShape(subject, shape), random);
  for (const [slot, row] of data.entries()) {
    turn(slot);
    const entries = (row ?? []).flatMap((x, j) => (x === 0 ? [] : [[j, x] as const]));
    const indices = Uint32Array.from(entries, ([j]) => j);
    const values = Float64Array.from(entries, ([, x]) => x);
    defined(run.addSparse).call(run, slot, indices, values);
    if (
      !same(
        indices,
        entries.map(([j]) => j),
      ) ||
      !same(
        values,
        entries.map(([, x]) => x),
      )
    )
      return `addSparse changed the record that it was lent: ${few(row ?? [])}`;
  }
  turn('value');
  return run.value();
}
