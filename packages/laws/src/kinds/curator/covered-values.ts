import type { Adjacency, Mechanism, Noise, Query } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, refusals, unlessRefused } from './outcomes.js';
import { clipTo, multiplier, noiseOf, probesUnder, type Probe } from './probes.js';
import { ball, meanWithin, mechanismNamed, standIns } from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const rows = [
  [1, 0, 0],
  [0, 1, 0],
];
const noiseBy = (name: 'whole' | 'single'): Noise => ({
  mechanism: mechanismNamed(name),
  target: { noiseMultiplier: multiplier },
});

/**
 * Releases of real values with noise proved for integers, and of several entries with noise proved for one.
 */
const uncovered = ({ allRecords, data }: Fixture): readonly (readonly [string, Query])[] => {
  const at = new Float64Array(data.dimension);
  const mean = (name: 'whole' | 'single', coordinates?: Uint32Array): Query => ({
    ask: 'mean',
    of: { terms: [{ weight: 1, at }], ...(coordinates === undefined ? {} : { coordinates }) },
    batch: allRecords,
    mean: meanWithin(clipTo(), mechanismNamed(name)),
    target: noiseBy(name).target,
  });
  return [
    ['a mean with noise proved for integers', mean('whole')],
    ['a mean with noise proved for single numbers', mean('single')],
    ['a mean of two coordinates with noise proved for single numbers', mean('single', Uint32Array.of(0, 2))],
    [
      'a mean of three entries through a clip of two',
      {
        ask: 'mean',
        of: { terms: [{ weight: 1, at }] },
        batch: allRecords,
        mean: meanWithin({ by: 'clip', clip: ball(1, 'pair-ball') }, mechanismNamed('gaussian')),
        target: noiseOf('gaussian').target,
      },
    ],
    [
      'a norm with noise proved for whole numbers',
      {
        ask: 'value',
        statistic: { of: 'gradient-norm', bound: clipTo() },
        at,
        batch: allRecords,
        noise: noiseBy('whole'),
      },
    ],
  ];
};

export const coveredValues = defineLaw({
  id: 'curator/covered-values',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-8',
  statement:
    'Noise and clips are used only on values they are proved for: integer noise on real values, ' +
    'scalar noise on vectors, noise for an ℓ1 sensitivity on vectors bounded in ℓ2, and clips on gradients ' +
    'of another length are refused before anything is charged; a single number is noised by scalar noise.',
  power: 'an answer or a charge for any of five such releases, or for a vector under noise of another norm',
  cells: underEach,
  check: (subject, env) => firstOf(coverings(subject, defined(env.cell.adjacency))),
});

/** Gaussian noise that declares a sensitivity in ℓ1. */
const ofAnotherNorm: Mechanism = {
  ...(standIns().find(({ name }) => name === 'laws/gaussian') as Mechanism),
  name: 'laws/gaussian',
  norm: 'l1',
};

/** Every release with noise of another norm, but for single numbers, which are as long in each. */
function* acrossNorms(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const opened = ({ fixture }: Probe, plugins: readonly Mechanism[]): Fixture =>
    openFixture(subject, { ...fixture, rows, adjacency, plugins });
  for (const probe of probesUnder(adjacency)) {
    if (probe.release(opened(probe, []), 'gaussian').length === 1) continue;
    const fixture = opened(probe, [ofAnotherNorm]);
    const what = `"${probe.name}", bounded in l2, with noise for a sensitivity in l1`;
    yield unlessRefused(what, () => probe.release(fixture, 'gaussian'), refusals);
    const { kind } = fixture.curator.spent();
    yield kind === 'core/free' ? undefined : { what: `${what} was charged` };
  }
}

function* coverings(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const count = uncovered(openFixture(subject, { rows, adjacency })).length;
  for (let k = 0; k < count; k++) {
    const fixture = openFixture(subject, { rows, adjacency });
    const [what, query] = uncovered(fixture)[k];
    yield unlessRefused(what, () => fixture.ask(query), refusals);
    yield fixture.curator.recorded() === 0 ? undefined : { what: `${what} was charged` };
  }
  const fixture = openFixture(subject, { rows, adjacency });
  const share: Query = {
    ask: 'value',
    statistic: { of: 'gradient-norm-beyond', radius: 1 },
    at: new Float64Array(3),
    batch: fixture.allRecords,
    noise: noiseBy('single'),
  };
  yield typeof fixture.ask(share) === 'number'
    ? undefined
    : { what: 'a single number with scalar noise is not answered by a number' };
  yield* acrossNorms(subject, adjacency);
}
