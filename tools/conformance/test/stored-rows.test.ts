import {
  Corrupt,
  memoryStore,
  seededRandom,
  Unsupported,
  type Batch,
  type NumberStore,
  type Query,
  type Ref,
  type StoredRows,
  type Stream,
  type Vector,
} from '@lethe/core';
import { to32Bits } from '@lethe/numerics';
import {
  attachData,
  attachStored,
  centralCurator,
  openLedger,
  type CentralCurator,
  type DataInput,
  type DataSet,
  type Ledger,
} from '@lethe/curator';
import { huber, logistic, losses, softmax, twoLayerPerceptron } from '@lethe/losses';
import {
  acceleratedGradient,
  coordinateMedianOfMeans,
  independentIncrements,
  l2BallDomain,
  l2Clip,
  mechanisms,
  poisson,
} from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { certified, exact, mean, within } from './queries.js';
import { noise } from './world.js';

const registry = [...mechanisms, ...losses];
const columns = 200;
/** More numbers than fit into the caches, and into the memory for rows that are read at once. */
const rows = 16_500;

const features = new Float64Array(rows * columns);
for (let i = 0, bits = 1; i < features.length; i++) {
  bits = (Math.imul(bits, 1_664_525) + 1_013_904_223) >>> 0;
  features[i] = (bits / 2 ** 32 - 0.5) / 5;
}
const signs = Float64Array.from({ length: rows }, (_, i) => (features[i * columns + 3] > 0 ? 1 : -1));
const classes = Float64Array.from({ length: rows }, (_, i) => i % 3);
const nulls = Uint8Array.from({ length: rows }, (_, i) => Number(i % 97 === 5));

/** A store in memory whose numbers a test can change. */
interface TestStore<Numbers extends Float64Array | Float32Array> extends NumberStore<Numbers> {
  readonly numbers: Numbers;
}
function storeOf(numbers: Float64Array): TestStore<Float64Array>;
function storeOf(numbers: Float32Array): TestStore<Float32Array>;
function storeOf(numbers: Float64Array | Float32Array): TestStore<Float64Array | Float32Array> {
  return {
    numbers,
    length: numbers.length,
    read: (at, into) => into.set(numbers.subarray(at, at + into.length)),
    write: (at, from) => numbers.set(from, at),
  };
}

interface Given extends Partial<Pick<DataInput, 'domain' | 'outside' | 'ledger'>> {
  readonly n?: number;
  readonly loss?: Ref<'loss'>;
  readonly labels?: Float64Array;
}

const common = ({ n = rows, loss = logistic({}), domain, outside, ledger }: Given) => ({
  nulls: nulls.slice(0, n),
  loss,
  registry,
  domain: domain ?? { featureNorm: 0.8, iterateNorm: 10 },
  outside: outside ?? ('clip' as const),
  ledger: ledger ?? openLedger({ adjacency: 'replace-one' }),
});
const inMemory = (given: Given = {}): DataSet => {
  const { n = rows, labels = signs } = given;
  return attachData({
    features: {
      data: features.slice(0, n * columns),
      rows: n,
      columns,
      offset: 0,
      rowStride: columns,
      columnStride: 1,
    },
    labels: labels.slice(0, n),
    ...common(given),
  });
};
function stored(given: Given = {}) {
  const { n = rows, labels = signs } = given;
  const stores = {
    features: storeOf(features.slice(0, n * columns)),
    labels: storeOf(labels.slice(0, n)),
  };
  const data = attachStored({
    features: { rows: n, columns, ...stores } satisfies StoredRows,
    ...common(given),
  });
  return { data, ...stores };
}

const curatorOf = (data: DataSet, run = 'run'): CentralCurator =>
  centralCurator({ data, registry, run, random: seededRandom('coins'), allowUnprotected: true });
const point = (length: number, scale: number): Vector =>
  Float64Array.from({ length }, (_, j) => scale * Math.sin(j + 1));
const at = point(columns, 0.3);
const other = point(columns, -0.2);

/** Answers of the same queries, as text that tells all bits. */
function answersOf(
  curator: CentralCurator,
  queries: (ask: <A>(query: Query) => A) => void,
): readonly string[] {
  const told: string[] = [];
  queries(<A>(query: Query): A => {
    const { answer, digest } = curator.answer(told.length, query);
    told.push(
      JSON.stringify([
        digest,
        ArrayBuffer.isView(answer) ? [...(answer as Float64Array)].map(String) : answer,
      ]),
    );
    return answer as A;
  });
  return told;
}
const same = (given: Given, queries: (ask: <A>(query: Query) => A, everyone: Batch) => void): void => {
  const of = (data: DataSet) => {
    const curator = curatorOf(data);
    return answersOf(curator, (ask) => queries(ask, curator.allRecords));
  };
  expect(of(stored(given).data)).toEqual(of(inMemory(given)));
};

const whole = stored();
const memory = inMemory();

describe('records that are kept outside memory', () => {
  test('give means, splits, draws, pushes and values bit for bit as those in memory do', () => {
    const asked = (data: DataSet) => {
      const curator = curatorOf(data);
      const { allRecords } = curator;
      return answersOf(curator, (ask) => {
        // Without noise, whose public grid hides the last bits.
        ask(mean(allRecords, at, exact(0.1)));
        ask(mean(allRecords, at, within(0.1)));
        ask(mean(allRecords, at, certified()));
        const pair = [
          { weight: 1, at },
          { weight: -0.75, at: other },
        ];
        ask({ ...mean(allRecords), of: { terms: pair }, ...exact(0.1) });
        const stretches = ask<readonly Batch[]>({
          ask: 'split',
          of: allRecords,
          order: 'stored',
          parts: { by: 'size', sizes: [301, 7_001, 1, 8_500] },
        });
        for (const batch of stretches) ask(mean(batch, at, exact(0.1)));
        const drawn = ask<Batch>({ ask: 'draw', sampler: poisson({ rate: 0.05 }), from: allRecords });
        ask(mean(drawn, other, exact(0.1)));
        ask({ ask: 'close', batch: drawn });
        const nobody = ask<Batch>({ ask: 'draw', sampler: poisson({ rate: 1e-9 }), from: allRecords });
        ask(mean(nobody, other));
        const [mixed] = ask<readonly Batch[]>({
          ask: 'split',
          of: allRecords,
          order: 'shuffled',
          parts: { by: 'size', sizes: [6_500] },
        });
        ask(mean(mixed, at, exact(0.1)));
        const stream = ask<Stream>({
          ask: 'open',
          prefixSum: independentIncrements({}),
          steps: 2,
          dimension: columns,
          bound: { by: 'clip', clip: l2Clip({ radius: 0.2 }) },
          noise: noise(1),
          participation: { times: 1, gap: 1 },
          normaliser: 1000,
        });
        ask({ ask: 'push', stream, of: { terms: [{ weight: 1, at }] }, batch: stretches[1] });
        ask({ ask: 'push', stream, of: { terms: pair }, batch: stretches[0], centre: point(columns, 0.01) });
        const value = { ask: 'value', at, batch: allRecords, noise: noise(1e-6) } as const;
        ask({ ...value, statistic: { of: 'risk' } });
        ask({ ...value, statistic: { of: 'risk-difference', reference: other } });
        ask({
          ...value,
          statistic: { of: 'gradient-norm', bound: { by: 'clip', clip: l2Clip({ radius: 1 }) } },
        });
      });
    };
    expect(asked(whole.data)).toEqual(asked(memory));
  });

  test('give descents, minimisers and means that go record by record', () => {
    same({ n: 2_500 }, (ask, everyone) => {
      const bound = { by: 'certificate', fact: 'lipschitz' } as const;
      const domain = l2BallDomain({ radius: 1 });
      ask({
        ask: 'descend',
        start: at,
        domain,
        batch: everyone,
        steps: [
          { count: 100, stepSize: 0.5, batchSize: 1 },
          { count: 2, stepSize: 0.5, batchSize: 1_200 },
        ],
        release: 'last',
        noiseOn: 'answer',
        bound,
        noise: noise(1),
      });
      ask({
        ask: 'minimiser',
        lambda: 1,
        centre: new Float64Array(columns),
        domain,
        batch: everyone,
        solver: acceleratedGradient({ iterations: 40 }),
        tolerance: 1e-2,
        bound,
        norm: 2,
        noise: noise(1),
      });
      ask({ ...mean(everyone, at), mean: coordinateMedianOfMeans({ groups: 7, limit: 1 }) });
    });
  });

  test.each([
    ['a loss whose sums have no kernel', { loss: huber({ width: 0.4 }), n: 6_000 }, columns],
    ['several outputs', { loss: softmax({ classes: 3 }), labels: classes, n: 13_000 }, 3 * columns],
    ['a loss that is not linear', { loss: twoLayerPerceptron({ hidden: 2 }), n: 300 }, 0],
  ])('give means of %s', (_what, given: Given, length) => {
    const { dimension } = stored({ ...given, n: 3 }).data;
    expect(length === 0 || dimension === length).toBe(true);
    same(given, (ask, everyone) => {
      ask(mean(everyone, point(dimension, 0.2), exact(0.3)));
      const drawn = ask<Batch>({ ask: 'draw', sampler: poisson({ rate: 0.3 }), from: everyone });
      ask(mean(drawn, point(dimension, -0.2), exact(0.3)));
    });
  });

  test('refuse means over chosen coordinates, before anything is charged', () => {
    const curator = curatorOf(whole.data, 'coordinates');
    const query = mean(curator.allRecords, at);
    expect(() =>
      curator.answer(0, { ...query, of: { ...query.of, coordinates: Uint32Array.of(1) } }),
    ).toThrow(Unsupported);
    expect(curator.recorded()).toBe(0);
  });

  test('are recognised by a ledger and a run of the same records in memory', () => {
    const store = memoryStore();
    const ledger = (): Ledger => openLedger({ adjacency: 'replace-one', store });
    const first = inMemory({ n: 100, ledger: ledger() });
    const query = (curator: CentralCurator): Query => mean(curator.allRecords, at);
    const curator = curatorOf(first);
    const { answer, digest } = curator.answer(0, query(curator));
    const again = stored({ n: 100, ledger: openLedger({ adjacency: 'replace-one', store }) });
    const resumed = curatorOf(again.data);
    resumed.replay(0, query(resumed), digest);
    expect(again.data.view).toEqual(first.view);
    const repeated = curatorOf(
      stored({ n: 100, ledger: openLedger({ adjacency: 'replace-one', store }) }).data,
    );
    expect(repeated.answer(0, query(repeated))).toEqual({ answer, digest });
    const changed = { n: 100, labels: signs.map((sign, i) => (i === 7 ? -sign : sign)) };
    expect(() => stored({ ...changed, ledger: ledger() })).toThrow(/other data/);
  });
});

describe('records of 32 bits that are kept outside memory', () => {
  // Odd numbers of numbers, so that a page ends with half a word.
  const [n, width] = [5_001, 301];
  const shape = { rows: n, columns: width };
  const data = Float32Array.from(features.subarray(0, n * width), to32Bits);
  const own = (ledger?: Ledger) => ({ ...common({ n }), ...(ledger === undefined ? {} : { ledger }) });
  const onDisk = (store: NumberStore<Float32Array>, ledger?: Ledger): DataSet =>
    attachStored({
      ...own(ledger),
      features: { ...shape, features: store, labels: storeOf(signs.slice(0, n)), precision: 32 },
    });
  const inMemory32 = (ledger?: Ledger): DataSet =>
    attachData({
      ...own(ledger),
      features: { ...shape, data: features, offset: 0, rowStride: width, columnStride: 1 },
      precision: 32,
      labels: signs.slice(0, n),
    });
  const at32 = point(width, 0.3);

  test('are the data set of the same records in memory, and give its answers bit for bit', () => {
    const store = memoryStore();
    const ledger = (): Ledger => openLedger({ adjacency: 'replace-one', store });
    const [disk, held] = [onDisk(storeOf(data.slice()), ledger()), inMemory32(ledger())];
    expect(disk.view).toEqual(held.view);
    const asked = (curator: CentralCurator) =>
      answersOf(curator, (ask) => {
        ask(mean(curator.allRecords, at32, exact(0.1)));
        for (const rate of [0.01, 0.4]) {
          const drawn = ask<Batch>({ ask: 'draw', sampler: poisson({ rate }), from: curator.allRecords });
          ask(mean(drawn, at32, exact(0.1)));
          ask({ ask: 'close', batch: drawn });
        }
      });
    expect(asked(curatorOf(disk))).toEqual(asked(curatorOf(inMemory32())));
  });

  test('are refused where one of them changed', () => {
    for (const place of [70_000, data.length - 1]) {
      const here = storeOf(data.slice());
      const curator = curatorOf(onDisk(here));
      here.numbers[place] = 9;
      expect(() => curator.answer(0, mean(curator.allRecords, at32))).toThrow(Corrupt);
    }
  });

  test('are refused with numbers that 32 bits cannot hold, and no rows have 16', () => {
    const large = storeOf(data.slice());
    large.numbers[width + 2] = Infinity;
    expect(() => onDisk(large)).toThrow(/row 1, column 2 is Infinity in 32 bits/);
    expect(() =>
      attachStored({
        ...own(),
        features: {
          ...shape,
          features: storeOf(data.slice()),
          labels: storeOf(signs.slice(0, n)),
          precision: 16 as never,
        },
      }),
    ).toThrow(/precision 16; it must be 32 or 64/);
  });
});

describe('records outside memory that change', () => {
  const n = 5_000;
  const ask = (curator: CentralCurator): unknown => curator.answer(0, mean(curator.allRecords, at));

  test.each([
    ['a number of theirs', ({ features: { numbers } }) => void numbers.fill(9, 70_000, 70_001)],
    ['a label of theirs', ({ labels: { numbers } }) => void (numbers[4_321] *= -1)],
    ['two pages of theirs, exchanged', ({ features: { numbers } }) => exchange(numbers, 2_048)],
  ] satisfies [string, (of: ReturnType<typeof stored>) => void][])(
    'by %s are refused, and answered once they are as they were',
    (_what, change) => {
      const here = stored({ n });
      const before = [here.features.numbers.slice(), here.labels.numbers.slice()];
      const curator = curatorOf(here.data);
      change(here);
      expect(() => ask(curator)).toThrow(Corrupt);
      expect(() => ask(curator)).toThrow(/outside memory.*Attach the data again/);
      expect(curator.recorded()).toBe(1);
      here.features.numbers.set(before[0]);
      here.labels.numbers.set(before[1]);
      expect(ask(curator)).toEqual(ask(curatorOf(inMemory({ n }))));
    },
  );

  test('between what is asked are refused in drawn batches too', () => {
    const here = stored({ n });
    const curator = curatorOf(here.data);
    const drawn = curator.answer(0, {
      ask: 'draw',
      sampler: poisson({ rate: 0.5 }),
      from: curator.allRecords,
    }).answer as Batch;
    here.features.numbers.fill(0);
    expect(() => curator.answer(1, mean(drawn, at))).toThrow(Corrupt);
  });

  test('and stores that fail are told apart from plugins, without the reason', () => {
    const here = stored({ n });
    const failing: StoredRows = {
      rows: n,
      columns,
      features: {
        ...here.features,
        read: (from, into) => {
          if (isLost) throw new Error('label of row 5 is 1');
          here.features.read(from, into);
        },
      },
      labels: here.labels,
    };
    let isLost = false;
    const curator = curatorOf(attachStored({ features: failing, ...common({ n }) }));
    isLost = true;
    expect(() => ask(curator)).toThrow(/^records that are kept outside memory .* resume the run\.$/);
  });
});

describe('attaching stored rows', () => {
  test('names the record that is wrong', () => {
    const bad = storeOf(features.slice());
    bad.numbers[12_345 * columns + 17] = NaN;
    expect(() =>
      attachStored({
        ...common({}),
        features: { rows, columns, features: bad, labels: storeOf(signs.slice()) },
      }),
    ).toThrow(/^row 12345, column 17 is NaN; every feature must be a finite number$/);
    const labels = storeOf(signs.slice());
    labels.numbers[11_111] = 0.5;
    expect(() =>
      attachStored({
        ...common({}),
        features: { rows, columns, features: storeOf(features.slice()), labels },
      }),
    ).toThrow(/label of row 11111 is 0.5/);
  });

  test('refuses stores of another length, labels beside them, and owners', () => {
    const few = {
      rows: 2,
      columns: 2,
      features: storeOf(new Float64Array(4)),
      labels: storeOf(signs.slice(0, 2)),
    };
    const { nulls: _, ...rest } = common({});
    expect(() => attachStored({ ...rest, features: { ...few, rows: 3 } })).toThrow(/store of 4 numbers; 6/);
    expect(() => attachStored({ ...rest, features: few, labels: signs.slice(0, 2) })).toThrow(Unsupported);
    const owners = { of: Uint32Array.of(0, 0), slots: 1, most: 2 };
    expect(() => attachStored({ ...rest, features: few, owners })).toThrow(Unsupported);
    expect(attachStored({ ...rest, features: few }).slots).toBe(2);
  });
});

function exchange(numbers: Float64Array, length: number): void {
  const first = numbers.slice(0, length);
  numbers.copyWithin(0, length, 2 * length);
  numbers.set(first, length);
}
