import type { Json } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { experimentOf, type ExperimentShape } from './experiments.js';

const shape = (kind: ExperimentShape['kind']): ExperimentShape => ({
  kind,
  optimizers: [
    { name: 'still', params: fc.record({ steps: fc.constantFrom(1, 9) }, { noNullPrototype: true }) },
    { name: 'other' },
  ],
  losses: [{ name: 'squared' }],
  domains: [{ name: 'l2-ball', params: fc.constant({ radius: 1 }) }],
  data: [{ generate: { law: 'any' } }],
  lowerBounds: [{ name: 'bound' }],
  facts: ['lipschitz'],
  size: 50,
  seeds: 2,
});
const evaluations = fc.sample(experimentOf(shape('evaluation')), { seed: 1, numRuns: 500 });
const list = (value: Json | undefined): readonly { readonly [key: string]: Json }[] =>
  value as readonly { readonly [key: string]: Json }[];

describe('evaluations', () => {
  it('are JSON, with all required fields', () => {
    for (const file of evaluations) {
      expect(JSON.parse(JSON.stringify(file))).toEqual(file);
      expect(file).toMatchObject({ lethe: 1, kind: 'evaluation' });
      for (const field of ['name', 'title', 'problems', 'optimizers', 'budgets', 'seeds'])
        expect(file).toHaveProperty(field);
    }
  });
  it('name problems and optimizers distinctly', () => {
    for (const { problems, optimizers } of evaluations) {
      expect(new Set(list(problems).map(({ name }) => name)).size).toBe(list(problems).length);
      expect(new Set(list(optimizers).map(({ label }) => label)).size).toBe(list(optimizers).length);
    }
  });
  it.each(['about', 'adjacency', 'sizes', 'lowerBound'])('%s is optional', (field) =>
    expect(new Set(evaluations.map((file) => field in file)).size).toBe(2),
  );
  it('use all available names, and no others', () => {
    expect(
      new Set(evaluations.flatMap(({ optimizers }) => list(optimizers).map(({ name }) => name))),
    ).toEqual(new Set(['still', 'other']));
    expect(
      evaluations
        .flatMap(({ sizes }) => (sizes ?? []) as readonly number[])
        .every((size) => size >= 1 && size <= 50),
    ).toBe(true);
  });
  it('shrink to one of each', () => {
    const [file] = defined(
      fc.check(
        fc.property(experimentOf(shape('evaluation')), () => false),
        { seed: 1 },
      ).counterexample,
    );
    expect(file).toEqual({
      lethe: 1,
      kind: 'evaluation',
      name: 'experiment',
      title: 'An experiment',
      budgets: [{ epsilon: 1 }],
      seeds: { count: 1 },
      optimizers: [{ name: 'still', label: 'optimizer-1' }],
      problems: [
        {
          name: 'problem-1',
          title: 'A problem',
          data: { generate: { law: 'any' } },
          loss: { name: 'squared' },
          domain: { name: 'l2-ball' },
        },
      ],
    });
  });
});

it('releases name one of each', () => {
  for (const file of fc.sample(experimentOf(shape('release')), { seed: 1, numRuns: 100 })) {
    for (const field of ['problem', 'optimizer', 'budget']) expect(file[field]).toBeTypeOf('object');
    for (const field of ['problems', 'optimizers', 'budgets', 'seeds', 'lowerBound'])
      expect(file).not.toHaveProperty(field);
  }
});
