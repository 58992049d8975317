import type { Interval, PrivacyEvent, Run } from '@lethe/core';

/** Reason why an adaptive run stopped. */
export type Stopped = 'planned-steps' | 'budget' | 'answers';

/** Account of an adaptive run, computed from its public answers. */
export interface AdaptiveAccount {
  /** Number of steps: one per query for a mean. */
  readonly steps: number;
  /** Largest number of steps that the plan allows; `null` for no limit. */
  readonly most: number | null;
  readonly stopped: Stopped;
  /**
   * Charges of the run. They depend on the answers and guarantee
   * nothing: the guarantee is the limit of the filter.
   */
  readonly charged: { readonly event: PrivacyEvent; readonly interval: Interval };
}

/** Wraps a run to count its steps and record why it stopped. */
export function countedRun(run: Run): {
  readonly run: Run;
  readonly count: () => Omit<AdaptiveAccount, 'charged'>;
} {
  const { steps: most } = run.plan as { readonly steps?: unknown };
  const planned = typeof most === 'number' ? most : null;
  let steps = 0;
  let hasRoom = true;
  const counted: Run = {
    ...run,
    *steps(context) {
      steps = 0;
      let isBegun = false;
      function* rounds(
        count: number,
        kind?: (t: number) => string | number,
      ): Generator<number, void, undefined> {
        for (const t of context.rounds(count, kind)) {
          // A resumed run continues at this iteration.
          if (!isBegun) steps = t - 1;
          isBegun = true;
          yield t;
        }
      }
      const own = run.steps({ ...context, rounds });
      try {
        let next = own.next();
        while (next.done !== true) {
          const asked = next.value;
          const answer = yield asked;
          if (asked.ask === 'mean') steps += 1;
          if (asked.ask === 'afford') hasRoom = (answer as unknown) === true;
          next = own.next(answer);
        }
        return next.value;
      } finally {
        own.return(new Float64Array(0));
      }
    },
  };
  return {
    run: counted,
    count: () => {
      const stoppedOf = () => {
        if (!hasRoom) return 'budget';
        return steps === planned ? 'planned-steps' : 'answers';
      };
      return { steps, most: planned, stopped: stoppedOf() };
    },
  };
}

/** The reason in words. */
export const stoppedText = (stopped: Stopped): string =>
  ({
    'planned-steps': 'all planned steps were taken',
    budget: 'the budget had no room for what came next',
    answers: 'its answers met its rule to stop',
  })[stopped];
