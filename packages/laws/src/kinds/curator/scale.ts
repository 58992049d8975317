import { adjacencies, type Adjacency, type PrivacyEvent, type Sensitivity, type Target } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { multiplier, probesUnder, type Probe } from './probes.js';
import { multiplierFor } from './stand-ins/index.js';
import { openFixture, underEach } from './fixture.js';

const targets: readonly { readonly target: Target; readonly multiplier: number }[] = [
  { target: { noiseMultiplier: multiplier }, multiplier },
  { target: { noiseMultiplier: 0.1 }, multiplier: 0.1 },
  { target: { rho: 0.3 }, multiplier: multiplierFor({ rho: 0.3 }) },
  { target: { epsilon: 1.7, delta: 1e-6 }, multiplier: multiplierFor({ epsilon: 1.7, delta: 1e-6 }) },
];

/** σ and sensitivity of an event of Gaussian noise, inside its samplers and partitions. */
interface GaussianCharge {
  readonly sigma: number;
  readonly sensitivity: Sensitivity;
}
function chargeOf(event: PrivacyEvent): GaussianCharge | undefined {
  if (event.kind === 'core/gaussian') return event as PrivacyEvent & GaussianCharge;
  const { event: inner, parts } = event as {
    readonly event?: PrivacyEvent;
    readonly parts?: readonly (PrivacyEvent | { readonly event: PrivacyEvent; readonly count: number })[];
  };
  if (inner !== undefined) return chargeOf(inner);
  const [only] = parts ?? [];
  if (parts?.length !== 1 || only === undefined) return undefined;
  if ('event' in only) return only.count === 1 ? chargeOf(only.event) : undefined;
  return chargeOf(only as PrivacyEvent);
}

export const scale = defineLaw({
  id: 'curator/scale',
  kind: 'curator',
  tier: 'exact',
  invariant: 'I-5',
  statement:
    'The scale of the noise is the multiplier times the sensitivity, computed from bound, ' +
    'public normaliser and adjacency and rounded up; the event records that multiplier and the exact ' +
    'ratios between adjacencies.',
  power: 'a scale too small by a relative error of 10^-13, or different from the charged one by 10^-9',
  cells: underEach,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    let tried = 0;
    // Large numbers of slots too: a missing factor may show only there.
    for (const slots of [1, 3, 7, 60])
      for (const probe of probesUnder(adjacency))
        for (const goal of slots > 7 ? targets.slice(0, 1) : targets) {
          if (probe.name.startsWith('stream') && !('noiseMultiplier' in goal.target)) continue;
          tried++;
          const wrong = wrongScale(subject, { probe, adjacency, slots, ...goal });
          if (wrong !== undefined) return fails(tried, wrong);
        }
    return holds(tried);
  },
});

interface Case {
  readonly probe: Probe;
  readonly adjacency: Adjacency;
  readonly slots: number;
  readonly target: Target;
  readonly multiplier: number;
}

function wrongScale(
  subject: Subject<'curator'>,
  { probe, adjacency, slots, target, multiplier: asked }: Case,
): Violation | undefined {
  const wanted = probe.name.startsWith('stream') ? multiplier : asked;
  // Records of zeros: the answer of a ruler is the scale alone. With many slots the records are longer.
  const dimension = slots > 7 ? 9 : 3;
  const zeros = Array.from({ length: dimension }, () => 0);
  const fixture = openFixture(subject, {
    ...probe.fixture,
    adjacency,
    dimension,
    rows: Array.from({ length: adjacency === 'add-remove' ? 2 : slots }, () => zeros),
    ...(adjacency === 'add-remove' ? { publicSlots: slots } : {}),
  });
  const answer = probe.release(fixture, 'ruler', target);
  const input = { release: probe.name, adjacency, slots, target };
  const one = probe.sensitivity(adjacency, slots);
  const [smallest, largest] = [Math.min(...Array.from(answer)), Math.max(...Array.from(answer))];
  if (!(smallest >= wanted * one * (1 - 2 ** -46)))
    return {
      what: `the noise of "${probe.name}" has a scale below multiplier × sensitivity`,
      measured: smallest,
      allowed: wanted * one,
      input,
    };
  const event = fixture.curator.spent();
  const charge = chargeOf(event);
  if (charge === undefined)
    return {
      what:
        `one release of Gaussian noise, "${probe.name}", ` +
        `has another kind of charge: ${JSON.stringify(event)}`,
      input,
    };
  const own = charge.sensitivity[adjacency];
  const claimed = charge.sigma / (own ?? Number.NaN);
  if (!(claimed <= (smallest / one) * (1 + 1e-12)))
    return {
      what: `the event of "${probe.name}" claims a larger noise multiplier than the true one`,
      measured: claimed,
      allowed: smallest / one,
      input,
    };
  if (!(largest / one <= claimed * (1 + 1e-9)))
    return {
      what: `the noise of "${probe.name}" has a larger scale than charged`,
      measured: largest / one,
      allowed: claimed,
      input,
    };
  // Rounding to the grid may increase the scale a little, and the event then records it.
  if (!(claimed <= wanted * (1 + 1e-3)))
    return {
      what: `"${probe.name}" gets another noise multiplier than requested`,
      measured: claimed,
      allowed: wanted,
      input,
    };
  for (const other of adjacencies) {
    const recorded = charge.sensitivity[other];
    if (recorded === undefined) continue;
    const ratio = probe.sensitivity(other, slots) / probe.sensitivity(adjacency, slots);
    if (!(recorded / (own ?? Number.NaN) >= ratio * (1 - 1e-12)))
      return {
        what:
          `the event of "${probe.name}" understates the sensitivity under ${other}, ` +
          `in units of that under ${adjacency}`,
        measured: recorded / (own ?? Number.NaN),
        allowed: ratio,
        input,
      };
  }
  return undefined;
}
