import type { MeanShape, Vector } from '@lethe/core';
import fc from 'fast-check';
import type { Data } from '../../arbitraries/vectors.js';
import type { LawEnv } from '../../law/law.js';
import { fails, type Violation } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { otherShapes } from './other-shapes.js';
import { randomnessByRecord } from './randomness-by-record.js';
import { adjacenciesOf, feed, noShape, scaleAt, wholeShape, type CentralSubject } from './release.js';
import { batchPairsFor, few, same } from './data.js';

/**
 * An answer that tells of a record, in a release of a shape, weight or size beyond the usual ones: on a
 * record or its opposite in one slot, in every one of up to 64, or in none.
 */
function leakElsewhere(subject: CentralSubject, mayLeave: boolean, env: LawEnv): Violation | undefined {
  const { plugin, params } = subject;
  for (const [i, shape] of otherShapes(subject).entries()) {
    const whole = wholeShape(subject, shape);
    const scale = scaleAt(subject, shape);
    const record = Float64Array.from({ length: shape.dimension }, (_, j) => ((j % 5) - 1.5) * scale);
    const opposite = record.map((x) => -x);
    const others: Vector[] = shape.slots <= 64 ? Array.from({ length: shape.slots - 1 }, () => record) : [];
    const sets = [[record, ...others], [opposite, ...others], ...(mayLeave ? [[], others] : [])];
    for (const size of plugin.hiddenSize === true ? (['exact', 'hidden'] as const) : (['exact'] as const)) {
      const context: MeanShape = { ...whole, size, weight: i % 2 === 0 ? 1 : 3 };
      let first: Vector | undefined;
      for (const records of sets) {
        const { random, turn } = randomnessByRecord(env.random('coins'));
        const run = plugin.begin(params, context, random);
        records.forEach((row, slot) => {
          turn(slot);
          run.add(slot, row.slice());
        });
        turn('value');
        const value = run.value();
        const answer = run
          .finish(
            env
              .random(i)
              .gaussianInto(value)
              .map((x) => x * scale),
          )
          .slice();
        first ??= answer;
        if (same(answer, first)) continue;
        return {
          what:
            `the same noised value becomes the answer ${few(first)} after some records and ` +
            `${few(answer)} after others, in a release of dimension ${shape.dimension}, ` +
            `${shape.slots} slots (${size}) and weight ${context.weight}: ` +
            'finish lets something past the noise',
          input: { shape, here: sets[0].map((row) => [...row]), there: records.map((row) => [...row]) },
        };
      }
    }
  }
  return undefined;
}

/** `finish` sees nothing but the noised value. */
export const postProcessing = defineMeanLaw({
  id: 'mean/post-processing',
  tier: 'search',
  invariant: 'I-3',
  statement:
    'finish is a function of the noised value, the randomness and public context: ' +
    'whatever the records were and whether there were any, the same noised value gives the same answer, ' +
    'and as many entries of value()',
  power:
    'any influence of the records on the answer, or on the length of value(), in one of 200 pairs of ' +
    'batches, or of a record alone in one of 26 shapes of up to 129 entries and 2^20 slots',
  exempt: noShape,
  check(subject, env) {
    const mayLeave = adjacenciesOf(subject).includes('add-remove');
    const leak = leakElsewhere(subject, mayLeave, env);
    if (leak !== undefined) return fails(1, leak);
    const inputs = fc.tuple(batchPairsFor(subject), fc.nat(99), fc.integer({ min: -8, max: 8 }));
    return env.forAll(
      inputs,
      ([[here, there], seed, exponent]): Violation | undefined => {
        const { shape } = here;
        const randomness = env.random(`coins ${seed % 4}`);
        const size = scaleAt(subject, shape) * 2 ** exponent;
        // Every fourth time, noise so small that the noised value tells whose it is.
        const close =
          seed % 4 === 1 ? feed(subject, here.data, { shape, randomness }).value.slice() : undefined;
        const noised = (length: number): Float64Array =>
          env
            .random(seed)
            .gaussianInto(new Float64Array(length))
            .map((x, j) => {
              if (seed === 0) return 0;
              if (close === undefined) return x * size;
              return (close[j] ?? 0) + (seed % 8 === 1 ? 0 : 2 ** -30 * x * size);
            });
        const release = (
          data: Data,
        ): { readonly length: number; readonly answer: Float64Array; readonly drew: number } => {
          const { run, value, drew } = feed(subject, data, { shape, randomness });
          const { length } = value;
          value.set(noised(length));
          return { length, answer: run.finish(value), drew: drew() };
        };
        const sets: readonly Data[] = [
          here.data,
          there.data,
          ...(mayLeave ? [[], ...(here.data.length > 1 ? [there.data.slice(1)] : [])] : []),
        ];
        const [first, ...others] = sets.map(release);
        const at = others.findIndex(
          ({ length, answer }) => length !== first.length || !same(answer, first.answer),
        );
        if (first.answer.length !== shape.dimension)
          return {
            what: `the answer has ${first.answer.length} entries; the dimension is ${shape.dimension}`,
            input: { shape, data: here.data },
          };
        if (at < 0) return undefined;
        const other = others[at];
        const pair = {
          shape,
          here: here.data,
          there: sets[at + 1],
          noised: Array.from(noised(first.length)),
        };
        if (other.length !== first.length)
          return {
            what:
              `value() has ${first.length} entries on some records ` +
              `and ${other.length} on others: the length reveals them`,
            input: pair,
          };
        return {
          what:
            `the same noised value becomes the answer ${few(first.answer)} after some records and ` +
            `${few(other.answer)} after others: finish lets something past the noise`,
          input: pair,
        };
      },
      { runs: 200 },
    );
  },
});

/** The value before noise is finite. */
export const finiteValue = defineMeanLaw({
  id: 'mean/finite',
  tier: 'search',
  statement: 'value() is finite on every data set, and so is the answer on a finite noised value',
  power: 'any entry that is not finite, on one of 200 batches of records of every size',
  exempt: noShape,
  check(subject, env) {
    const batches = batchPairsFor(subject).map(([batch]) => batch);
    const huge = fc.constantFrom(1, 1e100, 1e290, 1e-290);
    return env.forAll(
      fc.tuple(batches, huge),
      ([{ shape, data }, by]): Violation | undefined => {
        const records = data.map((row) => row && row.map((x) => Math.max(-1e300, Math.min(1e300, x * by))));
        const { run, value } = feed(subject, records, { shape, randomness: env.random('coins') });
        if (!value.every(Number.isFinite))
          return {
            what: `value() is ${few(value)}; a value that is not finite would tell of the records`,
            input: { shape, data: records },
          };
        const answer = run.finish(value);
        return answer.every(Number.isFinite)
          ? undefined
          : { what: `the answer to a finite value is ${few(answer)}`, input: { shape, data: records } };
      },
      { runs: 200 },
    );
  },
});
