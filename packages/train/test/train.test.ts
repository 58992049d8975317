import { accountants, bestOf } from '@lethe/accountants';
import { BudgetExceeded, composedEvent, memoryStore, sameEvent, seededRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { parseCsv, squared } from '@lethe/losses';
import { l2BallDomain } from '@lethe/mechanisms';
import {
  evaluateModel,
  modelFrom,
  mostNoise,
  parseSchema,
  prepareTraining,
  readingOf,
  train,
  type Model,
  type Row,
  type TrainingOptions,
} from '@lethe/train';
import { describe, expect, it } from 'vitest';
import { columns, customers, labels } from './fixtures.js';

const data = customers(3000);
const budget = { epsilon: 2, delta: 1e-6 };
const secret = seededRandom('noise of tests');

const learnt = new Map<string, Promise<Model>>();
/** The model of a label, trained once for all who look at it. */
function modelOf(type: keyof typeof labels): Promise<Model> {
  const schema = { label: labels[type], columns };
  const model = learnt.get(type) ?? train({ data, schema, budget, secret, run: `learn/${type}` });
  learnt.set(type, model);
  return model;
}

describe('train', () => {
  it('takes data, schema and budget, and predicts', async () => {
    const schema = { label: labels.binary, columns };
    const model = await train({ data, schema, budget });
    const predictions = model.predict(customers(5, 'new'));
    expect(predictions.shape).toEqual([5]);
    expect([...predictions.data].every((p) => p > 0 && p < 1)).toBe(true);
    expect(model.weights.shape).toEqual([1, model.featureNames.length]);
    expect(model.certificate.label).toBe('private');
    expect(model.certificate.epsilon.upper).toBeLessThanOrEqual(budget.epsilon);
    expect(model.certificate.assumptions).toEqual(['real-arithmetic']);
  });

  it.each([
    ['binary', 'accuracy', 0.72],
    ['above', 'accuracy', 0.78],
    ['equals', 'accuracy', 0.6],
    ['classes', 'accuracy', 0.48],
    ['number', 'r2', 0.6],
    ['count', 'r2', 0.25],
  ] as const)(
    'learns a label of type %s: %s at least %d on held-out records',
    async (type, metric, least) => {
      const model = await modelOf(type);
      const { metrics, privacy, records } = await evaluateModel(model, { data, heldOut: true });
      expect(privacy).toBe('not private');
      expect(records).toBe(model.plan.heldOut);
      expect(metrics[metric]).toBeGreaterThan(least);
    },
  );

  it('learns of features in 32 bits where the schema says so, the quantile of its clip included', async () => {
    const seen = new Set<number>();
    const looking = {
      ...squared,
      name: 'looking',
      gradientInto: (...[params, out, at, record]: Parameters<typeof squared.gradientInto>) => {
        for (const x of record.features) seen.add(x);
        squared.gradientInto(params, out, at, record);
      },
    } as unknown as typeof squared;
    const given = {
      data: customers(30),
      budget,
      plugins: [looking],
      loss: { name: 'looking' },
      clip: 'quantile',
    } as const;
    const roundedIn = async (precision: 32 | undefined): Promise<boolean> => {
      seen.clear();
      const schema = { label: labels.number, columns, ...(precision === undefined ? {} : { precision }) };
      const { file } = await train({ ...given, schema });
      expect(file.schema).toMatchObject(schema);
      return [...seen].every((x) => Math.fround(x) === x);
    };
    expect([await roundedIn(32), await roundedIn(undefined)]).toEqual([true, false]);
  });

  it('plans within the budget where the first accountant asked has an answer just above it', () => {
    const { plan } = prepareTraining({
      data: customers(5000),
      schema: { label: labels.binary, columns },
      budget: { epsilon: 1, delta: 1e-6 },
      method: { name: 'dp-sgd', params: { steps: 1e8, rate: 0.25 } },
      clip: 1,
    });
    expect(plan.epsilon).toBeLessThanOrEqual(1);
  });

  it('bounds iterates by the longest point of the domain, and labels by the schema', () => {
    const bounds = new Set<string>();
    const facts: typeof squared.facts = (params, records) => {
      const { iterateNorm, labelBound } = records;
      if (iterateNorm !== undefined) bounds.add(`${iterateNorm.toFixed(6)} ${labelBound}`);
      return squared.facts(params, records);
    };
    const watched = { ...squared, name: 'watched', facts };
    for (const label of [labels.number, labels.count])
      prepareTraining({
        data: customers(50),
        schema: { label, columns },
        budget,
        loss: { name: 'watched', params: {} },
        plugins: [watched],
        domain: l2BallDomain({ radius: 3 }),
      });
    expect([...bounds]).toEqual(['3.000000 1', '3.000000 30']);
  });

  it('protects all that one owner has, in training, quantile and evaluation', async () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const owned = customers(600).map((row, i) => ({ ...row, who: `c${i % 200}` }));
    const schema = { label: labels.number, columns, owner: { column: 'who', most: 2 } };
    const model = await train({ data: owned, schema, budget, ledger });
    expect(model.plan.records).toBe(200);
    expect(model.certificate.unit).toBe('owner');
    expect(model.certificate.public[0]).toMatch(/which owners there are \('who'\).* 2 records/u);
    expect(ledger.unit?.()).toBe('owner');
    expect(modelFrom(model.toJSON()).certificate.unit).toBe('owner');
    const { certificate, records } = await evaluateModel(model, {
      data: owned,
      heldOut: true,
      budget,
      ledger,
    });
    expect(records).toBe(model.plan.heldOut);
    expect(certificate?.unit).toBe('owner');
    await expect(
      train({ data: owned, schema: { label: labels.number, columns }, budget, ledger }),
    ).rejects.toThrow(/one owner has spent, and these data are attached by record/u);
    const nobody = owned.map((row, i) => (i === 7 ? { ...row, who: ' ' } : row));
    await expect(train({ data: nobody, schema, budget })).rejects.toThrow(/record 8 has no 'who'/u);
  });

  it('charges everything it asks to one ledger, and its certificate adds it up', async () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const schema = { label: labels.number, columns };
    const training = prepareTraining({ data, schema, budget, ledger });
    const model = await training.run();
    const { certificate, plan } = model;
    expect(certificate.parts.map(({ what }) => what)).toEqual([
      'private quantile of gradient norms',
      'training by dp-sgd',
    ]);
    expect(ledger.runs()).toEqual([plan.run, `${plan.run}/clip`]);
    expect(sameEvent(ledger.total(), composedEvent(certificate.parts.map(({ event }) => event)))).toBe(true);
    const query = { adjacency: 'replace-one', delta: 1e-6, near: budget.epsilon } as const;
    const { upper } = bestOf(accountants).epsilon(ledger.total(), query);
    expect(certificate.dataset.epsilon.upper).toBe(upper);
    expect(certificate.epsilon.upper).toBe(upper);
    expect(certificate.epsilon.upper).toBe(plan.epsilon);
    expect(upper).toBeLessThanOrEqual(budget.epsilon);
    expect(upper).toBeGreaterThan(0.99 * budget.epsilon);
    const evaluation = await evaluateModel(model, { data, heldOut: true, budget: { epsilon: 1 }, ledger });
    expect(ledger.runs()).toHaveLength(3);
    expect(evaluation.certificate?.dataset.epsilon.upper).toBeGreaterThan(upper);
    expect(evaluation.certificate?.dataset.holds).toBe('fixed in advance');
  });

  it('keeps the limit of a ledger: what does not fit is refused, and nothing is spent', async () => {
    const limit = { epsilon: 1, delta: 1e-6, accountant: bestOf(accountants) };
    const ledger = openLedger({ adjacency: 'replace-one', limit });
    const schema = { label: labels.number, columns };
    await expect(train({ data, schema, budget, ledger })).rejects.toThrow(BudgetExceeded);
    expect(ledger.runs()).toEqual([]);
  });

  it('another design of the same records is charged to the same ledger; other records are refused', async () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const table = parseCsv('age,late,x\n20,no,1\n30,yes,2\n40,no,3\n', readingOf(parseSchema(small), true));
    const options = { schema: small, budget: { epsilon: 1, delta: 1e-3 }, ledger };
    await train({ ...options, data: table });
    await train({ ...options, data: table, method: { name: 'dp-sgd', params: { steps: 3 } } });
    expect(ledger.runs()).toHaveLength(2);
    const other = parseCsv('age,late,x\n21,no,1\n30,yes,2\n40,no,3\n', readingOf(parseSchema(small), true));
    await expect(train({ ...options, data: other })).rejects.toThrow(/other data/);
  });

  it('is a function of its run and the secret, and goes on where it stopped without a charge', async () => {
    const store = memoryStore();
    const schema = { label: labels.number, columns };
    const options: TrainingOptions = { data, schema, budget, run: 'twice', secret: seededRandom('twice') };
    const open = () => openLedger({ adjacency: 'replace-one', store });
    let queries = 0;
    const stopped = train(
      { ...options, ledger: open() },
      {
        signal: {
          throwIfAborted() {
            if (++queries > 40) throw new Error('stopped');
          },
        },
      },
    );
    await expect(stopped).rejects.toThrow('stopped');
    const ledger = open();
    const model = await train({ ...options, ledger });
    const whole = await train({ ...options, ledger: openLedger({ adjacency: 'replace-one' }) });
    expect(model.file.weights).toEqual(whole.file.weights);
    expect(ledger.runs()).toEqual(['twice', 'twice/clip']);
    expect(sameEvent(ledger.total(), whole.certificate.event)).toBe(true);
    expect(model.certificate.label).toBe('simulation: no privacy');
  });

  it('every part can be replaced', async () => {
    const model = await train({
      data,
      schema: { label: labels.number, columns },
      budget,
      loss: { name: 'huber', params: { width: 0.5 } },
      method: {
        name: 'one-record-sgd',
        params: { steps: 50, clipNorm: 1, stepSize: 0.5, noiseMultiplier: 8 },
      },
      domain: { name: 'l2-ball', params: { radius: 3 } },
      split: { heldOut: 0.5, key: 'mine' },
      adjacency: 'zero-out',
    });
    expect(model.plan).toMatchObject({
      method: 'one-record-sgd',
      clip: { by: 'method' },
      adjacency: 'zero-out',
    });
    expect(model.plan.heldOut).toBeGreaterThan(1300);
    expect(Math.hypot(...model.file.weights)).toBeLessThanOrEqual(3.0001);
  });
});

const small = {
  label: { type: 'classes', column: 'late', classes: ['no', 'yes'] },
  columns: { age: { type: 'number', lower: 18, upper: 90 } },
} as const;

describe('records', () => {
  const schema = { label: labels.binary, columns };

  it('missing values take the public fill; a record without a label counts for nothing', async () => {
    const options = { schema, budget, secret, run: 'nulls' };
    const gap = { ...data[7], age: null };
    const filled = { ...data[7], age: 54 };
    const weights = async (row: (typeof data)[number]) =>
      (await train({ ...options, data: data.with(7, row), split: { heldOut: 0 } })).file.weights;
    expect(await weights(gap)).toEqual(await weights(filled));
    const silent = await train({ ...options, data: data.map((row) => ({ ...row, late: null })) });
    const start = Math.hypot(...silent.file.weights);
    expect(start).toBeGreaterThan(0); // noise alone
    const moved = { ...data[7], late: null };
    const other = { ...moved, age: 20, city: 'Oslo' };
    expect(await weights(moved)).toEqual(await weights(other));
  });

  it('held-out records play no part in training', async () => {
    const options = { schema, budget, secret, run: 'held out' };
    const model = await train({ ...options, data });
    const changed = data.map((row, at) => (heldOut(at) ? { ...row, late: 'no', age: 18 } : row));
    expect((await train({ ...options, data: changed })).file.weights).toEqual(model.file.weights);
    const trained = data.map((row, at) => (heldOut(at) ? row : { ...row, late: 'no', age: 18 }));
    expect((await train({ ...options, data: trained })).file.weights).not.toEqual(model.file.weights);

    function heldOut(at: number): boolean {
      const random = seededRandom('split/lethe');
      let is = false;
      for (let k = 0; k <= at; k++) is = random.bits32() < 0.2 * 2 ** 32;
      return is;
    }
  });

  it('all mistakes are listed at once', () => {
    const bad = [
      { age: 'old', late: 'no', city: 'Rome', joined: 'noon' },
      { age: 3, late: 'yes', city: 7, joined: null },
    ];
    expect(() => prepareTraining({ data: bad, schema, budget })).toThrow(
      /record 1, column 'age': old is not a finite number\n[^]*column 'city': 7 is not a text\n[^]*column 'joined': noon is not a date[^]*record 2 has no 'joined'/u,
    );
    expect(() =>
      prepareTraining({
        data: [{ age: 1, late: 'maybe', city: 'Rome', joined: '2021-01-01' }],
        schema,
        budget,
      }),
    ).toThrow(/record 1, column 'late': maybe is none of the declared classes/u);
    const wrong = {
      label: { type: 'number', column: 'spend', lower: 5, upper: 5 },
      columns: {
        age: { type: 'number', lower: 90, upper: 18 },
        city: { type: 'category', levels: ['a', 'a'] },
      },
    } as const;
    expect(() => parseSchema(wrong)).toThrow(/label\.upper[^]*columns\.age\.upper[^]*columns\.city\.levels/u);
  });

  it('a loss that does not fit the label is refused', () => {
    expect(() => prepareTraining({ data, schema, budget, loss: { name: 'squared', params: {} } })).toThrow(
      "loss 'squared' with 1 output does not fit a label of type 'classes'; take logistic, hinge",
    );
  });
});

describe('a model', () => {
  it('is JSON that predicts the same, and is refused when it is damaged', async () => {
    const model = await modelOf('classes');
    const again = modelFrom(JSON.parse(JSON.stringify(model)));
    const rows = customers(20, 'more').map(({ age, city, joined }) => ({ age, city, joined }));
    expect(again.predict(rows)).toEqual(model.predict(rows));
    const probabilities = again.predict(rows);
    expect(probabilities.shape).toEqual([20, 3]);
    for (let i = 0; i < 20; i++)
      expect(probabilities.get(i, 0) + probabilities.get(i, 1) + probabilities.get(i, 2)).toBeCloseTo(1, 12);
    expect(again.labels(rows).every((label) => ['basic', 'plus', 'gold'].includes(String(label)))).toBe(true);
    const { file } = model;
    expect(() => modelFrom({ ...file, weights: file.weights.slice(1) })).toThrow(/weights has 20 numbers/u);
    expect(() => modelFrom({ ...file, format: 'other' } as never)).toThrow(/format/u);
    expect(() => model.predict([{ age: 1, city: 'Rome', joined: null }])).toThrow(
      /record 1 has no 'joined'/u,
    );
  });
});

describe('a private evaluation', () => {
  it.each(['binary', 'classes', 'number', 'count'] as const)(
    'comes near the exact one for %s',
    async (type) => {
      const model = await modelOf(type);
      const exact = (await evaluateModel(model, { data, heldOut: true })).metrics;
      const close = { data, heldOut: true, budget: { epsilon: 40, delta: 1e-6 }, secret, run: `e/${type}` };
      const { metrics, noise, privacy, certificate } = await evaluateModel(model, close);
      expect(privacy).toBe('simulation: no privacy');
      expect(certificate?.epsilon.upper).toBeLessThanOrEqual(40);
      for (const [name, spread] of Object.entries(noise ?? {}))
        expect(Math.abs((metrics as never)[name] - (exact as never)[name])).toBeLessThan(5 * spread + 0.01);
      if (type === 'binary') expect(metrics.auc).toBeCloseTo(exact.auc as number, 1);
    },
  );

  it('has the noise that it states', async () => {
    const model = await modelOf('binary');
    const errors: number[] = [];
    const exact = (await evaluateModel(model, { data })).metrics.accuracy as number;
    let stated = 0;
    for (let i = 0; i < 40; i++) {
      const { metrics, noise } = await evaluateModel(model, {
        data,
        budget: { epsilon: 1 },
        secret,
        run: `noise/${i}`,
      });
      errors.push((metrics.accuracy as number) - exact);
      stated = noise?.accuracy as number;
    }
    const spread = Math.sqrt(errors.reduce((sum, e) => sum + e * e, 0) / errors.length);
    // 40 squares of normal numbers: within these factors with probability 1 - 1e-5.
    expect(spread / stated).toBeGreaterThan(0.55);
    expect(spread / stated).toBeLessThan(1.6);
  });
});

describe('usual mistakes in code', () => {
  it('warns the owner of a schema that fits few records, and says so in no plan', () => {
    const schema = {
      label: { type: 'equals' as const, column: 'late', value: 'yess' },
      columns: {
        age: { type: 'number' as const, lower: 0, upper: 1 },
        city: { type: 'category' as const, levels: ['Rmoe', 'Oslo', 'Nice'] },
        sex: { type: 'category' as const, levels: ['f', 'm'] },
        time: { type: 'number' as const, lower: 0, upper: 1 },
      },
    };
    const few = Array.from({ length: 40 }, (_, i) => ({
      age: 20 + i,
      city: i % 4 === 0 ? 'Rome' : 'Oslo',
      sex: ['f', 'm', null][i % 3],
      time: null,
      late: i % 2 === 0 ? 'yes' : 'no',
    }));
    const { plan, warnings } = prepareTraining({ data: few, schema, budget: { epsilon: 0.1 } });
    expect(warnings()).toEqual([
      "column 'age': 40 of 40 values are outside its bounds 0 to 1, and count as the nearer bound",
      "column 'city': records lack values of its list; they have 'Rome' for 'Rmoe'",
      "column 'time' has no value in any record",
      "all 40 records have the same label by 'late': nothing can be learnt",
    ]);
    expect(JSON.stringify(plan)).not.toMatch(/Rome|40 of/u);
    expect(plan.noise).toBeGreaterThan(mostNoise);
  });

  it('suggests the separator of a file that was read into one column', () => {
    const schema = { label: labels.binary, columns };
    expect(() => prepareTraining({ data: parseCsv('age;late\n1;yes\n'), schema, budget })).toThrow(
      /no column 'age', and the table has one column alone; .* delimiter: ";"/u,
    );
  });

  const schema = { label: labels.binary, columns };
  const options = { data, schema, budget: { epsilon: 1 } };

  it.each([
    [
      'a label that no record has',
      { schema: { ...schema, label: { ...labels.binary, column: 'lat' } } },
      /is 'late' meant/u,
    ],
    [
      'a method by its name alone',
      { method: 'adam' as unknown as undefined },
      /method: must be an object.*'adam'/u,
    ],
    [
      'a loss by its name alone',
      { loss: 'hinge' as unknown as undefined },
      /loss: must be an object.*'hinge'/u,
    ],
    [
      'misspelt options and what is none, all at once',
      {
        budgett: { epsilon: 1 },
        budget: undefined as unknown as TrainingOptions['budget'],
        method: { name: 'dp-sgd', parms: {} } as { readonly name: string },
        clip: -1,
      },
      /budget: is missing[^]*method: there is no key 'parms'; write 'params'[^]*clip[^]*'budgett'; write 'budget'/u,
    ],
    ['no options', { data: undefined, schema: undefined } as never, /data: must be.*schema: is missing/u],
    [
      'a name like that of a column that the record lacks',
      { data: [...data, { ag: 3, late: 'no', city: 'Rome', joined: '2021-01-01' }] },
      /record 3001 has 'ag' and no 'age'/u,
    ],
    [
      'a training that would not end',
      { method: { name: 'dp-sgd', params: { steps: 1e12 } } },
      /passes over the 3000 records.*give fewer steps/u,
    ],
    ['rows without names', { data: [[1, 2]] as unknown as Row[] }, /data: must be a table/u],
  ])('refuses %s', async (_, wrong, message) => {
    await expect(train({ ...options, ...wrong })).rejects.toThrow(message);
  });

  it('refuses what is no model, and misspelt options of evaluations and runs', async () => {
    const model = await train({ ...options, data: data.slice(0, 300) });
    await expect(evaluateModel(model.toJSON() as never, { data })).rejects.toThrow(/give modelFrom/u);
    const misspelt = { data, budgt: { epsilon: 1 } };
    await expect(evaluateModel(model, misspelt)).rejects.toThrow(/'budgt'; write 'budget'/u);
    await expect(train(options, { signl: 1 } as object)).rejects.toThrow(/'signl'; write 'signal'/u);
    expect(() => model.predict([{ ag: 3, city: 'Rome', joined: null }])).toThrow(/is 'ag' meant/u);
  });
});
