import { plainLoops, Unsupported, type Batch, type Query } from '@lethe/core';
import { boxDomain, mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';
import { publicCoins } from '../../test/support/problems.js';
import { context, problem } from '../../test/support/logistic.js';
import { dpFedAvg } from './dp-fedavg.js';

type Params = Parameters<typeof dpFedAvg.prepare>[0]['params'];
const box = { lower: [-0.5, -0.4], upper: [0.5, 0.6] };
const given = { rounds: 3, rate: 0.5, localStep: 0.1, clipNorm: 0.8, noiseMultiplier: 2 };
const prepare = (params: Params, slots: readonly number[] = [10]) =>
  dpFedAvg.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ dimension: 2, slots, domain: boxDomain(box) }),
    params,
  });

const updates = [
  [0.4, 0.1],
  [0.3, -0.9],
  [-0.2, 0.7],
];
const beyond = [0.9, 0.2, 0.35];

/** What a run asks, where updates and shares of long ones are those above, and where it ends. */
function played(params: Params) {
  const run = prepare(params);
  const asked: Query[] = [];
  const program = run.steps({
    ...plainLoops(),
    allRecords: { id: 'all', normaliser: 10 } as Batch,
    start: new Float64Array(2),
    random: publicCoins,
  });
  const count = (ask: Query['ask']): number => asked.filter((query) => query.ask === ask).length;
  let step = program.next(null as never);
  while (step.done !== true) {
    const query = structuredClone(step.value);
    asked.push(query);
    const answers = {
      draw: { id: `batch ${count('draw')}` },
      localUpdate: Float64Array.from(updates[count('localUpdate') - 1] ?? []),
      value: beyond[count('value') - 1],
      close: null,
    };
    step = program.next(answers[query.ask as keyof typeof answers] as never);
  }
  return { asked, output: [...step.value] };
}
const clamped = (point: readonly number[]): number[] =>
  point.map((one, j) => Math.min(box.upper[j], Math.max(box.lower[j], one)));

describe('dpFedAvg', () => {
  it.each(['last', 'all'] as const)('is its listing, with the average %s', (average) => {
    const own = { serverStep: 1.5, fullRecords: 4, meanWeight: 0.75, epochs: 2, batchSize: 3, average };
    const { asked, output } = played({ ...given, ...own });
    expect(asked.map(({ ask }) => ask)).toEqual(
      [1, 2, 3].flatMap(() => ['draw', 'localUpdate', 'close'] as const),
    );
    let x = [0, 0];
    const points = updates.map((update) => {
      const local = { epochs: 2, batchSize: 3, stepSize: 0.1 };
      expect(asked.shift()).toMatchObject({ sampler: { name: 'poisson', params: { rate: 0.5 } } });
      expect(asked.shift()).toMatchObject({
        from: Float64Array.from(x),
        local: { ...local, domain: { name: 'box' } },
        fullRecords: 4,
        target: { noiseMultiplier: 2 },
        mean: { params: { clip: { params: { radius: 0.8 } } } },
      });
      asked.shift();
      return (x = clamped(x.map((one, j) => one + (1.5 / 0.75) * update[j])));
    });
    const mean = [0, 1].map((j) => points.reduce((sum, point) => sum + point[j] / 3, 0));
    expect(output).toEqual((average === 'all' ? mean : x).map((one) => expect.closeTo(one, 12)));
  });

  it('follows a quantile, and both answers of a round cost what one of the planned noise does', () => {
    const { asked, output } = played({ ...given, quantile: 0.6, quantileRate: 0.3, countRatio: 5 });
    let [x, clipNorm] = [[0, 0], 0.8];
    for (const [t, update] of updates.entries()) {
      const [, localUpdate, value] = asked.splice(0, 4) as unknown as readonly {
        readonly mean: {
          readonly params: { readonly clip: { readonly params: { readonly radius: number } } };
        };
        readonly target: { readonly noiseMultiplier: number };
        readonly statistic: { readonly radius: number };
        readonly at: Float64Array;
        readonly noise: { readonly target: { readonly noiseMultiplier: number } };
      }[];
      expect(localUpdate.mean.params.clip.params.radius).toBeCloseTo(clipNorm, 12);
      expect(value.statistic.radius).toBeCloseTo(clipNorm, 12);
      expect([...value.at]).toEqual(x);
      const noises = [localUpdate.target.noiseMultiplier, value.noise.target.noiseMultiplier];
      expect(noises[1]).toBe(10);
      expect(noises.reduce((sum, one) => sum + one ** -2, 0)).toBeCloseTo(1 / 4, 12);
      clipNorm *= Math.exp(-0.3 * (1 - beyond[t] - 0.6));
      x = clamped(x.map((one, j) => one + update[j]));
    }
    expect(output).toEqual(x);
  });

  it('refuses rates at which a silo expects nobody, and weights where all slots count the same', () => {
    expect(() => prepare({ ...given, rate: 0.09 })).toThrow(Unsupported);
    expect(prepare({ ...given, rate: 0.1 }).plan.utility).toBeNull();
    expect(() => prepare({ ...given, meanWeight: 0.5 })).toThrow(/without fullRecords all slots count 1/u);
    const silos = dpFedAvg.prepare.bind(null, {
      registry: mechanisms,
      ...context,
      problem: problem({
        slots: [100, 5],
        trust: { model: 'federated', silos: 2, server: 'untrusted' },
      }),
      params: { ...given, rate: 0.1 },
    });
    expect(silos).toThrow(/a silo of 5 slots/u);
  });
});
