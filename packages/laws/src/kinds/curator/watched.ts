import {
  canonicalEvent,
  sameEvent,
  type Adjacency,
  type ErrorCode,
  type PrivacyEvent,
  type Query,
} from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import type { Subject } from '../../law/subject.js';
import { outcomeOf, unlessRefused } from './outcomes.js';
import type { Deed } from './stand-ins/index.js';
import { unitWorld } from './units.js';
import { openWorld, type World, type WorldOptions } from './world.js';

/** A fixture of units with observed readings, draws and writes, and checks of single queries. */
export interface Watched {
  readonly world: World;
  /** Actions of plugins since the last {@link Watched.refused}. */
  readonly deeds: readonly Deed[];
  /** The total of all runs equals this event. */
  readonly costs: (what: string, event: PrivacyEvent) => Violation | undefined;
  /** The query is refused with this error before anything is read, drawn or written. */
  readonly refused: (what: string, query: Query, code: ErrorCode) => Violation | undefined;
  readonly answered: (what: string, query: Query) => Violation | undefined;
}

export function watched(
  subject: Subject<'curator'>,
  adjacency: Adjacency,
  change: Partial<WorldOptions> = {},
): Watched {
  const deeds: Deed[] = [];
  const world = openWorld(
    subject,
    unitWorld(adjacency, {
      ...change,
      watch: (deed) => {
        deeds.push(deed);
      },
    }),
  );
  const { curator, ledger, run } = world;
  const state = (): string =>
    JSON.stringify([
      canonicalEvent(ledger.total()),
      canonicalEvent(ledger.chargedBy(run)),
      curator.recorded(),
    ]);
  return {
    world,
    deeds,
    costs: (what, event) =>
      sameEvent(ledger.total(), event)
        ? undefined
        : { what: `${what} cost ${JSON.stringify(ledger.total())}; expected ${JSON.stringify(event)}` },
    refused(what, query, code) {
      const before = state();
      deeds.length = 0;
      const wrong = unlessRefused(what, () => world.ask(query), [code]);
      if (wrong !== undefined || (deeds.length === 0 && state() === before)) return wrong;
      return { what: `${what} is refused after reading, drawing or writing something` };
    },
    answered(what, query) {
      const outcome = outcomeOf(() => world.ask(query));
      return 'refused' in outcome
        ? { what: `${what} is refused: ${outcome.message}`, cause: outcome.error }
        : undefined;
    },
  };
}
