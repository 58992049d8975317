import { optimizers } from '@lethe/algorithms';
import { seededRandom, type Calibrate, type Optimizer } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { auditCase } from '../src/audit/audit-case.js';
import { casesOf } from '../src/audit/standard-cases.js';
import { registry } from '../src/registry.js';

/** Some noise, found at once; the certificate is that of the event which it makes. */
const calibrate: Calibrate = () => ({
  value: 3,
  achieved: { lower: 0, upper: 1, certificate: 'estimate', method: 'none', assumptions: [] },
});

/**
 * An audit plants its record by a loss of its own, and runs of a selection are planned for that of their
 * problem.
 */
const notFollowed = new Set(['boosted']);
const [followed, others] = [true, false].map((is) =>
  (optimizers as readonly Optimizer[]).filter(({ name }) => notFollowed.has(name) !== is),
);

/** Answers that an audit does not use, as the guide says: what comes of several steps before the noise. */
const leftOut: ReadonlyMap<string, readonly string[]> = new Map([['snowball-sgd', ['descend']]]);

test('selections have no audit', () => {
  expect(others.map(casesOf)).toEqual([[]]);
});

describe.each(followed.map((optimizer) => [optimizer.name, optimizer] as const))('%s', (_name, optimizer) => {
  const cases = casesOf(optimizer);

  test('has an audit under every adjacency and in every model of trust that it declares', () => {
    const models = optimizer.trustModels.filter((model) => model === 'central' || model === 'shuffle');
    const wanted = optimizer.adjacencies.flatMap((adjacency) =>
      models
        .filter((model) => !(model === 'shuffle' && adjacency === 'add-remove'))
        .map((model) => `${adjacency} ${model}`),
    );
    expect(new Set(cases.map(({ problem: { adjacency, trust } }) => `${adjacency} ${trust.model}`))).toEqual(
      new Set(wanted),
    );
  });

  // Thousands of runs, at night, say whether a certificate is too small.
  test('is audited: its ledger is as planned, and what its answers tell is followed', async () => {
    const audited = await auditCase(cases[0], {
      registry,
      calibrate,
      runs: 30,
      profilePoints: 0,
      falseAlarm: 1e-8,
      random: seededRandom(`shipped ${optimizer.name}`),
    });
    expect(audited).toMatchObject({ passed: true, ledgerMatchesPlan: true, verdict: { holds: true } });
    expect(defined(audited).unheard).toEqual(leftOut.get(optimizer.name) ?? []);
    // Answers are followed, or every run would come out alike.
    expect(
      defined(audited).tradeOff.some(
        ({ falseAlarms, hits }) => falseAlarms > 0 && falseAlarms < 1 && hits > 0,
      ),
    ).toBe(!leftOut.has(optimizer.name));
  });
});
