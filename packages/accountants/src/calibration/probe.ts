import {
  type Accountant,
  type AccountingContext,
  type Interval,
  InvalidParameter,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import type { Settings } from './options.js';

/** The result of trying one value. */
export interface Probe {
  readonly value: number;
  /** Cost; absent if the value was refused. */
  readonly achieved: Interval | undefined;
  readonly met: boolean;
  /** log(cost / target); not finite if one of them is 0 or infinite, or if the value was refused. */
  readonly excess: number;
}

/**
 * Prices values of the free number and counts the probes. Repeated probes come from a cache and are not
 * counted.
 */
export interface Prober {
  /** Prices a value with `accountant`. A refused value counts as not meeting the target. */
  probe(value: number, accountant: Asked): Probe;
  /** The same for the other quantity: δ at the target's ε instead of ε at the target's δ, or vice versa. */
  probeOther(value: number, accountant: Asked): Probe;
  /** Number of probes left, with one kept in reserve for the final check. */
  left(): number;
  used(): number;
  /** Probes that `accountant` accepted, in ascending order of value. */
  tried(accountant: Asked): readonly (Probe & { readonly achieved: Interval })[];
  /** Error of the first probe, if all probes were refused. */
  refusal(): Error | undefined;
}

/** One accountant, or several combined. */
export type Asked = Pick<Accountant, 'epsilon' | 'delta'>;

export function proberOf(
  { make, adjacency, epsilon, delta, by, probeLimit }: Settings,
  signal?: AccountingContext['signal'],
): Prober {
  const context: AccountingContext = { adjacency, ...(signal && { signal }) };
  const other = by === 'epsilon' ? 'delta' : 'epsilon';
  const ask = (accountant: Asked, event: PrivacyEvent, what: Settings['by']): Interval =>
    what === 'epsilon'
      ? accountant.epsilon(event, { ...context, delta })
      : accountant.delta(event, { ...context, epsilon });
  let first: Error | undefined;
  let accepted = 0;
  let used = 0;
  const memory = {
    epsilon: new Map<Asked, Map<number, Probe>>(),
    delta: new Map<Asked, Map<number, Probe>>(),
  };
  const cached = (value: number, accountant: Asked, what: Settings['by']): Probe => {
    const known = memory[what];
    const answers = known.get(accountant) ?? new Map<number, Probe>();
    const before = answers.get(value);
    if (before !== undefined) return before;
    const probe = fresh(value, accountant, what);
    known.set(accountant, answers.set(value, probe));
    return probe;
  };
  return {
    probe: (value, accountant) => cached(value, accountant, by),
    probeOther: (value, accountant) => cached(value, accountant, other),
    tried: (accountant) =>
      [...(memory[by].get(accountant)?.values() ?? [])]
        .filter((probe): probe is Probe & { readonly achieved: Interval } => probe.achieved !== undefined)
        .toSorted((a, b) => a.value - b.value),
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
      return {
        value,
        achieved,
        met: achieved.upper <= goal,
        excess: Math.log(achieved.upper) - Math.log(goal),
      };
    } catch (error) {
      if (!(error instanceof InvalidParameter || error instanceof Unsupported)) throw error;
      first ??= error;
      return { value, achieved: undefined, met: false, excess: Infinity };
    }
  }
}
