import {
  composedEvent,
  sameEvent,
  negativeBinomialSelectionEvent,
  poissonSelectionEvent,
  selectionEvent,
  type Adjacency,
  type PrivacyEvent,
  type Query,
  type StoredPlan,
} from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import { noiseDistribution } from '../../evidence/index.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { recordOf } from '../ledger/run-record.js';
import { firstOf, outcomeOf } from './outcomes.js';
import { clipTo, multiplier, noiseOf } from './probes.js';
import {
  chances,
  endedRuns,
  exactly,
  meanWithin,
  mechanismNamed,
  plannedBase,
  standIns,
  type BaseName,
  type MechanismName,
} from './stand-ins/index.js';
import { openFixture, underEach, type Fixture } from './fixture.js';

const rows = [
  [0, 0],
  [0, 0],
];
const open = (
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  randomness: Parameters<typeof openFixture>[1]['randomness'] = 'coins',
): Fixture =>
  openFixture(subject, {
    rows,
    adjacency,
    loss: 'boastful',
    labels: [1, 1],
    ...(randomness === undefined ? {} : { randomness }),
  });

/** A base planned for the problem of a fixture. */
export const baseOf = (name: BaseName, { ledger, data, allRecords }: Fixture): StoredPlan =>
  plannedBase(
    name,
    standIns(),
    {
      adjacency: ledger.adjacency,
      dimension: data.dimension,
      slots: [allRecords.normaliser],
      loss: data.lossRef,
    },
    { mean: meanWithin(clipTo(), mechanismNamed('gaussian')), noiseMultiplier: multiplier },
  );

const stopping = { stopProbability: 0.2, cap: 3 };
/** As many runs as the cap, for certain. */
const manyRuns = { stopProbability: 2 ** -60, cap: 200 };
const selection = (
  fixture: Fixture,
  base: BaseName,
  scores: MechanismName,
): Extract<Query, { readonly ask: 'select' }> => ({
  ask: 'select',
  base: baseOf(base, fixture),
  start: new Float64Array(2),
  batch: fixture.allRecords,
  score: { statistic: { of: 'risk' }, noise: noiseOf(scores) },
  ...stopping,
});
interface Selected {
  readonly point: Float64Array;
  readonly score: number;
}

/** `E x^κ` of the number κ of runs. */
function runsAt(x: number): number {
  const { stopProbability, cap } = stopping;
  let sum = 0;
  for (let k = 1; k < cap; k++) sum += stopProbability * (1 - stopProbability) ** (k - 1) * x ** k;
  return sum + (1 - stopProbability) ** (cap - 1) * x ** cap;
}

/** Probability that one run ends above a place. */
const above = (place: number): number => Math.max(0, 1 - (place + 1) / chances);

export const selected = defineLaw({
  id: 'curator/selection',
  kind: 'curator',
  tier: 'statistical',
  invariant: 'I-7',
  statement:
    'A selection gives the point with the least score among independent runs of the base, with their own ' +
    'noise and their own public coins; after each run it stops with the stated probability, and at the cap.',
  power:
    'the largest score in place of the least, randomness or noise shared by the runs, or the first run ' +
    'alone, in two selections of 200 runs; another cap, in one',
  cells: underEach,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    for (let k = 0; k < 2; k++) {
      const many = open(subject, adjacency, env.random(`many runs ${k}`));
      const before = endedRuns();
      const { point } = many.ask<Selected>({ ...selection(many, 'by-chance', 'silent'), ...manyRuns });
      const runs = endedRuns() - before;
      // None of a curator elsewhere end here, and all twice of one that checks itself.
      if (runs % manyRuns.cap !== 0)
        return fails(k + 1, {
          what: 'a selection that its cap alone ends makes another number of runs',
          input: manyRuns,
          measured: runs,
          allowed: manyRuns.cap,
        });
      // Of 200 independent runs none ends at 0 with probability 3e-12.
      if (point[0] !== 0)
        return fails(k + 1, {
          what: 'the best of 200 runs is not the least of what they may end at',
          input: { point, ...manyRuns },
        });
    }
    const law = noiseDistribution({ cdf: (x) => (x < 0 ? 0 : 1 - runsAt(above(Math.floor(x)))) });
    const draws = env.samples(1500);
    let fixture = open(subject, adjacency, env.random('coins'));
    for (let k = 0; k < draws; k++) {
      if (k % 100 === 99) fixture = open(subject, adjacency, env.random(`coins ${k}`));
      const { point, score } = fixture.ask<Selected>(selection(fixture, 'by-chance', 'silent'));
      const place = point[0] * chances;
      if (exactly(score) !== point[0])
        return fails(k + 1, { what: 'the score is not that of the point', input: { point, score } });
      law.push(place);
      if (law.rejects(env.alpha))
        return fails(k + 1, {
          what: 'the best of the runs has another distribution than that of independent runs',
          logE: law.peak,
        });
    }
    return holds(draws);
  },
});

export const selectionCost = defineLaw({
  id: 'curator/selection-cost',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'A selection is charged as the best of a random number of runs, each the event of the base together ' +
    'with that of the score. Answer, ledger and entry have one form, whatever the number of runs was.',
  power: 'a charge without the score, of the runs that were made, or a number of runs that shows, in 12 runs',
  cells: underEach,
  check: (subject, env) => firstOf(costs(subject, defined(env.cell.adjacency))),
});

function* costs(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  const one = open(subject, adjacency);
  one.ask({
    ask: 'value',
    statistic: { of: 'risk' },
    at: new Float64Array(2),
    batch: one.allRecords,
    noise: noiseOf('gaussian'),
  });
  const score = one.ledger.total();
  let form: string | undefined;
  for (let k = 0; k < 12; k++) {
    const fixture = open(subject, adjacency, `coins ${k}`);
    const query = selection(fixture, 'one-step', 'gaussian');
    const answer = fixture.ask<Selected>(query);
    const { event } = baseOf('one-step', fixture).plan;
    const wanted = selectionEvent(composedEvent([event, score]), stopping);
    yield costsOf(fixture, wanted);
    const { entries } = recordOf(fixture.ledger, fixture.run);
    const found = JSON.stringify([
      Object.entries(answer).map(([name, value]) => [name, typeof value]),
      [...entries].map(({ index, effect }) => [index, effect]),
      fixture.curator.recorded(),
      fixture.ledger.runs(),
    ]);
    form ??= found;
    yield found === form && Object.keys(answer).toSorted().join() === 'point,score'
      ? undefined
      : {
          what: 'answer or ledger of a selection differ in form with the randomness, and tell of the runs',
          witness: `${found}; with other randomness ${form}`,
        };
  }
  for (const [others, eventOf] of numbersOfRuns) {
    const fixture = open(subject, adjacency);
    const { stopProbability: _, cap: __, ...query } = selection(fixture, 'one-step', 'gaussian');
    fixture.ask<Selected>({ ...query, ...others });
    yield costsOf(fixture, eventOf(composedEvent([baseOf('one-step', fixture).plan.event, score])));
  }
}

/** Other numbers of runs, with the event of a selection by each. */
const numbersOfRuns = [
  [
    { stopProbability: 0.5, shape: 0 },
    (base: PrivacyEvent) => negativeBinomialSelectionEvent(base, { shape: 0, stopProbability: 0.5 }),
  ],
  [{ mean: 2 }, (base: PrivacyEvent) => poissonSelectionEvent(base, { mean: 2 })],
] as const;

const costsOf = ({ ledger }: Fixture, wanted: PrivacyEvent): Violation | undefined =>
  sameEvent(ledger.total(), wanted)
    ? undefined
    : {
        what:
          `a selection is charged as ${canonicalEvent(ledger.total())}; it costs ` +
          `${canonicalEvent(wanted)}`,
      };

export const selectionHeld = defineLaw({
  id: 'curator/selection-held',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'Every run of a selection is held to the event of its plan: a base that asks for more gets no answer, ' +
    'its charge stands, and the refusal is the same whatever the randomness.',
  power: 'a run that releases more than the charge covers; an error that differs with the number of runs',
  cells: underEach,
  check: (subject, env) => firstOf(heldRuns(subject, defined(env.cell.adjacency))),
});

function* heldRuns(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  let said: string | undefined;
  for (let k = 0; k < 4; k++) {
    const fixture = open(subject, adjacency, `coins ${k}`);
    const outcome = outcomeOf(() => fixture.ask(selection(fixture, 'overdrawn', 'gaussian')));
    if (!('refused' in outcome))
      yield { what: 'a selection answers although its base asked for more than the plan states' };
    else {
      said ??= outcome.message;
      yield outcome.message === said
        ? undefined
        : {
            what: 'the refusal of a selection differs with the randomness',
            witness: `${outcome.message}; ${said}`,
          };
    }
    yield fixture.ledger.total().kind === 'core/selection'
      ? undefined
      : { what: 'a selection whose base failed is not charged' };
  }
}
