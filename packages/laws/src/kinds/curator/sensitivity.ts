import {
  neighbourExamples,
  neighboursOf,
  oncePerData,
  type Neighbours,
} from '../../arbitraries/neighbours.js';
import type { Data } from '../../arbitraries/vectors.js';
import { distance } from '../../engines/norms.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { probesUnder, radius, type Probe } from './probes.js';
import { openFixture, underEach } from './fixture.js';
import type { Adjacency } from '@lethe/core';
import { defined } from '@lethe/numerics';

const slots = 3;
const dimension = 3;
/** Rounding of sums of three records, of their division, and of a clip. */
const slack = 64 * 2 ** -53;

/** The exact value of a release, from a mechanism without noise. */
function exactValue(
  subject: Subject<'curator'>,
  probe: Probe,
  adjacency: Adjacency,
  rows: Data,
): ArrayLike<number> {
  const fixture = openFixture(subject, {
    ...probe.fixture,
    rows,
    adjacency,
    dimension,
    labels: rows.map((row) => (row === null ? 0 : (probe.label?.(row) ?? 0))),
    ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
  });
  return probe.release(fixture, 'silent');
}

export const sensitivity = defineLaw({
  id: 'curator/sensitivity',
  kind: 'curator',
  tier: 'search',
  invariant: 'I-8',
  statement:
    'Between neighbouring data sets the exact value moves by at most the sensitivity behind the noise ' +
    'scale: for every kind of release and adjacency, for records of any position and size.',
  power:
    'a violation for one record against many equal ones, on increasing scales or on the axes; ' +
    'otherwise by 16 random pairs per release',
  cells: () =>
    underEach().flatMap(({ adjacency }) =>
      probesUnder(adjacency).map((probe) => ({
        name: `${probe.name}, ${adjacency}`,
        adjacency,
        values: { probe: probe.name },
      })),
    ),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const probe = defined(
      probesUnder(adjacency).find(({ name }) => name === defined(env.cell.values)['probe']),
    );
    const shape = { dimension, scale: radius, rows: slots };
    const allowed = probe.sensitivity(adjacency, slots);
    // The number of slots is public except under add-remove, so neighbours have the same number.
    const padded = (pair: Neighbours): Neighbours => {
      if (adjacency === 'add-remove') return pair;
      const filler = Array.from({ length: slots - pair.here.length }, () => [radius, 0, 0]);
      return { here: [...pair.here, ...filler], there: [...pair.there, ...filler], at: pair.at };
    };
    const valueOf = oncePerData((rows) => exactValue(subject, probe, adjacency, rows));
    const check = (given: Neighbours): Violation | undefined => {
      const { here, there } = padded(given);
      const [value, other] = [valueOf(here), valueOf(there)];
      const moved = distance('l2', value, other);
      if (moved <= allowed * (1 + slack)) return undefined;
      return {
        what:
          `one record moves the value of "${probe.name}" by more than ` +
          'the sensitivity behind the noise scale',
        measured: moved,
        allowed,
        input: { here, there },
        witness: `values ${Array.from(value).join(' ')} and ${Array.from(other).join(' ')}`,
      };
    };
    return env.forAll(neighboursOf(adjacency, shape), check, {
      runs: 16,
      examples: neighbourExamples(adjacency, shape),
    });
  },
});
