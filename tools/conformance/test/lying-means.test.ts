import {
  ask,
  defineMean,
  freeEvent,
  IncompatiblePlugins,
  InvalidParameter,
  seededRandom,
  type CentralMean,
  type MeanQuery,
  type Vector,
} from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import { clippedMean, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import { losses } from '@lethe/losses';
import { describe, expect, it } from 'vitest';
import { world, dimension } from './world.js';

const { kind: _, ...honest } = clippedMean;
type Clipped = CentralMean<typeof clippedMean.params>;

/** The answer of a curator with a clipped mean that is changed, and what it is charged. */
function answered(lie: Partial<Omit<Clipped, 'kind'>>) {
  const lying = defineMean({ ...honest, ...lie, name: 'lying' } as Omit<Clipped, 'kind'>);
  const registry = [...mechanisms, ...losses, lying];
  const { data } = world();
  const curator = centralCurator({ data, registry, run: 'lied to', random: seededRandom('coins') });
  const asked = ask.mean({
    at: new Float64Array(dimension),
    batch: curator.allRecords,
    mean: lying({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
    target: { noiseMultiplier: 1 },
  });
  const query = asked.next().value as MeanQuery;
  const answer = (index = 0): Vector => curator.answer(index, query).answer as Vector;
  return { answer, spent: () => curator.spent() };
}

describe('a curator refuses, before anything is spent, a mean', () => {
  it.each<readonly [string, Partial<Omit<Clipped, 'kind'>>, new (...args: never[]) => Error, RegExp]>([
    ['that costs nothing', { event: () => freeEvent }, IncompatiblePlugins, /costs nothing/u],
    ['without an event', { event: () => undefined as never }, IncompatiblePlugins, /is undefined/u],
    [
      'with a text for a sensitivity',
      { linear: () => null, sensitivity: () => ({ 'replace-one': '1' }) as never },
      InvalidParameter,
      /is a string/u,
    ],
    [
      'whose records move it by more than it says',
      { sensitivity: () => ({ 'replace-one': 0.1, 'zero-out': 0.05 }) },
      IncompatiblePlugins,
      /less than 2 · radius/u,
    ],
    [
      'whose answer is longer than a gradient',
      {
        linear: () => null,
        begin(params, shape, random) {
          const run = clippedMean.begin(params, shape, random);
          return { ...run, finish: (noised) => new Float64Array(noised.length + 1) };
        },
      },
      IncompatiblePlugins,
      /answers 4 entries about gradients of 3/u,
    ],
  ])('%s', (_title, lie, type, message) => {
    const { answer, spent } = answered(lie);
    expect(answer).toThrow(type);
    expect(answer).toThrow(message);
    expect(spent()).toEqual(answered({}).spent());
  });
  it('that is honest it answers', () => {
    expect(answered({}).answer()).toHaveLength(dimension);
  });
});

it('a value that is longer where records are is no signal', () => {
  const { answer } = answered({
    linear: () => null,
    begin(params, shape, random) {
      const run = clippedMean.begin(params, shape, random);
      let count = 0;
      return {
        add(slot, gradient) {
          count += 1;
          run.add(slot, gradient);
        },
        value: () => new Float64Array(shape.dimension + count),
        finish: (noised) => noised,
      };
    },
  });
  expect(answer()).toHaveLength(dimension);
});

it('an event that its plugin changes once it was looked at is not charged in its place', () => {
  for (const isOfMean of [true, false]) {
    const told: { kind: string }[] = [];
    const kept = <T extends { kind: string }>(event: T): T => {
      const own = { ...event };
      told.push(own);
      return own;
    };
    const { answer, spent } = answered(
      isOfMean
        ? { event: (_params, noise) => kept(noise) as never }
        : {
            event(_params, noise) {
              told.push(noise);
              return noise;
            },
          },
    );
    answer(0);
    for (const event of told)
      try {
        for (const name of Object.keys(event)) delete (event as Record<string, unknown>)[name];
        Object.assign(event, freeEvent);
      } catch {
        // A frozen event is what it was.
      }
    answer(1);
    expect(spent()).toMatchObject({ kind: 'core/compose', parts: [{ count: 2 }] });
  }
});
