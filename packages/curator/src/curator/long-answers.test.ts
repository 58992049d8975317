import { ask, driveSync, type Answered, type Curator, type Vector } from '@lethe/core';
import { IncompatiblePlugins, seededRandom } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { descent, randomness, toyRun } from '../../../core/test/drive-world.js';
import { ball, clipped, gaussianNoise } from '../../test/mean-parts.js';
import { centralCurator } from './central.js';
import { attachData } from './data-set.js';
import { marginLoss } from '../../test/margin-loss.js';
import { openLedger } from '../ledger/index.js';

const columns = 5000;
const loss = marginLoss();
const registry = [loss, ball, clipped, gaussianNoise];
const ballRef = { kind: 'clip', name: 'ball', params: { radius: 1 } } as const;
const trusted = (): Curator<Answered> =>
  centralCurator({
    data: attachData({
      features: {
        rows: 2,
        columns,
        rowStarts: Uint32Array.of(0, 2, 3),
        columnIndices: Uint32Array.of(0, 4999, 7),
        values: Float64Array.of(1, 2, 3),
      },
      labels: Float64Array.of(1, -1),
      loss: loss({}),
      registry,
      ledger: openLedger({ adjacency: 'replace-one' }),
    }),
    registry,
    run: 'long',
    random: seededRandom('secret'),
  });
const twice = toyRun(
  function* ({ start, allRecords }) {
    const into = new Float64Array(columns);
    let answer: Vector = into;
    for (let asked = 0; asked < 2; asked++)
      answer = yield* ask.mean({
        at: start,
        batch: allRecords,
        mean: { kind: 'mean', name: 'clipped', params: { clip: ballRef } },
        target: { noiseMultiplier: 1 },
        into,
      });
    return answer;
  },
  { problem: { ...descent.problem, adjacency: 'replace-one', dimension: columns, slots: [2] } },
);
const run = (curator: Curator<Answered>): Vector =>
  driveSync(twice, curator, { start: new Float64Array(columns), random: randomness() }).output;
/** A curator that writes to what another one answers, from query `from` on. */
const altered = (inner: Curator<Answered>, from: number): Curator<Answered>['answer'] => {
  const { answer } = inner;
  return (index, query) => {
    const told = answer(index, query);
    if (index >= from) (told.answer as Float64Array)[4321] = NaN;
    return told;
  };
};

it('answers of a curator are the same whether they are read again or not', () => {
  const inner = trusted();
  const wrapped: Curator<Answered> = { ...inner, answer: (index, query) => inner.answer(index, query) };
  expect(run(wrapped)).toEqual(run(trusted()));
});

it.each([0, 1])('answer %i of a curator is refused when somebody wrote to it on the way', (from) => {
  const inner = trusted();
  expect(() => run({ ...inner, answer: altered(inner, from) })).toThrow(IncompatiblePlugins);
  const own = trusted();
  expect(() => run(Object.assign(own, { answer: altered(own, from) }))).toThrow(/not by a Float64Array/u);
});
