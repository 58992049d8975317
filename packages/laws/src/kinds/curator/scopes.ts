import {
  composedEvent,
  parallelEvent,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  clippedMeanEvent,
  defineSampler,
  type Adjacency,
  type Batch,
  type PrivacyEvent,
  type Query,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { firstOf, refusals, unlessRefused } from './outcomes.js';
import { meanOf, multiplier } from './probes.js';
import { fixedSize, poisson } from './stand-ins/index.js';
import { none, plain } from './stand-ins/common.js';
import { oneHot, openFixture, under, underEach, type Fixture } from './fixture.js';

const count = 8;
const at = new Float64Array(count);
const ask = (fixture: Fixture, batch: Batch): Vector =>
  fixture.ask<Vector>(meanOf(batch, 'gaussian', { at }));
const drawAt = (rate: number, from: Batch): Query => ({ ask: 'draw', sampler: poisson(rate), from });
const poissonAt = (rate: number) => ({ kind: 'core/poisson', rate }) as const;

function unlessCosts(fixture: Fixture, what: string, event: PrivacyEvent): Violation | undefined {
  const spent = fixture.curator.spent();
  return sameEvent(spent, event)
    ? undefined
    : { what: `${what} is charged as ${JSON.stringify(spent)}; it costs ${JSON.stringify(event)}` };
}

export const scopes = defineLaw({
  id: 'curator/scopes',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'All answers from one draw, and from its parts, are one sampled composition; the scope ends when it ' +
    'is closed or at the next draw from its parent; different draws compose sequentially.',
  power: 'another event for any of the draws tried, nested draws and parts of draws included',
  cells: underEach,
  check: (subject, env) => firstOf(scoped(subject, defined(env.cell.adjacency))),
});

function* scoped(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const one = clippedMeanEvent(multiplier, adjacency);
  const open = (): Fixture => openFixture(subject, { rows: oneHot(count), adjacency });
  const twice = sampledEvent(poissonAt(0.25), repeatedEvent(one, 2));
  const first = open();
  const batch = first.ask<Batch>(drawAt(0.25, first.allRecords));
  ask(first, batch);
  yield unlessCosts(first, 'one mean over a draw', sampledEvent(poissonAt(0.25), one));
  ask(first, batch);
  yield unlessCosts(first, 'two means over a draw that is still open', twice);
  first.ask({ ask: 'close', batch });
  yield unlessCosts(first, 'two means over a draw that was closed', twice);
  const next = first.ask<Batch>(drawAt(0.25, first.allRecords));
  ask(first, next);
  ask(first, next);
  yield unlessCosts(first, 'two draws of two means', repeatedEvent(twice, 2));
  ask(first, first.allRecords);
  yield unlessCosts(
    first,
    'two draws of two means, and one mean over all records',
    composedEvent([twice, twice, one]),
  );

  first.ledger.endRun(first.run);
  yield sameEvent(first.ledger.total(), composedEvent([twice, twice, one]))
    ? undefined
    : {
        what: 'the cost of a run with an open draw changes at its end',
        witness: JSON.stringify(first.ledger.total()),
      };

  const nested = open();
  const outer = nested.ask<Batch>(drawAt(0.5, nested.allRecords));
  const inner = nested.ask<Batch>(drawAt(0.25, outer));
  ask(nested, inner);
  ask(nested, outer);
  yield unlessCosts(
    nested,
    'a draw from a draw, and the draw itself',
    sampledEvent(poissonAt(0.5), composedEvent([sampledEvent(poissonAt(0.25), one), one])),
  );

  const parts = open();
  const whole = parts.ask<Batch>(drawAt(0.5, parts.allRecords));
  const [left, right] = parts.ask<readonly Batch[]>({
    ask: 'split',
    of: whole,
    order: 'stored',
    parts: { by: 'weight', weights: [0.5, 0.5] },
  }) as [Batch, Batch];
  ask(parts, left);
  ask(parts, right);
  yield unlessCosts(
    parts,
    'a mean over each part of a draw',
    sampledEvent(poissonAt(0.5), parallelEvent([one, one])),
  );
  ask(parts, whole);
  yield unlessCosts(
    parts,
    'a mean over each part of a draw and one over all of it',
    sampledEvent(poissonAt(0.5), repeatedEvent(one, 2)),
  );
  const again = parts.ask<readonly Batch[]>({
    ask: 'split',
    of: whole,
    order: 'stored',
    parts: { by: 'weight', weights: [0.5] },
  });
  ask(parts, again[0]);
  yield unlessCosts(
    parts,
    'a mean over a part of a second split of the draw, which overlaps the first',
    sampledEvent(poissonAt(0.5), repeatedEvent(one, 3)),
  );
}

export const deadBatches = defineLaw({
  id: 'curator/dead-batches',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'A batch whose scope has ended is invalid, and so are its parts and draws from it: ' +
    'every query about it is refused without a charge.',
  power: 'an answer from a closed draw, its parts or its draws',
  cells: underEach,
  check: (subject, env) => firstOf(dead(subject, defined(env.cell.adjacency))),
});

function* dead(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const end of ['close', 'draw'] as const) {
    const fixture = openFixture(subject, { rows: oneHot(count), adjacency });
    const batch = fixture.ask<Batch>(drawAt(0.5, fixture.allRecords));
    const [part] = fixture.ask<readonly Batch[]>({
      ask: 'split',
      of: batch,
      order: 'stored',
      parts: { by: 'weight', weights: [0.5, 0.5] },
    }) as [Batch];
    const inner = fixture.ask<Batch>(drawAt(0.5, batch));
    ask(fixture, inner);
    fixture.ask(end === 'close' ? { ask: 'close', batch } : drawAt(0.5, fixture.allRecords));
    const before = JSON.stringify(fixture.curator.spent());
    for (const [what, gone] of [
      ['a draw', batch],
      ['a part of a draw', part],
      ['a draw from a draw', inner],
    ] as const) {
      const queries: readonly (readonly [string, Query])[] = [
        ['a mean over', meanOf(gone, 'gaussian', { at })],
        ['a draw from', drawAt(0.5, gone)],
        ['a split of', { ask: 'split', of: gone, order: 'stored', parts: { by: 'weight', weights: [1] } }],
      ];
      for (const [verb, query] of queries)
        yield unlessRefused(
          `${verb} ${what} whose scope was ended by a ${end}`,
          () => fixture.ask(query),
          refusals,
        );
    }
    yield before === JSON.stringify(fixture.curator.spent())
      ? undefined
      : { what: 'queries about batches of ended scopes were charged' };
  }
}

/** A sampler with a different amplification under each adjacency, to detect a mix-up. */
const chameleon = defineSampler({
  ...plain,
  name: 'laws/chameleon',
  params: none,
  size: 'hidden',
  amplification: () => ({
    'replace-one': { sampler: { kind: 'core/poisson', rate: 0.5 }, inner: 'replace-one' },
    'zero-out': { sampler: null, inner: 'zero-out' },
  }),
  normaliser: () => 4,
  draw: () => Uint32Array.of(0, 2),
});

export const amplification = defineLaw({
  id: 'curator/amplification',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'A draw is amplified by the sampler declared for the adjacency of the ledger; ' +
    'a declared null gives no amplification, and a missing adjacency a refusal.',
  power: 'another amplification, for three samplers under three adjacencies',
  cells: underEach,
  check: (subject, env) => firstOf(amplified(subject, defined(env.cell.adjacency))),
});

function* amplified(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const one = clippedMeanEvent(multiplier, adjacency);
  const open = (): Fixture => openFixture(subject, { rows: oneHot(count), adjacency, plugins: [chameleon] });
  const own: Query = {
    ask: 'draw',
    sampler: { kind: 'sampler', name: 'laws/chameleon', params: {} },
    from: open().allRecords,
  };
  if (adjacency === 'add-remove') {
    const fixture = open();
    yield unlessRefused('a draw by a sampler that does not support add-remove', () => fixture.ask(own), [
      'unsupported',
    ]);
    return;
  }
  const fixture = open();
  ask(fixture, fixture.ask<Batch>(own));
  yield unlessCosts(
    fixture,
    'a draw by a sampler with a different amplification for each adjacency',
    adjacency === 'replace-one' ? sampledEvent(poissonAt(0.5), one) : one,
  );
  const fixed = open();
  ask(fixed, fixed.ask<Batch>({ ask: 'draw', sampler: fixedSize(3), from: fixed.allRecords }));
  yield unlessCosts(
    fixed,
    'a draw of 3 from 8',
    sampledEvent({ kind: 'core/fixed-size', n: count, size: 3, replacement: false }, one),
  );
  const part = open();
  const [half] = part.ask<readonly Batch[]>({
    ask: 'split',
    of: part.allRecords,
    order: 'shuffled',
    parts: { by: 'size', sizes: [4, 4] },
  }) as [Batch];
  ask(part, half);
  yield unlessCosts(part, 'a shuffled part, which is not amplified', one);
  ask(part, part.ask<Batch>({ ask: 'draw', sampler: fixedSize(2), from: half }));
  yield unlessCosts(
    part,
    'a part and a draw of 2 from its 4 slots',
    composedEvent([one, sampledEvent({ kind: 'core/fixed-size', n: 4, size: 2, replacement: false }, one)]),
  );
}

export const tokens = defineLaw({
  id: 'curator/tokens',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-6',
  statement:
    'A token has an id, a public normaliser, whether the size is public, and the scope; ' +
    "no field depends on records or on the curator's randomness.",
  power: 'another field, or a token that differs between two data sets or two random sources',
  cells: under('replace-one', 'zero-out', 'add-remove'),
  check: (subject, env) => firstOf(tokenViolations(subject, defined(env.cell.adjacency))),
});

function* tokenViolations(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
): Generator<Violation | undefined> {
  const tokensOfBoth = ['a', 'b'].map((name, which) => {
    const fixture = openFixture(subject, {
      rows: which === 0 ? oneHot(count) : oneHot(count).toReversed(),
      adjacency,
      randomness: name,
    });
    const fixed =
      adjacency === 'add-remove'
        ? []
        : [
            fixture.ask<Batch>({ ask: 'draw', sampler: fixedSize(3), from: fixture.allRecords }),
            ...fixture.ask<readonly Batch[]>({
              ask: 'split',
              of: fixture.allRecords,
              order: 'shuffled',
              parts: { by: 'size', sizes: [3, 2] },
            }),
          ];
    const drawn = fixture.ask<Batch>(drawAt(0.5, fixture.allRecords));
    return [
      fixture.allRecords,
      ...fixed,
      drawn,
      ...fixture.ask<readonly Batch[]>({
        ask: 'split',
        of: drawn,
        order: 'stored',
        parts: { by: 'weight', weights: [0.25, 0.5] },
      }),
    ];
  });
  for (const [k, token] of tokensOfBoth[0].entries()) {
    const fields = Object.keys(token).toSorted().join(' ');
    yield fields === 'id normaliser scope size'
      ? undefined
      : { what: `a token has the fields ${fields}; expected id, normaliser, size and scope`, input: token };
    const other = tokensOfBoth[1][k];
    yield JSON.stringify(token) === JSON.stringify(other)
      ? undefined
      : {
          what: 'a token differs between two data sets of the same size with other randomness',
          input: { token, other },
        };
  }
}
