import { type Accountant, type AccountingContext, type Interval, InvalidParameter, type PrivacyEvent, Unsupported } from '@lethe/core';
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

/** Asks an accountant about values of the free number, and keeps count. What was asked before is known, and costs no probe. */
export interface Prober {
  /** Asks `accountant`; a value that is refused counts as one that does not meet the target. */
  probe(value: number, accountant: Asked): Probe;
  /** The same, with δ at the target's ε compared where ε at its δ is, and the other way round. */
  probeOther(value: number, accountant: Asked): Probe;
  /** Values that may still be tried, but for a last one. */
  left(): number;
  used(): number;
  /** What `accountant` did not refuse, by growing value. */
  tried(accountant: Asked): readonly (Probe & { readonly achieved: Interval })[];
  /** Why the first value was refused, where all were. */
  refusal(): Error | undefined;
}

/** What can be asked: an accountant, or several as one. */
export type Asked = Pick<Accountant, 'epsilon' | 'delta'>;

/** Both sides of the comparison: `ask` gives what `goal` bounds. */
export function proberOf({ make, adjacency, epsilon, delta, by, probeLimit }: Settings, signal?: AccountingContext['signal']): Prober {
  const context: AccountingContext = { adjacency, ...(signal && { signal }) };
  const other = by === 'epsilon' ? 'delta' : 'epsilon';
  const ask = (accountant: Asked, event: PrivacyEvent, what: Settings['by']): Interval =>
    (what === 'epsilon' ? accountant.epsilon(event, { ...context, delta }) : accountant.delta(event, { ...context, epsilon }));
  let first: Error | undefined;
  let accepted = 0;
  let used = 0;
  const memory = { epsilon: new Map<Asked, Map<number, Probe>>(), delta: new Map<Asked, Map<number, Probe>>() };
  const remembered = (value: number, accountant: Asked, what: Settings['by']): Probe => {
    const known = memory[what];
    const answers = known.get(accountant) ?? new Map<number, Probe>();
    const before = answers.get(value);
    if (before !== undefined) return before;
    const probe = fresh(value, accountant, what);
    known.set(accountant, answers.set(value, probe));
    return probe;
  };
  return {
    probe: (value, accountant) => remembered(value, accountant, by),
    probeOther: (value, accountant) => remembered(value, accountant, other),
    tried: (accountant) => [...(memory[by].get(accountant)?.values() ?? [])]
      .filter((probe): probe is Probe & { readonly achieved: Interval } => probe.achieved !== undefined).toSorted((a, b) => a.value - b.value),
    left: () => probeLimit - 1 - used,
    used: () => used,
    refusal: () => (accepted === 0 ? first : undefined),
  };

  function fresh(value: number, accountant: Asked, what: Settings['by']): Probe {
    signal?.throwIfAborted();
    used++;
    try {
      const achieved = ask(accountant, make(value), what);
      const goal = what === 'epsilon' ? epsilon : delta;
      accepted++;
      return { value, achieved, met: achieved.upper <= goal, excess: Math.log(achieved.upper) - Math.log(goal) };
    } catch (error) {
      if (!(error instanceof InvalidParameter || error instanceof Unsupported)) throw error;
      first ??= error;
      return { value, achieved: undefined, met: false, excess: Infinity };
    }
  }
}
