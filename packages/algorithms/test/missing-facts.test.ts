import { MissingFact, seededRandom, type Calibrate, type Fact, type Optimizer } from '@lethe/core';
import { logistic, losses } from '@lethe/losses';
import { mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { expect, test } from 'vitest';
import { optimizers } from '../src/index.js';

const declared: Fact = { value: 1, scope: 'every-record', provenance: 'declared' };
/** Plans are not run, and need no noise that is enough. */
const calibrate: Calibrate = () => ({
  value: 1,
  achieved: { lower: 0, upper: 1, certificate: 'exact', method: 'none', assumptions: [] },
});

/** The facts that planning on an unbounded domain says are missing. */
function missingOf(optimizer: Optimizer, params: unknown, facts: readonly string[]): readonly string[] {
  try {
    optimizer.prepare({
      problem: {
        adjacency: optimizer.adjacencies[0],
        trust: { model: 'central' },
        dimension: 4,
        slots: [1000],
        domain: wholeSpaceDomain({}),
        loss: logistic({}),
        capabilities: { ...logistic.capabilities, smooth: true, lipschitz: true },
        facts: Object.fromEntries(facts.map((name) => [name, declared])),
      },
      params,
      registry: [...mechanisms, ...losses, ...optimizers],
      budget: { epsilon: 1, delta: 1e-6 },
      calibrate,
      random: seededRandom(1),
    });
  } catch (error) {
    if (error instanceof MissingFact) return error.missing;
  }
  return [];
}

const central = optimizers.filter(({ trustModels }) => trustModels.includes('central'));

/** Facts that are read once the noise is known: a plan that is tried without them ends before. */
const afterNoise: Readonly<Record<string, readonly string[]>> = {
  'one-record-sgd': ['diameter'],
  'localized-noisy-clipped-subgradient': ['uniformGradientMoment.4'],
  'localized-strongly-convex': ['uniformGradientMoment.4'],
  'heavy-tailed-gradient-descent': ['gradientMoment.2'],
  'output-perturbation': ['startDistance'],
};

test('facts that an optimizer lacks are named at once', () => {
  const counts = central.map((optimizer) => {
    const params = optimizer.params.safeParse({}).success ? {} : optimizer.examples?.[0];
    const missing = missingOf(optimizer, params, []);
    expect(missingOf(optimizer, params, missing), optimizer.name).toEqual(afterNoise[optimizer.name] ?? []);
    return missing.length;
  });
  expect(counts.filter((count) => count > 2).length).toBeGreaterThan(8);
});
