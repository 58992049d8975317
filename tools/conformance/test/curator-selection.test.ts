import {
  defineSelector,
  freeEvent,
  IncompatiblePlugins,
  memoryStore,
  seededRandom,
  type Query,
  type Vector,
} from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import { permuteAndFlip, reportNoisyMax, staircase } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { asker, within, zero } from './queries.js';
import { registry, world, type World } from './world.js';

const domain = { featureNorm: 3, labelBound: 11, iterateNorm: 8 };
const good = Float64Array.of(3, 0, -3);
const choice = (here: World, selector: ReturnType<typeof permuteAndFlip>, epsilon = 1e4): Query => ({
  ask: 'choose',
  candidates: { by: 'list', points: [zero, good] },
  statistic: { of: 'risk' },
  batch: here.curator.allRecords,
  selector,
  target: { epsilon },
});

describe('selectors in a curator', () => {
  test.each([permuteAndFlip({}), reportNoisyMax({ noise: 'laplace' })])(
    '$name chooses, and its own event is charged, stored and read back',
    (selector) => {
      const store = memoryStore();
      const here = world({ domain, store });
      expect([...asker(here)<Vector>(choice(here, selector))]).toEqual([...good]);
      const spent = {
        kind: 'lethe/pure-choice',
        v: 1,
        epsilon: 1e4,
        sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
      };
      expect(here.curator.spent()).toEqual(spent);
      expect(world({ domain, store, run: 'another' }).ledger.total()).toEqual(spent);
    },
  );

  test('plain references work as well', () => {
    const here = world({ domain });
    expect([
      ...asker(here)<Vector>(
        choice(here, { kind: 'selector', name: 'report-noisy-max', params: { noise: 'gumbel' } }),
      ),
    ]).toEqual([...good]);
    expect(registry.filter(({ kind }) => kind === 'selector')).toHaveLength(3);
  });
});

test('a selector that says that it costs nothing chooses nothing', () => {
  const { kind: _, ...honest } = permuteAndFlip;
  const lying = defineSelector({ ...honest, name: 'lying', event: () => freeEvent });
  const here = world({ domain });
  const curator = centralCurator({
    data: here.data,
    registry: [...registry, lying],
    run: 'lied to',
    random: seededRandom('coins'),
  });
  expect(() => curator.answer(0, choice({ ...here, curator }, lying({})))).toThrow(/costs nothing/u);
  expect(curator.spent()).toEqual(freeEvent);
});

describe('staircase noise in a curator', () => {
  const noise = { mechanism: staircase({ epsilon: 0.5 }), target: { epsilon: 1, delta: 0 } };

  test('is charged by steps on a single number', () => {
    const here = world({ domain });
    expect(
      Number.isFinite(
        asker(here)<number>({
          ask: 'value',
          statistic: { of: 'risk' },
          at: zero,
          batch: here.curator.allRecords,
          noise,
        }),
      ),
    ).toBe(true);
    expect(here.curator.spent()).toMatchObject({ kind: 'lethe/staircase', epsilon: 0.5, scale: 0.5 });
  });

  test('is refused on a vector', () => {
    const here = world();
    expect(() =>
      here.curator.answer(0, {
        ask: 'mean',
        of: { terms: [{ weight: 1, at: zero }] },
        batch: here.curator.allRecords,
        ...within(1, noise),
      }),
    ).toThrow(IncompatiblePlugins);
    expect(here.curator.recorded()).toBe(0);
  });
});
