import { type Accountant, type Interval, InvalidParameter, type PrivacyEvent, Unsupported } from '@lethe/core';
import type { Settings } from './options.js';

/** A value that was tried. */
export interface Probe {
  readonly value: number;
  /** Absent where the value was refused. */
  readonly achieved: Interval | undefined;
  readonly met: boolean;
  /** Logarithm of the cost as a share of the target; not finite where one of them is 0 or infinite, or the value was refused. */
  readonly excess: number;
}

/** Asks an accountant about values of the free number, and keeps count. */
export interface Prober {
  /** Asks `accountant`; a value that is refused counts as one that does not meet the target. */
  probe(value: number, accountant: Asked): Probe;
  /** Values that may still be tried, but for a last one. */
  left(): number;
  used(): number;
  /** Why the first value was refused, where all were. */
  refusal(): Error | undefined;
}

/** What can be asked: an accountant, or several as one. */
export type Asked = Pick<Accountant, 'epsilon' | 'delta'>;

/** Both sides of the comparison: `ask` gives what `goal` bounds. */
export function proberOf({ make, adjacency, epsilon, delta, by, probeLimit }: Settings): Prober {
  const goal = by === 'epsilon' ? epsilon : delta;
  const ask = (accountant: Asked, event: PrivacyEvent): Interval =>
    (by === 'epsilon' ? accountant.epsilon(event, { adjacency, delta }) : accountant.delta(event, { adjacency, epsilon }));
  let first: Error | undefined;
  let accepted = 0;
  let used = 0;
  return {
    probe(value, accountant) {
      used++;
      try {
        const achieved = ask(accountant, make(value));
        accepted++;
        return { value, achieved, met: achieved.upper <= goal, excess: Math.log(achieved.upper) - Math.log(goal) };
      } catch (error) {
        if (!(error instanceof InvalidParameter || error instanceof Unsupported)) throw error;
        first ??= error;
        return { value, achieved: undefined, met: false, excess: Infinity };
      }
    },
    left: () => probeLimit - 1 - used,
    used: () => used,
    refusal: () => (accepted === 0 ? first : undefined),
  };
}
