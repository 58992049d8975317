import { accountants, bestOf } from '@lethe/accountants';
import { BudgetExceeded, seededRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import {
  evaluateModel,
  modelFrom,
  prepareTraining,
  train,
  type ModelFile,
  type TrainingSchema,
} from '@lethe/train';
import { describe, expect, it } from 'vitest';

const data = Array.from({ length: 60 }, (_, i) => ({
  age: i % 13,
  size: (7 * i) % 11,
  plan: ['basic', 'plus', 'gold'][i % 3],
  spend: (5 * i) % 17,
}));
const columns: TrainingSchema['columns'] = {
  age: { type: 'number', lower: 0, upper: 12 },
  size: { type: 'number', lower: 0, upper: 10 },
};
const schema: TrainingSchema = {
  label: { type: 'classes', column: 'plan', classes: ['basic', 'plus', 'gold'] },
  columns,
};
const budget = { epsilon: 1, delta: 1e-4 };
const method = { name: 'dp-sgd', params: { steps: 2 } };
const model = await train({ data, schema, budget, method });

describe('what attacks on training and evaluation found', () => {
  it('a run that began with noise that can be drawn again stays a simulation', async () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const options = { data, budget, ledger, run: 'twice' };
    await evaluateModel(model, { ...options, secret: seededRandom('known to all') });
    const again = await evaluateModel(model, options);
    expect(again.privacy).toBe('simulation: no privacy');
  });

  it('so does a training whose quantile alone was drawn so', async () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const options = { data, schema, budget, method, clip: 'quantile' as const, ledger, run: 'half' };
    const pause = async (): Promise<void> => {
      throw new Error('killed');
    };
    const first = prepareTraining({ ...options, secret: seededRandom('known to all') });
    await expect(first.run({ pause })).rejects.toThrow('killed');
    expect(ledger.runs()).toEqual(['half', 'half/clip']);
    const { certificate } = await prepareTraining(options).run();
    expect(certificate.label).toBe('simulation: no privacy');
  });

  it('and a training of a given clip whose noise can be drawn again', async () => {
    const options = { data, schema, budget, method, clip: 1 };
    const { certificate } = await train({ ...options, secret: seededRandom('known to all') });
    expect(certificate.label).toBe('simulation: no privacy');
    expect((await train(options)).certificate.label).toBe('private');
  });

  it('a limit of just the budget has room for a quantile and what follows it', async () => {
    const limit = { ...budget, accountant: bestOf(accountants) };
    const ledger = openLedger({ adjacency: 'replace-one', limit });
    const { certificate } = await train({ data, schema, budget, method, clip: 'quantile', ledger });
    expect(certificate.epsilon.upper).toBeLessThanOrEqual(budget.epsilon);
    expect(certificate.dataset.runs).toHaveLength(2);
  });

  it('a limit without room for a quantile and what follows it opens neither', async () => {
    const limit = { ...budget, epsilon: 0.99, accountant: bestOf(accountants) };
    const ledger = openLedger({ adjacency: 'replace-one', limit });
    const options = { data, schema, budget, method, clip: 'quantile', ledger } as const;
    await expect(train(options)).rejects.toThrow(BudgetExceeded);
    expect(ledger.runs()).toEqual([]);
  });

  it('weights near the largest double end no evaluation on some records only', async () => {
    const weights = model.file.weights.map((_, i) => [1.7e308, -1.7e308, 1.7e308][i % 3]);
    const hostile = modelFrom({ ...model.file, weights });
    const { privacy } = await evaluateModel(hostile, { data, budget });
    expect(privacy).toBe('private');
  });

  it.each([
    ['no plan', {}, /plan/u],
    ['a plan for no loss', { ...model.file.plan, loss: { kind: 'mechanism', name: 'gaussian' } }, /loss/u],
    ['neighbours that no training has', { ...model.file.plan, adjacency: 'add-remove' }, /adjacency/u],
  ])('a model file with %s is no model', (_what, plan, rule) => {
    expect(() => modelFrom({ ...model.file, plan } as unknown as ModelFile)).toThrow(rule);
  });

  it('a model whose loss is not that of its label is not evaluated', async () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const plan = { ...model.file.plan, loss: { name: 'logistic', params: {} } };
    const other = modelFrom({ ...model.file, plan });
    await expect(evaluateModel(other, { data, budget, ledger })).rejects.toThrow(/does not fit/u);
    expect(ledger.runs()).toEqual([]);
  });

  it('a wrong domain, method or secret is refused before a record is read', () => {
    let reads = 0;
    const watched = data.map(
      (row) =>
        new Proxy(row, {
          get(of, name) {
            reads += 1;
            return Reflect.get(of, name) as unknown;
          },
        }),
    );
    const { bits32, gaussianInto } = seededRandom('a half');
    const twoClasses = {
      ...schema,
      label: { type: 'equals', column: schema.label.column, value: 'a' },
    } as const;
    const halfSecret = { bits32, gaussianInto } as ReturnType<typeof seededRandom>;
    const said = [
      [{ domain: { name: 'l2-bal' } }, /no domain named 'l2-bal'/u],
      [{ domain: { name: 'l2-ball', params: { radius: -1 } } }, /radius: is -1/u],
      [{ method: { name: 'dp-sdg' } }, /no optimizer named 'dp-sdg'/u],
      [{ secret: halfSecret }, /secret: must be a source/u],
      [
        { schema: twoClasses, loss: { name: 'hinge' }, method: { name: 'phased-erm' } },
        /'phased-erm' needs a loss that is smooth; 'hinge' does not declare it/u,
      ],
    ] as const;
    for (const [wrong, why] of said)
      expect(() => prepareTraining({ data: watched, schema, budget, method, ...wrong })).toThrow(why);
    expect(reads).toBe(0);
  });

  it('a ledger about other neighbours is refused before anything is spent', async () => {
    const ledger = openLedger({ adjacency: 'zero-out' });
    await expect(train({ data, schema, budget, method, ledger })).rejects.toThrow(/zero-out.*replace-one/u);
    await expect(evaluateModel(model, { data, budget, ledger })).rejects.toThrow(/zero-out.*replace-one/u);
    expect(ledger.runs()).toEqual([]);
  });
});
