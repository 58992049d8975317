import {
  defineClip,
  InvalidData,
  LetheError,
  makerOf,
  type Clip,
  type Fact,
  type Json,
  type MeanQuery,
  type Plugin,
  type Query,
} from '@lethe/core';
import { centralCurator, type CentralCuratorOptions, type DataSet } from '@lethe/curator';
import * as z from 'zod';
import { defineMutant } from '../mutant.js';
import {
  answering,
  changed,
  curatorOf,
  eachRecord,
  fieldsOf,
  isVector,
  optioned,
  withData,
  withPlugins,
} from './wrap.js';

/** Features of record `i` of dense data. */
const rowOf = ({ matrix, dimension }: DataSet, i: number): Float64Array =>
  'data' in matrix
    ? Float64Array.from(
        matrix.data.subarray(
          matrix.offset + i * matrix.rowStride,
          matrix.offset + i * matrix.rowStride + dimension,
        ),
      )
    : new Float64Array(dimension);
const rowsOf = (data: DataSet): readonly Float64Array[] =>
  Array.from({ length: data.slots }, (_, i) => rowOf(data, i));

/** The first record with a non-finite gradient at the query's points. */
function troubledRecord({ data }: CentralCuratorOptions, query: Query): number {
  if (query.ask !== 'mean') return -1;
  return rowsOf(data).findIndex((features, i) =>
    query.of.terms.some(({ at }) => {
      if (data.nulls?.[i] === 1) return false;
      const out = new Float64Array(data.dimension);
      data.loss.plugin.gradientInto(data.loss.params, out, at, { features, label: data.labels[i] });
      return !out.every(Number.isFinite);
    }),
  );
}

export const i0a = defineMutant({
  id: 'curator/plugin-made-reference-called-place-curators-own',
  title: "the plugin that made a reference is called instead of the curator's own",
  kind: 'curator',
  source: 'I-0: an optimizer holding a closure',
  killedBy: ['curator/plain-data'],
  within: 100,
  plant: () =>
    curatorOf((options) => {
      const smuggled = new Map<string, Plugin>();
      const registry = options.registry.map(
        (plugin) =>
          new Proxy(fieldsOf(plugin), {
            get: (target, property) =>
              Reflect.get(smuggled.get(`${plugin.kind} ${plugin.name}`) ?? target, property) as unknown,
          }),
      );
      const inner = centralCurator({ ...options, registry });
      return {
        ...inner,
        answer(index, query) {
          eachRecord(query, (record) => {
            const maker = makerOf(record as never);
            if (maker !== undefined) smuggled.set(`${maker.kind} ${maker.name}`, maker);
          });
          return inner.answer(index, query);
        },
      };
    }),
});

const promoted = (facts: Readonly<Record<string, Fact>>): Readonly<Record<string, Fact>> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [name, { ...fact, scope: 'every-record' as const }]),
  );

export const i0b = defineMutant({
  id: 'curator/fact-about-population-taken-one-about-every',
  title: 'a fact about the population is used as a fact about every record',
  kind: 'curator',
  source: 'I-0: facts without scope',
  killedBy: ['curator/fact-scope'],
  within: 20,
  plant: () => optioned((options) => withData(options, ({ facts }) => ({ facts: promoted(facts) }))),
});

const trusting = defineClip({
  name: 'planted/trusting',
  summary: 'Trusts.',
  source: { id: 'lethe', item: 'mutant' },
  claims: [],
  params: z.strictObject({ radius: z.number().positive() }),
  norm: 'l2',
  isProjection: false,
  factor: null,
  radius: ({ radius }) => radius,
  clipInPlace: () => undefined,
  biasBound: () => 0,
  varianceBound: () => 0,
});

export const i0c = defineMutant({
  id: 'curator/certified-constant-believed-not-enforced',
  title: 'a certified constant is not enforced',
  kind: 'curator',
  source: 'I-0: facts the data do not keep',
  killedBy: ['curator/fact-enforced', 'curator/sensitivity'],
  within: 100,
  plant: () =>
    curatorOf((options) => {
      const inner = centralCurator({ ...options, registry: [...options.registry, trusting] });
      return {
        ...inner,
        answer(index, query) {
          if (query.ask !== 'mean' || query.mean.name !== 'laws/certified') return inner.answer(index, query);
          const { fact: named, mechanism } = query.mean.params as {
            readonly fact: string;
            readonly mechanism: Json;
          };
          const fact = options.data.facts[named];
          if (fact?.scope !== 'every-record') return inner.answer(index, query);
          const radius = fact.value * query.of.terms.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
          return inner.answer(index, {
            ...query,
            mean: {
              kind: 'mean',
              name: 'laws/clipped',
              params: { clip: { ...trusting({ radius }) }, mechanism },
            },
          } satisfies MeanQuery);
        },
      };
    }),
});

export const i0d = defineMutant({
  id: 'curator/gradient-one-record-not-number-makes-answer',
  title: 'a NaN gradient of one record makes the answer NaN',
  kind: 'curator',
  source: 'I-0: NaN crosses; Re:cord-play, five libraries',
  killedBy: ['curator/one-bad-record'],
  within: 20,
  plant: () =>
    answering((answered, query, _inner, options) => {
      if (troubledRecord(options, query) >= 0 && isVector(answered.answer)) answered.answer.fill(Number.NaN);
      return answered;
    }),
});

export const i0e = defineMutant({
  id: 'curator/query-refused-row-value-record-spoils',
  title: 'the error of a query contains row and value of a record',
  kind: 'curator',
  source: 'I-0: InvalidData{row, column, value} crossing the boundary',
  killedBy: ['curator/one-bad-record'],
  within: 20,
  plant: () =>
    changed((inner, options) => ({
      answer(index, query) {
        const row = troubledRecord(options, query);
        if (row >= 0)
          throw new InvalidData(`the gradient of row ${row} is not finite`, {
            row,
            value: rowOf(options.data, row)[0],
          });
        return inner.answer(index, query);
      },
    })),
});

export const i0f = defineMutant({
  id: 'curator/plugin-throws-reads-record-crosses',
  title: 'an error that a plugin throws while it reads a record reaches the optimizer unchanged',
  kind: 'curator',
  source: 'I-0: throw outside validation',
  killedBy: ['curator/one-bad-record'],
  within: 100,
  plant: () =>
    changed((inner) => ({
      answer(index, query) {
        try {
          return inner.answer(index, query);
        } catch (error) {
          throw error instanceof LetheError && error.cause !== undefined ? error.cause : error;
        }
      },
    })),
});

export const i0g = defineMutant({
  id: 'curator/share-clipped-records-told-beside-answer',
  title: 'the answer includes the fraction of clipped records',
  kind: 'curator',
  source: 'I-0: metrics that cross unasked',
  killedBy: ['curator/only-mechanisms-tell'],
  within: 20,
  plant: () =>
    answering((answered, _query, _inner, { data }) => ({
      ...answered,
      clipped: data.norms.filter((norm) => norm > 1).length / data.slots,
    })),
});

export const i0h = defineMutant({
  id: 'curator/constant-computed-records-declared-public',
  title: 'the constant is computed from the records and declared public',
  kind: 'curator',
  source: 'I-0: provenance; diffprivlib and dpmm infer the domain from data',
  killedBy: ['curator/only-mechanisms-tell'],
  cell: 'mean, certificate, replace-one',
  within: 20,
  plant: () =>
    optioned((options) =>
      withData(options, (data) => ({
        facts: {
          ...data.facts,
          lipschitz: {
            value: Math.min(1e200, Math.max(1e-9, ...data.norms)),
            scope: 'every-record',
            provenance: 'declared',
          },
        },
      })),
    ),
});

export const i0i = defineMutant({
  id: 'curator/number-records-over-bound-digests-last-digit',
  title: 'the last digit of the digest is the number of records over the bound',
  kind: 'curator',
  source: 'I-0: counts that cross',
  killedBy: ['curator/entries', 'curator/resume', 'curator/digests'],
  within: 40,
  plant: () =>
    answering((answered, _query, _inner, { data }) => ({
      ...answered,
      digest: `${answered.digest.slice(0, -1)}${data.norms.filter((norm) => norm > 0.8).length % 10}`,
    })),
});

export const i0j = defineMutant({
  id: 'curator/records-clipped-median-norm-batch',
  title: 'records are clipped to the median norm of the batch',
  kind: 'curator',
  source: 'I-0: a hyper-parameter tuned on the same data',
  killedBy: ['curator/sensitivity', 'curator/only-mechanisms-tell'],
  within: 200,
  plant: () =>
    curatorOf((options) => {
      const all = options.data.norms.toSorted();
      const median = Math.min(1e200, all[all.length >> 1] || 1);
      const tuned = withPlugins<Clip>(options, 'clip', (clip) => ({
        radius: (params) => Math.min(clip.radius(params), median),
        isProjection: false,
        factor: null,
        clipInPlace: (params, vector) => {
          clip.clipInPlace(params, vector);
          const length = Math.hypot(...vector);
          if (length > median) for (let j = 0; j < vector.length; j++) vector[j] *= median / length;
        },
      }));
      return centralCurator(tuned);
    }),
});
