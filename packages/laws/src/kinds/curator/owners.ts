import { driveSync, seededRandom, type Adjacency, type Batch, type Run, type Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Row } from '../../arbitraries/vectors.js';
import { around, exactly, meanWithin, mechanismNamed } from './stand-ins/index.js';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { openFixture, underEach, type Fixture } from './fixture.js';
import { firstOf, outcomeOf, unlessRefused } from './outcomes.js';
import { distance } from '../../engines/norms.js';
import { clipTo, meanOf, probesUnder, radius, type Probe } from './probes.js';

const dimension = 2;
/** Records of one owner that count. */
const most = 2;
/** Rounding of a few sums, products and a clip. */
const slack = 64 * 2 ** -53;
/** Every record is moved within this of the origin on attach. */
const featureNorm = 4;
const from = [0.5, -0.25];
const local = { domain: around(3), epochs: 2, stepSize: 0.125 } as const;

/** Records of each owner, some beyond the declared bound, some more than count. */
const households: readonly (readonly Row[])[] = [
  [[1, 2]],
  [
    [3, -1],
    [-40, 5],
    [900, 900],
  ],
  [
    [0, 30],
    [2, 2],
  ],
  [[0.125, 0]],
];

/** What is asked: a mean of gradients, or of steps with so many records each. */
type Asked =
  | 'mean of gradients'
  | 'local updates by one record'
  | 'local updates by all'
  | 'local updates by weights';
const asked: readonly Asked[] = [
  'mean of gradients',
  'local updates by one record',
  'local updates by all',
  'local updates by weights',
];
const batchSizes = {
  'local updates by one record': 1,
  'local updates by all': most,
  'local updates by weights': 1,
} as const;
/** Records from which a slot counts whole, where slots have weights: between one and those that count. */
const fullRecords = 1.5;

function queried(fixture: Fixture, what: Asked): Vector {
  const batch: Batch = fixture.allRecords;
  if (what === 'mean of gradients')
    return fixture.ask<Vector>(meanOf(batch, 'silent', { at: Float64Array.from(from) }));
  return fixture.ask<Vector>({
    ask: 'localUpdate',
    from: Float64Array.from(from),
    local: { ...local, batchSize: batchSizes[what] },
    batch,
    mean: meanWithin(clipTo(), mechanismNamed('silent')),
    target: { noiseMultiplier: 1 },
    ...(what === 'local updates by weights' ? { fullRecords } : {}),
  });
}

/** The exact mean over all slots, as a curator has it, for these records of each owner. */
function answered(
  subject: Subject<'curator'>,
  owned: readonly (readonly Row[])[],
  { adjacency, what, unit }: Setting,
): Vector {
  const order = owned.flatMap((own, slot) => own.map((row) => ({ row, slot })));
  // Records of owners lie between one another, as in files.
  const rows = [...order.filter((_, i) => i % 2 === 0), ...order.filter((_, i) => i % 2 === 1)];
  const given = unit === 'owner' ? rows : order.filter(({ slot }, i) => order[i - 1]?.slot !== slot);
  const fixture = openFixture(subject, {
    rows: given.map(({ row }) => row),
    adjacency,
    dimension,
    domain: { featureNorm },
    outside: 'clip',
    ...(adjacency === 'add-remove' ? { publicSlots: owned.length } : {}),
    ...(unit === 'owner'
      ? { owners: { of: Uint32Array.from(given, ({ slot }) => slot), slots: owned.length, most } }
      : {}),
  });
  return exactly(queried(fixture, what));
}

interface Setting {
  readonly adjacency: Adjacency;
  readonly what: Asked;
  readonly unit: 'record' | 'owner';
}

const within = (row: readonly number[], bound: number): readonly number[] => {
  const scale = Math.min(1, bound / Math.max(Math.hypot(...row), Number.MIN_VALUE));
  return row.map((x) => x * scale);
};
const meanOfRows = (rows: readonly (readonly number[])[]): readonly number[] =>
  from.map((_, j) => rows.reduce((sum, row) => sum + row[j] / rows.length, 0));

/** What one slot gives by the contract: its gradients are its records. */
function contribution(own: readonly (readonly number[])[], what: Asked): readonly number[] {
  const kept = own.map((row) => within(row, featureNorm));
  if (what === 'mean of gradients') return within(meanOfRows(kept), radius);
  const size = batchSizes[what];
  let point: readonly number[] = from;
  for (let epoch = 0; epoch < local.epochs; epoch++)
    for (let first = 0; first < kept.length; first += size) {
      const step = meanOfRows(kept.slice(first, first + size));
      point = within(
        point.map((x, j) => x - local.stepSize * step[j]),
        3,
      );
    }
  const update = within(
    point.map((x, j) => x - from[j]),
    radius,
  );
  const weight = what === 'local updates by weights' ? Math.min(kept.length / fullRecords, 1) : 1;
  return update.map((x) => weight * x);
}

function* checked(subject: Subject<'curator'>, setting: Setting): Generator<Violation | undefined> {
  const { what, unit } = setting;
  const seen = (own: readonly Row[]): readonly (readonly number[])[] =>
    own.slice(0, unit === 'owner' ? most : 1).map((row) => [...row]);
  const orders = [households, households.toReversed()];
  for (const owned of orders) {
    const answer = answered(subject, owned, setting);
    const all = owned.map((own) => contribution(seen(own), what));
    const wanted = from.map((_, j) => all.reduce((sum, one) => sum + one[j], 0) / owned.length);
    const off = Math.hypot(...wanted.map((x, j) => x - answer[j]));
    yield off <= slack * radius
      ? undefined
      : {
          what:
            `the exact ${what} is not the mean of what each ${unit} gives alone: its first ${most} ` +
            'records at most, as bounded on attach, one clip, and then its weight',
          measured: off,
          allowed: slack * radius,
          witness: `${[...answer].join(' ')} in place of ${wanted.join(' ')}`,
        };
  }
}

/** All that one owner has, in pairs that change it as much as a bound allows. */
const changed: readonly (readonly [readonly Row[], readonly Row[]])[] = [-1, 1].flatMap((sign) =>
  [0, 1, 2].map((axis) => {
    const along = (size: number): Row => [0, 1, 2].map((j) => (j === axis ? sign * size : 0));
    return [
      [along(9), along(9), along(9)],
      [along(-9), along(-9)],
    ] as const;
  }),
);
/** What the other two owners keep. */
const others: readonly (readonly Row[])[] = [
  [[radius, 0, 0]],
  [
    [0, 1, 0],
    [0, 0, -4],
    [9, 9, 9],
  ],
];
/** Rounding of sums of three owners, of their division, and of a clip. */
const probeSlack = 64 * 2 ** -53;

/** The exact value of a release where the slots are owners. */
function valueOf(
  subject: Subject<'curator'>,
  probe: Probe,
  adjacency: Adjacency,
  own: readonly Row[],
): ArrayLike<number> | null {
  const rows = [own, ...others].flatMap((each, slot) => each.map((row) => ({ row, slot })));
  const opened = openFixture(subject, {
    ...probe.fixture,
    rows: rows.map(({ row }) => row),
    adjacency,
    dimension: 3,
    labels: rows.map(({ row }) => probe.label?.(row) ?? 0),
    owners: { of: Uint32Array.from(rows, ({ slot }) => slot), slots: 1 + others.length, most },
  });
  const released = outcomeOf(() => probe.release(opened, 'silent'));
  if ('value' in released) return released.value;
  // A form of a release that needs a loss of one record.
  if (released.refused === 'unsupported') return null;
  throw released.error;
}

function* moved(
  subject: Subject<'curator'>,
  probe: Probe,
  adjacency: Adjacency,
): Generator<Violation | undefined> {
  const allowed = probe.sensitivity(adjacency, 1 + others.length);
  for (const [here, there] of changed) {
    const values = [here, adjacency === 'zero-out' ? [] : there].map((own) =>
      valueOf(subject, probe, adjacency, own),
    );
    const [value, other] = values;
    if (value === null || other === null) continue;
    const by = distance('l2', value, other);
    yield by <= allowed * (1 + probeSlack)
      ? undefined
      : {
          what: `all records of one owner move the value of "${probe.name}" by more than its sensitivity`,
          measured: by,
          allowed,
          input: { here, there },
        };
  }
}

/** A run that asks for nothing, planned for a curator but for the unit. */
const plannedFor = (
  { curator: { facts, allRecords }, data, ledger }: Fixture,
  unit: Setting['unit'],
): Run => ({
  name: 'silent',
  problem: {
    adjacency: ledger.adjacency,
    dimension: data.dimension,
    domain: around(3),
    loss: data.lossRef,
    capabilities: {},
    facts: {},
    trust: facts.trust ?? { model: 'central' },
    slots: [allRecords.normaliser],
    ...(unit === 'owner' && { unit }),
  },
  plan: { event: { kind: 'core/free', v: 1 }, utility: null, gradients: 0 },
  // oxlint-disable-next-line require-yield -- it sends no query
  *steps({ start }) {
    return start;
  },
});

/** Facts and ledger name the unit, and runs planned for the other are refused. */
function* told(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const unit of ['record', 'owner'] as const) {
    const fixture = openFixture(subject, {
      rows: [
        [1, 2],
        [3, -1],
      ],
      adjacency,
      ...(unit === 'owner' ? { owners: { of: Uint32Array.of(0, 0), slots: 1, most } } : {}),
    });
    const { curator, ledger } = fixture;
    const said = [
      ['the facts of a curator', curator.facts.unit ?? 'record'],
      ['its ledger', ledger.unit?.() ?? 'record'],
    ] as const;
    for (const [what, named] of said)
      yield named === unit ? undefined : { what: `${what} say ${named} where one ${unit} is protected` };
    const drive = (planned: Setting['unit']) => (): unknown =>
      driveSync(plannedFor(fixture, planned), curator, {
        start: new Float64Array(2),
        random: seededRandom('run'),
      });
    const own = outcomeOf(drive(unit));
    yield 'refused' in own
      ? { what: `a run planned for one ${unit} is refused where one is protected: ${own.message}` }
      : undefined;
    const other = unit === 'owner' ? 'record' : 'owner';
    yield unlessRefused(`a run planned for one ${other} where one ${unit} is protected`, drive(other), [
      'invalid-parameter',
    ]);
  }
}

export const owners = defineLaw({
  id: 'curator/owners',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-8',
  statement:
    'What one slot gives to a mean of gradients, or of local updates, is clipped once as a whole, then ' +
    'weighed by its records where that is asked for, and ' +
    "depends on its own records alone, as bounded on attach: a record, or an owner's first records, " +
    'wherever they lie in the data and whatever others have. All records of one owner move no release by ' +
    'more than the sensitivity behind its noise. Facts and ledger name what is protected, and a run ' +
    'planned for the other is refused.',
  power:
    'a contribution that is off by one part in 10^13, for slots of one record and of several, in two ' +
    'orders of slots: a forgotten clip, momentum from one slot to the next, records before their bounds, ' +
    'or more records of an owner than count; any release that an owner moves too far along an axis; a unit ' +
    'that is told wrongly',
  cells: () =>
    underEach().flatMap(({ adjacency }) => [
      ...(['record', 'owner'] as const).flatMap((unit) =>
        asked.map((what) => ({
          name: `${what}, slots of one ${unit}, ${adjacency}`,
          adjacency,
          values: { what, unit },
        })),
      ),
      { name: `what is protected, ${adjacency}`, adjacency, values: { what: 'what is protected' } },
      ...(adjacency === 'add-remove' ? [] : probesUnder(adjacency)).map(({ name }) => ({
        name: `${name}, all of one owner, ${adjacency}`,
        adjacency,
        values: { probe: name },
      })),
    ]),
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const values = defined(env.cell.values);
    const probe = probesUnder(adjacency).find(({ name }) => name === values['probe']);
    if (probe !== undefined) return firstOf(moved(subject, probe, adjacency));
    if (values['what'] === 'what is protected') return firstOf(told(subject, adjacency));
    const { what, unit } = values as Pick<Setting, 'what' | 'unit'>;
    return firstOf(checked(subject, { adjacency, what, unit }));
  },
});
