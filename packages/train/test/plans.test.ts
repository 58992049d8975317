import { accountants, bestOf, calibrator, gdp } from '@lethe/accountants';
import { gaussianEvent, InvalidParameter, seededRandom } from '@lethe/core';
import { openLedger } from '@lethe/curator';
import { evaluateModel, prepareTraining, train } from '@lethe/train';
import { expect, it } from 'vitest';
import { columns, customers, labels } from './fixtures.js';

const data = customers(300);
const budget = { epsilon: 2 };
const secret = seededRandom('plans');
/** Few steps, so that a training takes no time. */
const method = { name: 'dp-sgd', params: { steps: 3, rate: 1, stepSize: 0.5 } };

it('a quantile takes its share of the squared noise, and the noise of a whole mean is in units of a gradient', () => {
  for (const [adjacency, moved] of [
    ['replace-one', 2],
    ['zero-out', 1],
  ] as const) {
    const { plan } = prepareTraining({
      data,
      schema: { label: labels.number, columns },
      budget,
      method,
      adjacency,
    });
    // Gaussian noise on a mean that takes the whole budget.
    const { value } = calibrator([gdp])({
      make: (sigma) => gaussianEvent(sigma, { [adjacency]: moved / 2 ** Number(moved === 2) }),
      target: plan.budget,
      adjacency,
      direction: 'larger-is-private',
    });
    if (plan.clip.by !== 'quantile') throw new Error('no quantile');
    expect(plan.clip.noiseMultiplier / (value / Math.sqrt(0.03))).toBeCloseTo(1, 3);
    // Rows of one bounded number, a category and a circle: gradients are at most as long as rows.
    expect(plan.clip.largest).toBeCloseTo(Math.sqrt(plan.features > 6 ? 4 : 3), 6);
    const kept = plan.records - plan.heldOut;
    expect(plan.noise).toBeCloseTo(((moved * value) / kept) * Math.sqrt(plan.features), 3);
  }
});

it('counts of gradients are in bins up to the largest slope of a count, and of a number', () => {
  const largest = (label: typeof labels.number | typeof labels.count): number => {
    const { plan } = prepareTraining({ data, schema: { label, columns }, budget, method });
    return plan.clip.by === 'quantile' ? plan.clip.largest : Number.NaN;
  };
  // At the origin the slope is 1 − y for counts up to 30, and −y for numbers within ±1.
  expect(largest(labels.count) / largest(labels.number)).toBeCloseTo(29, 9);
});

it('a certificate adds up the ledger, with every condition', async () => {
  const ledger = openLedger({ adjacency: 'replace-one' });
  const options = { data, schema: { label: labels.binary, columns }, budget, method, ledger, secret };
  const first = await train({ ...options, run: 'first' });
  const second = await train({ ...options, run: 'second' });
  const { epsilon, dataset, assumptions, event } = second.certificate;
  const query = { adjacency: 'replace-one', delta: 1e-6, near: 2 } as const;
  expect(dataset.epsilon.upper).toBe(bestOf(accountants).epsilon(ledger.total(), query).upper);
  expect(dataset.epsilon.upper).toBeGreaterThan(1.2 * epsilon.upper);
  expect(dataset.runs).toEqual(['first', 'second']);
  expect(first.certificate.dataset.runs).toEqual(['first']);
  const needed = bestOf(accountants).epsilon(event, query).assumptions;
  expect(needed.length).toBeGreaterThan(0);
  expect(assumptions).toEqual(expect.arrayContaining([...needed]));
});

it('an evaluation of held-out records is of those of the training, and its δ is that of all of them', async () => {
  const schema = { label: labels.binary, columns };
  const model = await train({ data, schema, budget, method, secret, run: 'evaluated' });
  for (const other of [data.slice(1), [...data, data[0]]])
    await expect(evaluateModel(model, { data: other, heldOut: true })).rejects.toThrow(InvalidParameter);
  const silent = data.map((row, i) => (i % 2 === 0 ? { ...row, late: null } : row));
  const exact = await evaluateModel(model, { data: silent });
  expect(exact.records).toBe(150);
  const alone = (await evaluateModel(model, { data: data.filter((_, i) => i % 2 === 1) })).metrics;
  expect(exact.metrics.accuracy).toBe(alone.accuracy);
  expect(exact.metrics.loss).toBeCloseTo(alone.loss ?? Number.NaN, 12);
  const { certificate, records, metrics } = await evaluateModel(model, {
    data: silent,
    budget: { epsilon: 1000 },
    secret,
    run: 'silent',
  });
  expect(certificate?.delta).toBe(1e-6);
  // Records without a label count, and add nothing.
  expect(records).toBe(300);
  expect(metrics.accuracy).toBeCloseTo((exact.metrics.accuracy ?? 0) / 2, 1);
});
