import { describe, expect, expectTypeOf, test } from 'vitest';
import { createIntake } from './intake.js';
import { defined, InvalidParameter, encode } from '@lethe/numerics';
import { scoredPointAnswer, vectorAnswer } from './answer.js';
import { toyPlan } from '../../test/drive-world.js';
import { ask, type Program } from './ask.js';
import { copyAnswer, isAnswer, vectorsIn } from './answers.js';
import { queryTable, type WithExamples } from './examples.js';
import type { Answer, Batch, Query, Stream, Vector } from './query.js';
import { asWritten, row, type Example, type ExampleParts } from './row.js';
import { list, oneOf, reference, text, type RecordOf } from './schema.js';
import { table, type AnswerOf, type QueryName } from './table.js';

const allRecords = { id: 'everyone', normaliser: 12, size: 'exact', scope: null } as unknown as Batch;
const parts: ExampleParts = {
  allRecords,
  dimension: 3,
  steps: 3,
  sampler: { kind: 'sampler', name: 's', params: { rate: 0.5 } },
  exactSampler: { kind: 'sampler', name: 'e', params: {} },
  dealer: { kind: 'sampler', name: 'd', params: { parts: 2 } },
  streamSampler: { kind: 'sampler', name: 's', params: {} },
  clip: { kind: 'clip', name: 'c', params: { radius: 1 } },
  mechanism: { kind: 'mechanism', name: 'm', params: {} },
  mean: { kind: 'mean', name: 'm', params: { list: [1, null, 'é', true] } },
  certified: { kind: 'mean', name: 'n', params: {} },
  shuffled: {
    kind: 'mean',
    name: 's',
    params: { randomiser: { kind: 'localRandomiser', name: 'r', params: {} } },
  },
  prefixSum: { kind: 'prefixSum', name: 'p', params: {} },
  domain: { kind: 'domain', name: 'b', params: { radius: 2 } },
  solver: { kind: 'solver', name: 'z', params: {} },
  selector: { kind: 'selector', name: 'x', params: {} },
  base: toyPlan,
};
const stream = { id: 'run/3' } as unknown as Stream;
const examples = Object.entries(queryTable).flatMap(([name, { examples: of }]) =>
  Object.entries(of(parts) as Readonly<Record<string, Example<object, unknown>>>).map(
    ([what, { query }]) =>
      [what, { ask: name, ...query((name === 'push' ? stream : allRecords) as never) } as Query] as const,
  ),
);

const optional = new Set(['costs', 'sampling', 'verified', 'centre', 'fullRecords']);
/** Fields that may be left out in one kind of query alone. */
const optionalIn: Readonly<Record<string, string>> = {
  sampler: 'mean',
  // The number of runs has several forms; the curator says which it lacks.
  stopProbability: 'select',
  cap: 'select',
  shape: 'select',
  mean: 'select',
};

describe.each(examples)('%s', (_what, query) => {
  test('is taken in as it is, as a copy, and its bytes are those of encode', () => {
    const { query: own, bytes } = createIntake()(query);
    expect(own).toStrictEqual(query);
    expect(own).not.toBe(query);
    expect(bytes).toStrictEqual(encode(query));
  });

  test('is refused with a field too many, too few or of another type, by name', () => {
    const take = createIntake();
    expect(() => take({ ...query, federated: 1 })).toThrow(
      /malformed query: federated is unknown; it must be left out/,
    );
    for (const name of Object.keys(query)) {
      const { [name]: _, ...rest } = query as unknown as Readonly<Record<string, unknown>>;
      const isOptional = optional.has(name) || optionalIn[name] === query.ask;
      if (!isOptional) expect(() => take(rest)).toThrow(InvalidParameter);
      expect(() => take({ ...query, [name]: () => 1 })).toThrow(InvalidParameter);
    }
  });
});

test('what else a token says of itself is dropped', () => {
  const [[, draw]] = examples as readonly (readonly [string, Query])[] as [[string, Query]];
  expect(
    createIntake()({ ...draw, from: { ...allRecords, stretch: { from: 0, to: 9 } } }).query,
  ).toStrictEqual(draw);
});

test('fields deep inside are named', () => {
  const take = createIntake();
  const mean = defined(examples.find(([, { ask: kind }]) => kind === 'mean'))[1] as Extract<
    Query,
    { ask: 'mean' }
  >;
  expect(() => take({ ...mean, mean: { ...mean.mean, version: 1 } })).toThrow(
    /mean\.version is unknown; it must be left out; a record here has kind, name, params/,
  );
  expect(() => take({ ...mean, mean: parts.clip })).toThrow(/mean\.kind is clip; it must be 'mean'/);
  expect(() => take({ ...mean, of: { terms: [{ weight: 1, at: [1] }] } })).toThrow(
    /an entry of of\.terms\.at is an array; it must be a Float64Array/,
  );
  expect(() => take({ ...mean, batch: { ...allRecords, size: 'large' } })).toThrow(
    /batch\.size is large; it must be 'exact' or 'hidden'/,
  );
  expect(() => take({ ask: 'toString' })).toThrow(/ask is toString; it must be 'draw' or/);
});

test('an undefined optional field counts as missing, also in the forms of a target', () => {
  const take = createIntake();
  const [[, draw]] = examples as readonly (readonly [string, Query])[] as [[string, Query]];
  expect(take({ ...draw, costs: undefined }).query).toStrictEqual(draw);
  const mean = defined(examples.find(([what]) => what === 'a mean'))[1] as Extract<Query, { ask: 'mean' }>;
  expect(take({ ...mean, target: { rho: 0.5, epsilon: undefined } }).query).toStrictEqual(mean);
  for (const target of [
    {},
    { rho: undefined },
    { rho: 1, noiseMultiplier: 1 },
    { rho: 1, delta: 0.1 },
    { epsilon: 1 },
    { unprotected: false },
    { rho: 1, more: 1 },
  ]) {
    expect(() => take({ ...mean, target })).toThrow(InvalidParameter);
  }
});

test('a query whose fields ask another query is refused: both would be written to one place', () => {
  const take = createIntake();
  const [[, draw]] = examples as readonly (readonly [string, Query])[] as [[string, Query]];
  expect(() =>
    take({
      ...draw,
      get sampler() {
        return take(draw).query;
      },
    }),
  ).toThrow(/asked while another is read/);
  expect(take(draw).bytes).toStrictEqual(encode(draw));
});

test('answers are told apart, copied, and show the arrays they hold', () => {
  const select = defined(examples.find(([, { ask: kind }]) => kind === 'select'))[1];
  const split = defined(examples.find(([what]) => what === 'a split by size'))[1];
  const answer = { point: Float64Array.of(1, 2), score: 3 };
  expect(isAnswer(select, answer)).toBe(true);
  expect(isAnswer(split, answer)).toBe(false);
  expect(isAnswer(split, [allRecords, allRecords])).toBe(true);
  expect(isAnswer(split, [allRecords])).toBe(false);
  const copy = copyAnswer(select, answer) as typeof answer;
  expect(copy).toStrictEqual(answer);
  expect(copy.point).not.toBe(answer.point);
  expect(vectorsIn(select, answer)).toStrictEqual([answer.point]);
});

test('types: what a helper answers is exactly what its row says', () => {
  function* listing(all: Batch): Program<number> {
    const drawn = yield* ask.draw({ sampler: parts.sampler, from: all });
    expectTypeOf(drawn).toEqualTypeOf<Batch>();
    expectTypeOf(
      yield* ask.split({ of: all, order: 'stored', parts: { by: 'size', sizes: [1] } }),
    ).toEqualTypeOf<readonly Batch[]>();
    expectTypeOf(yield* ask.close(drawn)).toEqualTypeOf<null>();
    expectTypeOf(yield* ask.afford({ ask: 'close', batch: drawn })).toEqualTypeOf<boolean>();
    // @ts-expect-error -- a question about a question
    yield* ask.afford({ ask: 'afford', query: { ask: 'close', batch: drawn } });
    // @ts-expect-error -- a plugin of another kind
    yield* ask.draw({ sampler: parts.clip, from: all });
    // @ts-expect-error -- no such query
    yield* ask.federatedMean({ from: all });
    return 1;
  }
  expectTypeOf<AnswerOf<'mean'>>().toEqualTypeOf<Vector>();
  expectTypeOf<AnswerOf<QueryName>>().toEqualTypeOf<Answer>();
  expect(Object.keys(ask)).toStrictEqual(Object.keys(table));
  expect(typeof listing).toBe('function');
});

test('types: a row that says less than all does not compile', () => {
  const fields = { silos: list(text), server: oneOf('trusted', 'untrusted'), clip: reference('clip') };
  const build = asWritten<RecordOf<typeof fields>>;
  // @ts-expect-error -- no answer, which the driver checks and a remote curator moves
  row({ fields, build });
  // @ts-expect-error -- no builder, which ask needs
  row({ fields, answer: vectorAnswer });
  row({
    fields,
    answer: vectorAnswer,
    // @ts-expect-error -- a builder of other fields
    build: (silos: readonly string[]) => ({ silos }),
  });
  const extended = { ...table, federatedValue: row({ fields, answer: vectorAnswer, build }) };
  // @ts-expect-error -- no examples, which the laws ask
  const without: WithExamples<typeof extended> = queryTable;
  const mistaken: WithExamples<typeof extended> = {
    ...queryTable,
    federatedValue: {
      ...extended.federatedValue,
      // @ts-expect-error -- examples of other fields
      examples: () => ({ 'a federated value': { query: () => ({ silos: 2 }) } }),
    },
  };
  expect([without, mistaken]).not.toContain(undefined);
  expect(scoredPointAnswer).not.toBe(vectorAnswer);
});
