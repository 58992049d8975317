import type { Interval, PrivacyEvent, Run } from '@lethe/core';

/** Why a run that stops by its answers stopped. */
export type Stopped = 'planned-steps' | 'budget' | 'answers';

/** How a run that stops by its answers went. All of it follows from its public answers. */
export interface AdaptiveAccount {
  /** Steps that were taken: means that were asked for. */
  readonly steps: number;
  /** The most steps of the plan; `null` where it names none. */
  readonly most: number | null;
  readonly stopped: Stopped;
  /**
   * What was charged. It depends on the answers, so it guarantees
   * nothing by itself: what the run costs is the limit of its filter.
   */
  readonly charged: { readonly event: PrivacyEvent; readonly interval: Interval };
}

/** The same run, which counts its steps and notes how it ended. */
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
          // A resumed run goes on where it stopped.
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
          if (asked.ask === 'afford') hasRoom = answer as unknown as boolean;
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

/** Why it stopped, in a few words. */
export const stoppedText = (stopped: Stopped): string =>
  ({
    'planned-steps': 'all planned steps were taken',
    budget: 'the budget had no room for what came next',
    answers: 'its answers met its rule to stop',
  })[stopped];
