import { sameEvent, type Adjacency, type ErrorCode, type PrivacyEvent, type Query } from '@lethe/core';
import { canonicalEvent } from '@lethe/core/testing';
import type { Violation } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf, unlessRefused } from './outcomes.js';
import type { Action } from './stand-ins/index.js';
import { unitFixture } from './units.js';
import { openFixture, type Fixture, type FixtureOptions } from './fixture.js';

/** A fixture of units with observed readings, draws and writes, and checks of single queries. */
export interface ObservedFixture {
  readonly fixture: Fixture;
  /** Actions of plugins since the last {@link ObservedFixture.refused}. */
  readonly actions: readonly Action[];
  /** The total of all runs equals this event. */
  readonly costs: (what: string, event: PrivacyEvent) => Violation | undefined;
  /** The query is refused with this error before anything is read, drawn or written. */
  readonly refused: (what: string, query: Query, code: ErrorCode) => Violation | undefined;
  readonly answered: (what: string, query: Query) => Violation | undefined;
}

export function observedFixture(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  change: Partial<FixtureOptions> = {},
): ObservedFixture {
  const actions: Action[] = [];
  const fixture = openFixture(
    subject,
    unitFixture(adjacency, {
      ...change,
      observe: (action) => {
        actions.push(action);
      },
    }),
  );
  const { curator, ledger, run } = fixture;
  const state = (): string =>
    JSON.stringify([
      canonicalEvent(ledger.total()),
      canonicalEvent(ledger.chargedBy(run)),
      curator.recorded(),
    ]);
  return {
    fixture,
    actions,
    costs: (what, event) =>
      sameEvent(ledger.total(), event)
        ? undefined
        : { what: `${what} cost ${JSON.stringify(ledger.total())}; expected ${JSON.stringify(event)}` },
    refused(what, query, code) {
      const before = state();
      actions.length = 0;
      const wrong = unlessRefused(what, () => fixture.ask(query), [code]);
      if (wrong !== undefined || (actions.length === 0 && state() === before)) return wrong;
      return { what: `${what} is refused after reading, drawing or writing something` };
    },
    answered(what, query) {
      const outcome = outcomeOf(() => fixture.ask(query));
      return 'refused' in outcome
        ? { what: `${what} is refused: ${outcome.message}`, cause: outcome.error }
        : undefined;
    },
  };
}
