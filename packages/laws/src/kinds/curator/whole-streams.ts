import type { Adjacency, CoreEvent, OpenQuery, Query, Stream, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, under, type Fixture } from './fixture.js';
import { firstOf, muSquared, refusals, unlessRefused } from './outcomes.js';
import { multiplier } from './probes.js';
import { ball, gridBall, mechanismNamed, offGridBall, prefixSum } from './stand-ins/index.js';

const dimension = 3;
const steps = 4;
const spacing = 0.125;
const radius = 0.75;
const slots = 3;
const one = [0.3, -0.2, 0.05];
/** One record in steps of the grid. */
const rounded = [2, -2, 0];

export const wholeStream = defineLaw({
  id: 'curator/whole-streams',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'A stream with whole noise adds records that its clip has rounded to a grid, and fresh whole noise of ' +
    'scale multiplier × √steps × sensitivity of one release on each running sum, in steps of the grid; ' +
    'it is charged at its opening as so many releases. It is refused without a grid, with other prefix ' +
    'sums, and for records that take part more than once; and a clip that leaves the grid that it declares ' +
    'is not answered.',
  power: 'another scale, count, divisor or value, and any of the refusals',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(whole(subject, defined(env.cell.adjacency))),
});

const query = (changes: Partial<OpenQuery> = {}): OpenQuery => ({
  ask: 'open',
  prefixSum: prefixSum('prefixes'),
  steps,
  dimension,
  bound: { by: 'clip', clip: gridBall(radius, spacing) },
  noise: { mechanism: mechanismNamed('whole-ruler'), target: { noiseMultiplier: multiplier } },
  participation: { times: 1, gap: 1 },
  normaliser: slots,
  ...changes,
});

function* whole(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const open = (): Fixture =>
    openFixture(subject, { rows: [one, [0, 0, 0], [0, 0, 0]], adjacency, loss: 'plain' });
  const fixture = open();
  const stream = fixture.ask<Stream>(query());
  const spent = fixture.curator.spent();
  const paid = muSquared(spent, adjacency) * multiplier ** 2;
  yield Math.abs(paid - 1) <= 1e-9
    ? undefined
    : {
        what: 'a stream of whole numbers costs something else than its multiplier',
        measured: paid,
        allowed: 1,
      };
  const count = spent.kind === 'core/compose' ? (spent as CoreEvent<'core/compose'>).parts[0].count : 1;
  yield count === steps
    ? undefined
    : { what: 'a stream of whole numbers is not charged as its releases', measured: count, allowed: steps };
  const pushTo = ({ allRecords }: Fixture, opened: Stream): Query => ({
    ask: 'push',
    stream: opened,
    of: { terms: [{ weight: 1, at: new Float64Array(dimension) }] },
    batch: allRecords,
  });
  const said = fixture.ask<Vector>(pushTo(fixture, stream));
  const scale = (multiplier * Math.sqrt(steps) * (adjacency === 'replace-one' ? 2 : 1) * radius) / spacing;
  for (const [j, entry] of rounded.entries()) {
    // The stand-in's noise is its scale, rounded up.
    const noise = (said[j] * slots) / spacing - entry;
    yield Math.abs(noise - Math.ceil(scale)) <= 1 + 1e-9 && Math.abs(noise - Math.round(noise)) <= 1e-9
      ? undefined
      : { what: `entry ${j} of a stream of whole numbers has other noise`, measured: noise, allowed: scale };
  }
  yield muSquared(fixture.curator.spent(), adjacency) * multiplier ** 2 === paid
    ? undefined
    : { what: 'a push is charged after the charge of the stream' };
  for (const [what, changes] of [
    ['a clip without a grid', { bound: { by: 'clip', clip: ball(radius) } }],
    ['noise on increments', { prefixSum: prefixSum('increments') }],
    ['two participations', { participation: { times: 2, gap: 1 } }],
  ] as const satisfies readonly (readonly [string, Partial<OpenQuery>])[])
    yield unlessRefused(`a stream of whole noise with ${what}`, () => open().ask(query(changes)), refusals);
  const other = open();
  const between = other.ask<Stream>(query({ bound: { by: 'clip', clip: offGridBall(radius, spacing) } }));
  yield unlessRefused(
    'an increment of whole noise with a clip that leaves its grid',
    () => other.ask(pushTo(other, between)),
    refusals,
  );
}
