import { defined, permutation } from '@lethe/numerics';
import { seededRandom, type Adjacency, type NumberStore } from '@lethe/core';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { experimentSchema, type Release } from '../src/experiment/schema.js';
import { loadRecords } from '../src/run/load.js';
import { publicOrder } from '@lethe/train';
import { recordsOfRelease, type ReleaseRecords } from '../src/run/release-records.js';
import { labFolder } from './support/lab-folder.js';
import { differenceOf, type Used } from './support/neighbours.js';
import { formats, type Row } from './support/tables.js';

const folder = labFolder();
afterAll(() => {
  folder.remove();
});

interface Setting {
  readonly adjacency: Adjacency;
  readonly format: string;
  readonly size: number;
  readonly shuffle: number;
  readonly layout: 'rows' | 'columns';
  readonly drops: boolean;
  readonly inMemory?: boolean;
}

/** A release that reads a number, a category, an instant and a label, each by an encoding of its own. */
const releaseOf = (
  { adjacency, size, shuffle, layout, drops, inMemory = true }: Setting,
  file: string,
): Release =>
  experimentSchema.parse({
    lethe: 1,
    kind: 'release',
    name: 'a',
    title: 'A',
    adjacency,
    size,
    budget: { epsilon: 1 },
    optimizer: { name: 'dp-sgd' },
    problem: {
      name: 'p',
      title: 'P',
      loss: { name: 'squared' },
      domain: { name: 'l2-ball', params: { radius: 1 } },
      data: {
        file,
        shuffle,
        layout,
        inMemory,
        read: {
          columns: { x: 'number', c: 'text', t: 'time', y: 'number' },
          ...(drops ? { missing: 'drop-row' } : {}),
        },
        design: {
          features: [
            { column: 'x', encoding: 'scale', lower: -5, upper: 5 },
            { column: 'x', encoding: 'bins', edges: [-1, 1] },
            { column: 'c', encoding: 'one-hot', levels: ['a', 'b'] },
            { column: 't', part: 'hour', encoding: 'cyclic' },
            { column: 't', part: 'weekday', encoding: 'scale', lower: 0, upper: 6 },
          ],
          label: { column: 'y', threshold: 0 },
        },
      },
    },
  }) as Release;

const usedOf = ({ features, labels, rows, columns, nulls, n }: DenseRecords): Used => ({
  n,
  rows: Array.from(
    { length: rows },
    (_, i) => `${[...features.subarray(i * columns, (i + 1) * columns)].join(' ')} | ${labels[i]}`,
  ).filter((_, i) => nulls?.[i] !== 1),
});

type Loader = (experiment: Release, folder: string) => Promise<ReleaseRecords>;
type DenseRecords = Extract<ReleaseRecords, { readonly features: Float64Array }>;
/** The designs of these tests are dense. */
const dense = (records: ReleaseRecords): DenseRecords => records as DenseRecords;

const numbers = [-7, -1, 0, 0.5, 3, 9];
const row = (drops: boolean): fc.Arbitrary<Row> =>
  fc.record({
    x: drops ? fc.constantFrom(null, ...numbers) : fc.constantFrom(...numbers),
    c: fc.constantFrom('a', 'b', 'never declared'),
    t: fc.constantFrom('2001-01-01T06:55', '1969-12-31', '2020-02-29T23:59:59'),
    y: fc.constantFrom(-1, 0, 2),
  });

/** A table and its neighbour, in a setting: one record taken away, or another in its place. */
const neighbours = fc
  .record({
    adjacency: fc.constantFrom<Adjacency>('replace-one', 'add-remove', 'zero-out'),
    format: fc.constantFrom(...Object.keys(formats)),
    shuffle: fc.nat(1000),
    layout: fc.constantFrom('rows' as const, 'columns' as const),
    share: fc.double({ min: 0.01, max: 1, noNaN: true }),
    drops: fc.boolean(),
  })
  .chain(({ share, drops: mayDrop, ...setting }) => {
    const drops = mayDrop && setting.adjacency === 'add-remove';
    return fc
      .tuple(fc.array(row(drops), { minLength: 1, maxLength: 40 }), fc.nat(), row(drops))
      .map(([rows, at, other]) => {
        const place = at % rows.length;
        const near = setting.adjacency === 'add-remove' ? rows.toSpliced(place, 1) : rows.with(place, other);
        return {
          rows,
          near,
          setting: {
            ...setting,
            drops,
            size: setting.adjacency === 'add-remove' ? 17 : Math.max(1, Math.floor(share * rows.length)),
          },
        };
      });
  });

let files = 0;
/** What tells a loader's records of two neighbouring files apart, beyond one record. */
async function difference(
  load: Loader,
  setting: Setting,
  rows: readonly Row[],
  near: readonly Row[],
): Promise<string | null> {
  const [a, b] = (await Promise.all(
    [rows, near].map(async (some) => {
      const name = `${files++}.${setting.format}`;
      folder.write(name, formats[setting.format](some));
      return usedOf(dense(await load(releaseOf(setting, name), folder.path)));
    }),
  )) as [Used, Used];
  return differenceOf(a, b, setting.adjacency);
}
const holdsFor = (load: Loader, options: { readonly endOnFailure?: boolean } = {}): Promise<void> =>
  fc.assert(
    fc.asyncProperty(neighbours, async ({ rows, near, setting }) => {
      expect(await difference(load, setting, rows, near)).toBeNull();
    }),
    { numRuns: 200, seed: 14, ...options },
  );

describe('the records that a release uses', () => {
  test('differ by the one record in which two files differ, in every format, under every adjacency', () =>
    holdsFor(recordsOfRelease));

  test('are all records under add-remove, fewer and more than the public guess', async () => {
    for (const count of [1, 5, 40]) {
      const rows = Array.from({ length: count }, (_, i): Row => ({
        x: i / 10,
        c: 'a',
        t: '2001-01-01',
        y: i % 2,
      }));
      folder.write('all.csv', formats['csv'](rows));
      const used = await recordsOfRelease(
        releaseOf(
          { adjacency: 'add-remove', format: 'csv', size: 17, shuffle: 1, layout: 'rows', drops: false },
          'all.csv',
        ),
        folder.path,
      );
      expect([used.rows, used.n]).toEqual([count, 17]);
    }
  });

  test.each(Object.keys(formats))(
    'are one null record under add-remove where a %s file has none',
    async (format) => {
      folder.write(`none.${format}`, formats[format]([]));
      const setting: Setting = {
        adjacency: 'add-remove',
        format,
        size: 17,
        shuffle: 1,
        layout: 'rows',
        drops: false,
      };
      const { rows, nulls, labels, features, n } = dense(
        await recordsOfRelease(releaseOf(setting, `none.${format}`), folder.path),
      );
      expect([rows, nulls, [...labels], new Set(features), n]).toEqual([
        1,
        Uint8Array.of(1),
        [0],
        new Set([0]),
        17,
      ]);
      await expect(
        recordsOfRelease(releaseOf({ ...setting, adjacency: 'replace-one' }, `none.${format}`), folder.path),
      ).rejects.toThrow(/no record/u);
    },
  );

  test('are the same in the same order where they are kept outside memory', () =>
    fc.assert(
      fc.asyncProperty(
        neighbours.filter(({ setting: { format } }) => ['csv', 'tsv', 'parquet'].includes(format)),
        async ({ rows, setting }) => {
          const name = `${files++}.${setting.format}`;
          folder.write(name, formats[setting.format](rows));
          const of = (inMemory: boolean) =>
            recordsOfRelease(releaseOf({ ...setting, layout: 'rows', inMemory }, name), folder.path);
          const memory = dense(await of(true));
          const used = await of(false);
          if (!('stored' in used)) {
            // Every record was dropped: one null record stands for the file.
            expect(used).toMatchObject({ rows: 1, nulls: memory.nulls });
            return;
          }
          const { rows: count, columns, stored, n } = used;
          const [features, labels] = [new Float64Array(count * columns), new Float64Array(count)];
          (stored.features as NumberStore).read(0, features);
          stored.labels.read(0, labels);
          used.close();
          expect(usedOf({ ...memory, rows: count, columns, features, labels, n })).toEqual(usedOf(memory));
          expect([used.rowNorm, used.columnBounds]).toEqual([memory.rowNorm, memory.columnBounds]);
          expect(await used.source().then(({ sha256, file }) => [sha256, file])).toEqual(
            await memory.source().then(({ sha256, file }) => [sha256, file]),
          );
        },
      ),
      { numRuns: 60, seed: 14 },
    ));

  test('are as many as size says under replace-one and zero-out, and no more than there are', async () => {
    folder.write(
      'few.csv',
      formats['csv'](Array.from({ length: 9 }, (_, i): Row => ({ x: i, c: 'a', t: '2001-01-01', y: 1 }))),
    );
    for (const adjacency of ['replace-one', 'zero-out'] as const) {
      const of = (size: number): Promise<ReleaseRecords> =>
        recordsOfRelease(
          releaseOf({ adjacency, format: 'csv', size, shuffle: 1, layout: 'rows', drops: false }, 'few.csv'),
          folder.path,
        );
      expect((await of(4)).n).toBe(4);
      expect((await of(9)).rows).toBe(9);
      await expect(of(10)).rejects.toThrow(/size asks for 10 records, the data have 9/u);
    }
  });

  /** What was wrong before, and mistakes that would be as bad. */
  const all = (
    spec: Release['problem'],
    where: string,
    orderOf: (rows: number) => Uint32Array | undefined,
  ): ReturnType<typeof loadRecords> => loadRecords(spec, where, { orderOf, allowEmpty: true });
  test.each<[string, Loader]>([
    [
      'takes the first of an order that depends on how many there are',
      async ({ problem, size }, where) => ({
        ...(await all(problem, where, (rows) =>
          permutation(seededRandom(`order/${problem.data.shuffle}`), rows).slice(0, size),
        )),
        n: defined(size),
      }),
    ],
    [
      'takes the first in stored order',
      async ({ problem, size }, where) => ({
        ...(await all(problem, where, (rows) =>
          Uint32Array.from({ length: Math.min(rows, defined(size)) }, (_, i) => i),
        )),
        n: defined(size),
      }),
    ],
    [
      'takes those with the least keys',
      async ({ problem, size }, where) => ({
        ...(await all(problem, where, (rows) => publicOrder(1, rows, Math.min(rows, defined(size))))),
        n: defined(size),
      }),
    ],
    [
      'divides by the number of records',
      async (experiment, where) => {
        const records = await recordsOfRelease(experiment, where);
        return { ...records, n: records.rows };
      },
    ],
    [
      'takes them in an order by value',
      async (experiment, where) => {
        const records = dense(await recordsOfRelease(experiment, where));
        const { columns, features } = records;
        const order = Uint32Array.from({ length: records.rows }, (_, i) => i).toSorted(
          (i, j) => features[i * columns + 1] - features[j * columns + 1],
        );
        return {
          ...records,
          features: Float64Array.from(
            { length: features.length },
            (_, k) => features[order[Math.floor(k / columns)] * columns + (k % columns)],
          ),
          labels: records.labels.map((_, i) => records.labels[order[i]]),
        };
      },
    ],
    [
      'fills a gap by the mean of the others',
      async (experiment, where) => {
        const records = dense(await recordsOfRelease(experiment, where));
        const { columns, features, rows } = records;
        const mean = features.reduce((sum, value, k) => (k % columns === 1 ? sum + value : sum), 0) / rows;
        return {
          ...records,
          features: features.map((value, k) => (k % columns === 1 && value === 0 ? mean : value)),
        };
      },
    ],
  ])('and the law finds a loader that %s', async (_name, load) => {
    await expect(holdsFor(load, { endOnFailure: true })).rejects.toThrow(/Property failed/u);
  });
});

describe('a public order', () => {
  test('has every position once, and one record more changes it for no others', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31), fc.integer({ min: 1, max: 300 }), (seed, rows) => {
        const order = publicOrder(seed, rows);
        const longer = publicOrder(seed, rows + 1);
        expect(order.toSorted()).toEqual(Uint32Array.from({ length: rows }, (_, i) => i));
        expect(longer.filter((position) => position < rows)).toEqual(order);
      }),
    );
  });

  test('puts every position first equally often', () => {
    const counts = new Float64Array(8);
    for (let seed = 0; seed < 8000; seed++) counts[publicOrder(seed, 8)[0]] += 1;
    const chiSquared = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    // With 7 degrees of freedom chance goes beyond 46 less than once in ten million times.
    expect(chiSquared).toBeLessThan(46);
  });
});

describe('what a release may not leave to the records', () => {
  const refused = (
    read: object | undefined,
    adjacency: Adjacency = 'replace-one',
    more: object = {},
  ): string => {
    const setting: Setting = { adjacency, format: 'csv', size: 4, shuffle: 1, layout: 'rows', drops: false };
    const { read: _, ...data } = releaseOf(setting, 'a.csv').problem.data as { read?: unknown };
    const content = {
      ...releaseOf(setting, 'a.csv'),
      problem: {
        ...releaseOf(setting, 'a.csv').problem,
        data: { ...data, ...more, ...(read === undefined ? {} : { read }) },
      },
    };
    return (
      experimentSchema
        .safeParse(content)
        .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('\n') ?? 'accepted'
    );
  };
  const columns = { x: 'number', c: 'text', t: 'time', y: 'number' };
  test('is which columns it reads, and of what type', () => {
    expect(refused(undefined)).toMatch(/problem\.data\.read\.columns: a release names the columns/u);
    expect(refused({ delimiter: ';' })).toMatch(/names the columns/u);
    expect(refused({ columns })).toBe('accepted');
  });
  test('is which slots there are; under add-remove and for owners, how many is too many', () => {
    expect(refused({ columns, missing: 'drop-row' })).toMatch(/cannot drop records/u);
    expect(refused({ columns, missing: 'drop-row' }, 'zero-out')).toMatch(/cannot drop records/u);
    expect(refused({ columns, missing: 'drop-row' }, 'add-remove')).toBe('accepted');
    expect(refused({ columns, maxRows: 50 }, 'add-remove')).toMatch(/leave maxRows out/u);
    expect(refused({ columns, maxRows: 50 })).toBe('accepted');
    expect(refused({ columns, maxRows: 50 }, 'replace-one', { owner: { column: 'c' } })).toMatch(
      /where owners are protected.*leave maxRows out/u,
    );
    expect(refused({ columns, allowEmpty: true })).toMatch(/allowEmpty/u);
  });
});
