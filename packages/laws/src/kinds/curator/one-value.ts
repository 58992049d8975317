import { type Adjacency, type Answered, type Query } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { everyQuery, type Asked } from './every-query.js';
import { changed, copyOf, freezeOuter, hostile, overwrite } from './hostile.js';
import { firstOf, outcomeOf } from './outcomes.js';
import { lineOf, queryFixture } from './query-fixture.js';
import { underFixed } from './shuffle/fixture.js';
import { underEach, type Fixture } from './fixture.js';

/** One form of a query: the object sent, its later change, and the plain query of its first readings. */
interface Offer {
  readonly first: unknown;
  readonly asPlain: Query;
  readonly later?: { readonly write: () => void; readonly asPlain: () => Query };
}

/** All replies while the query is sent, its answer is used, and it is sent again in its later form. */
function conversation(
  fixture: Fixture,
  asked: Asked,
  offers: (before: unknown) => Offer,
  plain: boolean,
): {
  readonly lines: readonly string[];
  readonly queries: readonly Query[];
  readonly refused: string | undefined;
} {
  const { curator, ledger, run } = fixture;
  const lines: string[] = [];
  const queries: Query[] = [];
  const before = asked.before?.(fixture);
  const { first, asPlain, later } = offers(before);
  const ask = (given: unknown, own: Query): ReturnType<typeof outcomeOf<Answered>> => {
    const outcome = outcomeOf(() =>
      curator.answer(curator.recorded(), (plain ? copyOf(own) : given) as Query),
    );
    lines.push(`${own.ask}: ${lineOf(outcome)}`);
    if ('value' in outcome) queries.push(own);
    return outcome;
  };
  const state = (): string =>
    JSON.stringify([
      canonicalEvent(ledger.total()),
      canonicalEvent(ledger.chargedBy(run)),
      curator.recorded(),
    ]);
  const unasked = state();
  const outcome = ask(first, asPlain);
  let refused: string | undefined;
  if ('refused' in outcome) {
    if (state() === unasked) refused = 'and nothing charged';
    else refused = `and ${unasked} became ${state()}`;
  } else refused = undefined;
  const write = later?.write ?? ((): void => undefined);
  write();
  if ('value' in outcome)
    for (const query of asked.after?.(fixture, outcome.value.answer, before) ?? []) ask(query, query);
  for (const one of later === undefined ? [] : [later, later]) {
    ask(first, one.asPlain());
    one.write();
  }
  lines.push(`charged: ${state()}`);
  return { lines, queries, refused };
}

/**
 * Compares the replies with those for the plain queries.
 *
 * @param known - Replies for the plain query of each offer, where they were asked for already.
 */
function compared(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  [what, asked]: readonly [string, Asked],
  how: string,
  offers: readonly ((fixture: Fixture) => (before: unknown) => Offer)[],
  known: Map<number, readonly string[]> = new Map(),
): Violation | undefined {
  const here = queryFixture(subject, adjacency, what);
  const found = conversation(here, asked, offers[0](here), false);
  if (found.refused !== undefined && found.refused !== 'and nothing charged')
    return { what: `${what} as ${how} is refused, ${found.refused}` };
  let wanted: readonly string[] = [];
  for (const [k, offer] of offers.entries()) {
    const there = known.has(k) ? undefined : queryFixture(subject, adjacency, what);
    wanted =
      there === undefined ? (known.get(k) ?? []) : conversation(there, asked, offer(there), true).lines;
    known.set(k, wanted);
    if (wanted.join('\n') === found.lines.join('\n'))
      return replayed(subject, adjacency, what, how, asked, here, found);
  }
  if (found.refused !== undefined) return undefined;
  const k = wanted.findIndex((line, i) => line !== found.lines[i]);
  return {
    what: `${what} as ${how} is not answered and charged like the plain query of its first readings`,
    witness: `line ${k}: ${found.lines[k] ?? 'nothing'}; of the plain query ${wanted[k] ?? 'nothing'}`,
  };
}

/** The ledger holds copies: replay with the plain queries succeeds. */
function replayed(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  what: string,
  how: string,
  asked: Asked,
  fixture: Fixture,
  { lines, queries }: ReturnType<typeof conversation>,
): Violation | undefined {
  const again = queryFixture(subject, adjacency, what, fixture.ledger);
  asked.before?.(again);
  const answers = lines.filter((line) => !line.includes('refused as') && !line.startsWith('charged'));
  const from = again.asked();
  for (const [k, query] of queries.entries()) {
    const line = `${query.ask}: ${lineOf(outcomeOf(() => again.curator.answer(from + k, copyOf(query))))}`;
    if (line !== answers[k])
      return {
        what: `${what} as ${how}, replayed as a plain query after a crash, gets another answer`,
        witness: `${line}; the first answer was ${answers[k]}`,
      };
  }
  return undefined;
}

const arraysOf = (value: unknown, other: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return other;
  if (Array.isArray(value)) return value.map((inner, i) => arraysOf(inner, (other as unknown[])[i]));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        arraysOf(inner, (other as Record<string, unknown>)[name]),
      ]),
    );
  return value;
};

function* offered(subject: Subject<'curator'>, adjacency: Adjacency): Generator<Violation | undefined> {
  for (const one of everyQuery) {
    // This curator may refuse the queries that the query needs.
    const fixture = queryFixture(subject, adjacency, one[0]);
    if ('refused' in outcomeOf(() => one[1].before?.(fixture))) continue;
    const queryIn = (here: Fixture, before: unknown): Query => one[1].query(here, before);
    for (const turned of [false, true]) {
      const known = new Map<number, readonly string[]>();
      for (const [how, make] of Object.entries(hostile)) {
        const offer =
          (arrays: boolean) =>
          (here: Fixture) =>
          (before: unknown): Offer => {
            const plain = queryIn(here, before);
            const other = changed(copyOf(plain));
            const [first, then] = turned ? [other, plain] : [plain, other];
            const made = make(copyOf(first), copyOf(then));
            return { first: made, asPlain: (arrays ? arraysOf(first, then) : first) as Query };
          };
        yield compared(subject, adjacency, one, how, [offer(false), offer(true)], known);
      }
    }
    for (const [how, hold] of [
      ['an object overwritten after its answer', <T>(value: T): T => value],
      ['a frozen object with parameters overwritten after its answer', freezeOuter],
    ] as const) {
      yield compared(subject, adjacency, one, how, [
        (here) =>
          (before): Offer => {
            const own = hold(queryIn(here, before));
            const plain = copyOf(own);
            const other = changed(copyOf(own));
            let turn = 0;
            return {
              first: own,
              asPlain: plain,
              later: {
                write: () => {
                  overwrite(own, turn++ % 2 === 0 ? other : plain);
                },
                asPlain: () => copyOf(own),
              },
            };
          },
      ]);
    }
  }
}

export const oneValue = defineLaw({
  id: 'curator/one-value',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-0',
  statement:
    'A query is one value: for fields that change between readings, charge, digest, answer, ' +
    'objects in the answer and replies after a crash equal those of the plain query of its first ' +
    'readings on another curator with equal randomness; or the query is refused without a charge.',
  power:
    'a field of any kind of query that is read twice, stored by reference, or compared by identity, ' +
    'if the second reading changes a number, a name or an array',
  cells: (subject) => (subject.trust === 'shuffle' ? underFixed() : underEach()),
  check: (subject, env) => firstOf(offered(subject, defined(env.cell.adjacency))),
});
