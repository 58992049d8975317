import fc from 'fast-check';
import { fails, type Violation } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { batchesFor, few } from './data.js';
import { feed, noShape, scaleAt, sensitivityAt } from './release.js';

/** The value before noise on the integers is whole and below the limit. */
export const wholeValue = defineMeanLaw({
  id: 'mean/whole-value',
  tier: 'search',
  statement:
    'where value() is declared whole, every entry is a whole ' +
    'number below 2^53 in size, whatever the records are',
  power: 'one entry that is not, on one of 200 batches of records of every size',
  exempt: (subject) =>
    subject.plugin.integers === true ? noShape(subject) : 'it does not declare value() to be whole',
  check(subject, env) {
    const sizes = fc.constantFrom(1, 0.01, 1e100, 1e-290);
    const searched = env.forAll(
      fc.tuple(batchesFor(subject), sizes),
      ([{ shape, data }, by]): Violation | undefined => {
        const records = data.map((row) => row && row.map((x) => Math.max(-1e300, Math.min(1e300, x * by))));
        const { value } = feed(subject, records, { shape, randomness: env.random('coins') });
        if (value.every(Number.isSafeInteger)) return undefined;
        return {
          what:
            `value() is declared whole, and is ${few(value)}: noise on the integers refuses it, ` +
            'or lets its fraction through',
          input: { shape, data: records },
        };
      },
      { runs: 200 },
    );
    if (searched.verdict === 'fails') return searched;
    const crowd = { dimension: 3, slots: 257 };
    if (sensitivityAt(subject, crowd) === undefined) return searched;
    const random = env.random('crowd');
    const size = scaleAt(subject, crowd);
    const { value } = feed(
      subject,
      Array.from({ length: crowd.slots }, () =>
        Array.from(random.gaussianInto(new Float64Array(crowd.dimension)), (x) => x * size),
      ),
      { shape: crowd, randomness: random },
    );
    return value.every(Number.isSafeInteger)
      ? searched
      : fails(searched.samples + 1, {
          what: `value() is declared whole, and is ${few(value)} of ${crowd.slots} records`,
          input: crowd,
        });
  },
});
