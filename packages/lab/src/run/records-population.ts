import { createHash } from 'node:crypto';
import {
  domainAt,
  InvalidParameter,
  iterateDimensionOf,
  regulariserAt,
  resolvePlugin,
  seededRandom,
  Unsupported,
  type Loss,
  type NonPrivateOptimum,
  type Ref,
  type Registry,
  type Vector,
} from '@lethe/core';
import { attachData, openLedger, type DataSet } from '@lethe/curator';
import { defined, sampleWithoutReplacement, type CsrMatrix, type Domain } from '@lethe/numerics';
import { averageRisk, nonPrivateOptimum, selectRows, type LabelledRows } from '@lethe/losses';
import type { Evaluation, SampledSpec } from '../experiment/schema.js';
import { copyOf, precisionIn } from './layout.js';
import { loadRecords } from './load.js';
import type { Records, Tables } from './records.js';
import type { Drawable, Population, SharedRecords } from './population.js';
import { publicProblem } from './problem.js';
import { startOf } from './start-of.js';
import { testScorer } from './test-score.js';

/** Records of a table or of a generator; every seed learns from a sample of them. */
export async function recordsPopulation(
  spec: SampledSpec,
  experiment: Evaluation,
  {
    registry,
    folder,
    tables,
    shared,
  }: {
    readonly registry: Registry;
    readonly folder: string;
    readonly tables: Tables;
    readonly shared?: SharedRecords | undefined;
  },
): Promise<Population> {
  const loaded = shared === undefined ? await loadRecords(spec, folder, { tables }) : null;
  const all = shared?.records ?? defined(loaded);
  const { records, held } = split(all, experiment.heldOut, spec.name);
  const { rows, columns } = records;
  const loss = resolvePlugin<Loss>(registry, { kind: 'loss', ...spec.loss });
  const dimension = iterateDimensionOf(loss, columns);
  let known = shared?.optimum;
  const optimum = (domain: Domain): SharedRecords['optimum'] => {
    const { regulariser } = spec;
    const added =
      regulariser === undefined ? {} : { regulariser: regulariserAt(registry, regulariser, dimension) };
    return (known ??= unlessUnsupported(() => nonPrivateOptimum(loss, records, domain, added)));
  };
  const recordsKey = async (): Promise<string> => {
    if (shared !== undefined) return shared.recordsKey;
    const { file, sha256 } = await defined(loaded).source();
    return file === undefined ? sha256 : createHash('sha256').update(file.digest).digest('hex');
  };
  const describe: Population['describe'] = (n, _budget, trust) =>
    publicProblem(spec, {
      registry,
      adjacency: experiment.adjacency,
      n,
      columns,
      rowNorm: records.rowNorm,
      columnBounds: records.columnBounds,
      sparsity: records.sparsity,
      trust,
    });
  return {
    dimension,
    featureNames: records.featureNames,
    records: rows,
    recordsKey,
    describe,
    async share() {
      const { source: _source, ...plain } = defined(loaded);
      const shareable = inSharedMemory(plain);
      if (shareable === null) return null;
      return {
        records: shareable,
        recordsKey: await recordsKey(),
        optimum: optimum(domainOf(spec, dimension, registry)),
      };
    },
    open(): Drawable {
      const domain = domainOf(spec, dimension, registry);
      const { regulariser } = spec;
      const added = regulariser === undefined ? null : regulariserAt(registry, regulariser, dimension);
      const found = optimum(domain);
      const start = startOf(loss, columns, domain);
      const least = 'why' in found ? 0 : found.risk;
      const excessRisk = (w: Vector): number =>
        averageRisk(loss, records, w) + (added?.value(w) ?? 0) - least;
      const {
        record: { columns: _, ...bounds },
      } = describe(1, experiment.budgets[0], { model: 'central' });
      const startExcess = excessRisk(start);
      const test = held === null ? undefined : testScorer(loss, held);
      const heldOut =
        test === undefined || held === null
          ? {}
          : {
              heldOut: {
                records: held.rows,
                optimum: 'why' in found ? null : test(found.point),
                start: test(start),
              },
            };
      let last: { readonly key: string; readonly data: DataSet } | undefined;
      return {
        ...('why' in found
          ? { optimum: null, withoutOptimum: found.why }
          : { optimum: { risk: found.risk, point: [...found.point] } }),
        ...heldOut,
        draw(n, _budget, seed) {
          const key = `${n}/${seed}`;
          if (last?.key !== key)
            last = {
              key,
              data: sampleData(records, n, `sample/${experiment.name}/${spec.name}/${key}`, {
                spec,
                bounds,
                registry,
                adjacency: experiment.adjacency,
              }),
            };
          return { data: last.data, start, startExcess, excessRisk, test };
        },
      };
    },
  };
}

/** An optimum, or the reason why none is known. */
function unlessUnsupported(find: () => NonPrivateOptimum): NonPrivateOptimum | { readonly why: string } {
  try {
    return find();
  } catch (error) {
    if (error instanceof Unsupported) return { why: error.message };
    throw error;
  }
}

/** @throws {InvalidParameter} for more records than the table has. */
export function assertEnough({ records }: Population, sizes: readonly number[], name: string): void {
  const tooMany = records === null ? undefined : sizes.find((n) => n > records);
  if (tooMany !== undefined)
    throw new InvalidParameter(`sizes asks for ${tooMany} records, problem '${name}' has ${records}`, {
      n: tooMany,
      population: records,
    });
}

/** The domain of a problem. */
export const domainOf = (
  { domain }: { readonly domain: Omit<Ref<'domain'>, 'kind'> },
  dimension: number,
  registry: Registry,
): Domain => domainAt(registry, domain, dimension);

/** The point of a domain nearest to zero. */
export const startIn = (domain: Domain): Vector =>
  domain.projectInto(new Float64Array(domain.dimension), new Float64Array(domain.dimension));

interface Attach {
  readonly spec: SampledSpec;
  readonly bounds: NonNullable<Parameters<typeof attachData>[0]['domain']>;
  readonly registry: Registry;
  readonly adjacency: Evaluation['adjacency'];
}

type PlainRecords = SharedRecords['records'];

/** The records that are learnt from, and the last ones, which are held out. */
function split(
  all: PlainRecords,
  count: number | undefined,
  problem: string,
): { readonly records: PlainRecords; readonly held: LabelledRows | null } {
  if (count === undefined) return { records: all, held: null };
  const { rows } = all;
  if (count >= rows)
    throw new InvalidParameter(
      `heldOut is ${count}, problem '${problem}' has ${rows} records; hold fewer out`,
      { heldOut: count, rows },
    );
  return {
    records: { ...all, ...part(all, 0, rows - count) },
    held: part(all, rows - count, rows),
  };
}

/** Some of the records, one after another; dense ones are not copied. */
function part(
  { features, labels, labelWidth, columns }: PlainRecords,
  from: number,
  to: number,
): LabelledRows {
  const shared = { rows: to - from, columns, labels: labels.subarray(from * labelWidth, to * labelWidth) };
  if (!('rowStarts' in features))
    return { ...shared, features: features.subarray(from * columns, to * columns) };
  const chosen = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  return { ...shared, features: selectRows(features, chosen) };
}

/** Labels of the chosen records, one after another. */
function labelsOf(
  { labels, labelWidth }: Pick<Records, 'labels' | 'labelWidth'>,
  chosen: Uint32Array,
): Float64Array {
  const out = new Float64Array(chosen.length * labelWidth);
  chosen.forEach((row, i) => {
    out.set(labels.subarray(row * labelWidth, (row + 1) * labelWidth), i * labelWidth);
  });
  return out;
}

/** A sample of the population, without replacement. */
function sampleData(
  records: PlainRecords,
  n: number,
  seedLabel: string,
  { spec, bounds, registry, adjacency }: Attach,
): DataSet {
  const chosen = sampleWithoutReplacement(seededRandom(seedLabel), records.rows, n);
  return attachData({
    features: copyOf(records, chosen, spec.data.layout),
    ...precisionIn(spec.data),
    labels: labelsOf(records, chosen),
    loss: { kind: 'loss', ...spec.loss },
    registry,
    domain: bounds,
    outside: 'clip',
    ledger: openLedger({ adjacency }),
  });
}

/** Records whose features threads share: sparse ones are copied once; `null` for others elsewhere. */
function inSharedMemory<R extends LabelledRows>(records: R): R | null {
  const { features } = records;
  if (!('rowStarts' in features)) return features.buffer instanceof SharedArrayBuffer ? records : null;
  const { rowStarts, columnIndices, values } = features;
  const shared = (entries: number, size: number): SharedArrayBuffer => new SharedArrayBuffer(entries * size);
  const copied: CsrMatrix = {
    ...features,
    rowStarts: new Float64Array(shared(rowStarts.length, Float64Array.BYTES_PER_ELEMENT)),
    columnIndices: new Uint32Array(shared(columnIndices.length, Uint32Array.BYTES_PER_ELEMENT)),
    values: new Float64Array(shared(values.length, Float64Array.BYTES_PER_ELEMENT)),
  };
  copied.rowStarts.set(rowStarts);
  copied.columnIndices.set(columnIndices);
  copied.values.set(values);
  return { ...records, features: copied };
}
