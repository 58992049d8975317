import type { Adjacency, Batch, Query, Ref, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, muSquared } from './outcomes.js';
import { multiplier, membershipQuery } from './probes.js';
import { partition, fixedSize, poisson } from './stand-ins/index.js';
import { oneHot, openFixture, under, underEach, type Fixture } from './fixture.js';

const count = 8;

/** A batch and its members, by the curator's own answer. */
interface Called {
  readonly batch: Batch;
  readonly members: ReadonlySet<number>;
}

/** Determines the members of a batch; costs one release. */
function askMembers(fixture: Fixture, batch: Batch): Called {
  const answer = fixture.ask<Vector>(membershipQuery(batch, count));
  return {
    batch,
    members: new Set(Array.from(answer, (share, i) => (share > 0 ? i : -1)).filter((i) => i >= 0)),
  };
}

/** One step of a program: a split of an existing batch. */
export interface Split {
  readonly of: number;
  readonly order: 'stored' | 'shuffled';
  readonly by: 'size' | 'weight' | 'deal';
  readonly shares: readonly number[];
}

const splitOf = (adjacency: Adjacency) =>
  fc.record<Split>({
    of: fc.nat(7),
    order: fc.constantFrom('stored', 'shuffled'),
    by:
      adjacency === 'add-remove'
        ? fc.constantFrom('weight', 'deal')
        : fc.constantFrom('size', 'weight', 'deal'),
    shares: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
  });

/** The query of a step, if it must be answered. */
function queryOf({ order, by, shares }: Split, of: Batch): Query | undefined {
  if (by === 'deal')
    return of.size === 'exact' && of.normaliser < shares.length
      ? undefined
      : { ask: 'split', of, order, parts: { by: 'sampler', sampler: partition(of.size, shares.length) } };
  if (by === 'weight' || of.size === 'hidden')
    return { ask: 'split', of, order, parts: { by: 'weight', weights: shares.map((share) => share / 12) } };
  const sizes: number[] = [];
  for (const share of shares) if (sizes.reduce((a, b) => a + b, share) <= of.normaliser) sizes.push(share);
  return sizes.length === 0 ? undefined : { ask: 'split', of, order, parts: { by: 'size', sizes } };
}

const list = (members: ReadonlySet<number>): string => `{${[...members].join(' ')}}`;

/** Performs the splits and determines the members of every part, up to the first violation. */
function* partsOf(
  fixture: Fixture,
  steps: readonly Split[],
): Generator<{ readonly wrong: Violation } | { readonly called: Called; readonly step: Split }> {
  const known: Called[] = [askMembers(fixture, fixture.allRecords)];
  for (const step of steps) {
    const parent = known[step.of % known.length];
    const query = queryOf(step, parent.batch);
    if (query === undefined) continue;
    const taken = new Map<number, number>();
    for (const [k, batch] of fixture.ask<readonly Batch[]>(query).entries()) {
      const called = askMembers(fixture, batch);
      for (const member of called.members) {
        if (!parent.members.has(member))
          yield {
            wrong: {
              what: `record ${member} is in part ${k} but not in the parent batch`,
              witness: `${list(called.members)} of ${list(parent.members)}`,
            },
          };
        if (taken.has(member))
          yield {
            wrong: { what: `record ${member} is in parts ${taken.get(member)} and ${k} of one split` },
          };
        taken.set(member, k);
      }
      if (batch.size === 'exact' && called.members.size !== batch.normaliser)
        yield {
          wrong: {
            what: `a part of ${batch.normaliser} slots has ${called.members.size} records`,
            witness: list(called.members),
          },
        };
      yield { called, step };
      known.push(called);
    }
  }
}

export const splits = defineLaw({
  id: 'curator/splits',
  kind: 'curator',
  tier: 'search',
  invariant: 'I-6',
  statement:
    'Parts of a split, by a sampler or not, are disjoint subsets of ' +
    'the parent batch with the requested sizes.',
  power: 'an overlap or a record outside the parent in 60 programs of up to 4 nested splits of 8 records',
  cells: underEach,
  check: (subject, env) =>
    env.forAll(
      fc.array(splitOf(defined(env.cell.adjacency)), { maxLength: 4 }),
      (steps) => {
        const fixture = openFixture(subject, { rows: oneHot(count), adjacency: defined(env.cell.adjacency) });
        for (const found of partsOf(fixture, steps)) if ('wrong' in found) return found.wrong;
        return undefined;
      },
      {
        runs: 60,
        examples: [
          [{ of: 0, order: 'shuffled', by: 'weight', shares: [4, 4, 4] }],
          ...(env.cell.adjacency === 'add-remove'
            ? []
            : [
                [
                  { of: 0, order: 'shuffled', by: 'size', shares: [4, 4] },
                  { of: 1, order: 'stored', by: 'size', shares: [2, 2] },
                ] as const,
              ]),
        ] as Split[][],
      },
    ),
});

export const costByMembership = defineLaw({
  id: 'curator/cost-by-membership',
  kind: 'curator',
  tier: 'search',
  invariant: 'I-6',
  statement:
    'The cost of a run is at least that of the record in the most releases: releases on overlapping ' +
    'batches compose, for any batch ids; parts of one split are charged in parallel.',
  power:
    'parallel composition of overlapping batches, in 80 programs of up to 4 splits; ' +
    'sequential composition of disjoint parts in stored order',
  cells: underEach,
  check: (subject, env) =>
    env.forAll(
      fc.array(splitOf(defined(env.cell.adjacency)), { maxLength: 4 }),
      (steps) => {
        const fixture = openFixture(subject, { rows: oneHot(count), adjacency: defined(env.cell.adjacency) });
        const taken = new Float64Array(count).fill(1);
        let credited = true;
        for (const found of partsOf(fixture, steps)) {
          if ('wrong' in found) return undefined;
          for (const member of found.called.members) taken[member] += 1;
          credited &&=
            found.step.order === 'stored' && found.step.by === 'size' && found.called.batch.size === 'exact';
        }
        const charged = muSquared(fixture.curator.spent(), defined(env.cell.adjacency)) * multiplier ** 2;
        const most = Math.max(...taken);
        if (!(charged >= most * (1 - 1e-9)))
          return {
            what: `a record is in ${most} releases, and ${charged.toPrecision(4)} were charged`,
            measured: charged,
            allowed: most,
            witness: `releases by record: ${[...taken].join(' ')}`,
          };
        if (credited && !(charged <= most * (1 + 1e-9)))
          return {
            what:
              `no record is in more than ${most} releases, and ${charged.toPrecision(4)} were charged ` +
              'although all parts are ranges of stored order',
            measured: charged,
            allowed: most,
          };
        return undefined;
      },
      {
        runs: 80,
        examples:
          env.cell.adjacency === 'add-remove'
            ? []
            : ([
                [{ of: 0, order: 'stored', by: 'size', shares: [4, 4] }],
                [
                  { of: 0, order: 'stored', by: 'size', shares: [4, 4] },
                  { of: 0, order: 'stored', by: 'size', shares: [2, 4] },
                ],
                [
                  { of: 0, order: 'shuffled', by: 'size', shares: [4, 4] },
                  { of: 0, order: 'shuffled', by: 'size', shares: [4, 4] },
                  { of: 0, order: 'stored', by: 'size', shares: [4] },
                ],
              ] as Split[][]),
      },
    ),
});

export const draws = defineLaw({
  id: 'curator/draws',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'The members of a draw, or of a batch of a partition, are drawn once, from fresh secret randomness ' +
    'of the curator: they are equal in every answer of the scope, and independent in the next draw, in ' +
    'the next run and under other randomness; parts of a draw are random too, also in stored order.',
  power: 'a batch redrawn within its scope, or reused after it; 40 draws',
  cells: under('replace-one', 'zero-out'),
  check: (subject, env) => firstOf(drawn(subject, defined(env.cell.adjacency))),
});

function* drawn(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const drawBy =
    (sampler: Ref<'sampler'>) =>
    (here: Fixture): Batch =>
      here.ask<Batch>({ ask: 'draw', sampler, from: here.allRecords });
  const partitioned = (here: Fixture): Batch =>
    here.ask<readonly Batch[]>({
      ask: 'split',
      of: here.allRecords,
      order: 'stored',
      parts: { by: 'sampler', sampler: partition('exact', 2) },
    })[0];
  for (const [what, draw] of [
    ['of a fixed size', drawBy(fixedSize(4))],
    ['by Poisson sampling', drawBy(poisson(0.5))],
    ['from a partition', partitioned],
  ] as const) {
    const seen = { run: new Set<string>(), randomness: new Set<string>(), runs: new Set<string>() };
    const fixture = openFixture(subject, { rows: oneHot(count), adjacency });
    const once = (here: Fixture): Called => askMembers(here, draw(here));
    for (let k = 0; k < 20; k++) {
      const called = once(fixture);
      const again = askMembers(fixture, called.batch);
      yield list(again.members) === list(called.members)
        ? undefined
        : {
            what: `a draw ${what} has other members in its second answer`,
            witness: `${list(called.members)}, then ${list(again.members)}`,
          };
      if (called.batch.size === 'exact')
        yield called.members.size === 4
          ? undefined
          : { what: `a draw of 4 has ${called.members.size} members` };
      seen.run.add(list(called.members));
      seen.randomness.add(
        list(
          once(openFixture(subject, { rows: oneHot(count), adjacency, randomness: `coins ${k}` })).members,
        ),
      );
      seen.runs.add(
        list(
          once(openFixture(subject, { rows: oneHot(count), adjacency, run: `run ${k}`, randomness: `${k}` }))
            .members,
        ),
      );
    }
    for (const [where, sets] of Object.entries(seen)) {
      // There are 70 sets of 4, or 256 in all: twenty draws give at
      // most five of them with probability below 1e-15.
      const whatOf = () => {
        if (where === 'run') return 'in one run';
        return where === 'coins' ? 'with 20 random sources' : 'in 20 runs';
      };
      yield sets.size > 5
        ? undefined
        : {
            what: `20 draws ${what} ${whatOf()} had one of ${sets.size} lists of members`,
            measured: sets.size,
            allowed: 6,
            witness: [...sets].join(', '),
          };
    }
  }
  let ascending = 0;
  for (let k = 0; k < 40; k++) {
    const fixture = openFixture(subject, { rows: oneHot(count), adjacency, randomness: `parts ${k}` });
    const batch = fixture.ask<Batch>({ ask: 'draw', sampler: fixedSize(6), from: fixture.allRecords });
    const [low, high] = fixture
      .ask<readonly Batch[]>({
        ask: 'split',
        of: batch,
        order: 'stored',
        parts: { by: 'size', sizes: [3, 3] },
      })
      .map((part) => askMembers(fixture, part).members) as [ReadonlySet<number>, ReadonlySet<number>];
    if (Math.max(...low) < Math.min(...high)) ascending++;
  }
  yield ascending < 40
    ? undefined
    : {
        what:
          'in 40 draws the first part was always the lower half of the draw: ' +
          "parts of a sorted list are not exchangeable, so the draw's amplification does not cover them",
      };
}
