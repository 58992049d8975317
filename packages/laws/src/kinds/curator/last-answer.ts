import { type Adjacency, type Answered, type Query } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { everyQuery, type Asked } from './every-query.js';
import { copyOf } from './hostile.js';
import { firstOf, outcomeOf, unlessRefused } from './outcomes.js';
import { lineOf, queryFixture } from './query-fixture.js';
import { underFixed } from './shuffle/fixture.js';
import { underEach, type Fixture } from './fixture.js';

/** All that a reply has. */
const parts: ReadonlySet<string> = new Set(['answer', 'digest', 'left'] satisfies (keyof Answered)[]);

type Outcome = ReturnType<typeof outcomeOf<Answered>>;
const ask = ({ curator }: Fixture, index: number, query: Query): Outcome =>
  outcomeOf(() => curator.answer(index, copyOf(query)));
const stateOf = ({ ledger, run, curator }: Fixture): string =>
  JSON.stringify([canonicalEvent(ledger.total()), canonicalEvent(ledger.chargedBy(run)), curator.recorded()]);
/** Changes that an optimizer may make to an answer. */
function spoil(outcome: Outcome): void {
  if ('value' in outcome && outcome.value.answer instanceof Float64Array)
    outcome.value.answer.fill(Number.NaN);
}

export const lastAnswer = defineLaw({
  id: 'curator/last-answer',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-3',
  statement:
    'A repeated last query gets the same answer and digest without a charge, any number of times, ' +
    'whatever the caller did with the first answer; later queries are answered as without the ' +
    'repetition. Another query at the same index, and an earlier query, are refused as corrupt. ' +
    'A reply is an answer, its digest and the noise ' +
    'that it owes, and nothing else.',
  power:
    'a kind of query with another second answer, charge or record, or another query accepted at its index',
  cells: (subject) => (subject.trust === 'shuffle' ? underFixed() : underEach()),
  check: (subject, env) => firstOf(asked(subject, defined(env.cell.adjacency))),
});

function* asked(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const [what, one] of everyQuery) {
    const lost = queryFixture(subject, adjacency, what);
    const once = queryFixture(subject, adjacency, what);
    // This curator may refuse the queries that the query needs.
    if ('refused' in outcomeOf(() => one.before?.(lost))) continue;
    yield* askedTwice(what, one, lost, once);
  }
}

function* askedTwice(
  what: string,
  one: Asked,
  lost: Fixture,
  once: Fixture,
): Generator<Violation | undefined> {
  const before = one.before?.(once);
  const query = one.query(lost, before);
  const index = lost.curator.recorded();
  const first = ask(lost, index, query);
  const line = lineOf(first);
  if ('refused' in first) return;
  const beside = Object.keys(first.value).filter((name) => !parts.has(name));
  yield beside.length === 0
    ? undefined
    : { what: `the reply to ${what} has '${beside[0]}', which no driver asks for and no noise covers` };
  const { answer } = (ask(once, index, query) as { readonly value: Answered }).value;
  const state = stateOf(lost);
  for (let time = 0; time < 2; time++) {
    spoil(first);
    const again = ask(lost, index, query);
    yield lineOf(again) === line
      ? undefined
      : {
          what: `${what}, repeated after a lost reply, gets another answer`,
          witness: `${lineOf(again)}; the first answer was ${line}`,
        };
    spoil(again);
    yield stateOf(lost) === state
      ? undefined
      : {
          what: `${what}, repeated after a lost reply, is charged or recorded again`,
          witness: `${state} became ${stateOf(lost)}`,
        };
  }
  const other: Query = {
    ask: 'split',
    of: lost.allRecords,
    order: 'stored',
    parts: { by: 'size', sizes: [1] },
  };
  yield unlessRefused(`another query at the index of ${what}`, () => lost.curator.answer(index, other), [
    'corrupt',
  ]);
  const next = (one.after?.(once, answer, before) ?? []).slice(0, 1);
  for (const [k, follower] of next.entries()) {
    const [here, there] = [ask(lost, index + 1 + k, follower), ask(once, index + 1 + k, follower)].map(
      (outcome) => lineOf(outcome),
    );
    yield here === there
      ? undefined
      : {
          what: `after a repetition of ${what}, later answers differ`,
          witness: `${here}; without a lost reply ${there}`,
        };
    if (!here.startsWith('refused'))
      yield unlessRefused(
        `${what}, repeated after another query was answered`,
        () => lost.curator.answer(index, copyOf(query)),
        ['corrupt'],
      );
  }
  yield stateOf(lost) === stateOf(once)
    ? undefined
    : {
        what: `${what}, repeated after a lost reply, gives another ledger`,
        witness: `${stateOf(lost)}; without a lost reply ${stateOf(once)}`,
      };
}
