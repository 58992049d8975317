import { pld, rdp } from '@lethe/accountants';
import {
  gaussianEvent,
  repeatedEvent,
  sampledEvent,
  type CoreEvent,
  type PrivacyEvent,
  type SamplerSpec,
} from '@lethe/core';
import type { LawId } from '@lethe/laws';
import { defineMutant, type Mutant } from '../mutant.js';
import { pldAccountant } from '../reference/pld.js';
import { misreading } from './plant.js';

/* Shortcuts for what takes a theorem, each taken by an accountant that is exact otherwise. */

const source = 'generic';
const killedBy: readonly LawId<'accountant'>[] = ['accountant/amplified'];

type Sampled<K extends SamplerSpec['kind']> = Extract<SamplerSpec, { kind: K }>;
const sampledAs =
  <K extends SamplerSpec['kind']>(
    kind: K,
    read: (sampler: Sampled<K>, event: PrivacyEvent) => PrivacyEvent,
  ) =>
  (event: PrivacyEvent): PrivacyEvent => {
    const core = event as CoreEvent;
    return core.kind === 'core/sampled' && core.sampler.kind === kind
      ? read(core.sampler as Sampled<K>, core.event)
      : event;
  };
const poisson = (rate: number, event: PrivacyEvent): PrivacyEvent =>
  sampledEvent({ kind: 'core/poisson', rate }, event);
/** A Poisson sample charged with removal in place of replacement, as the sampler requires. */
const planted = (
  id: `X-AMPLIFIED-${number}`,
  title: string,
  read: (event: PrivacyEvent) => PrivacyEvent,
  within = 120,
): Mutant<'accountant'> =>
  defineMutant({
    id,
    kind: 'accountant',
    title,
    source,
    killedBy,
    within,
    plant: () => misreading(pldAccountant(id), read),
  });

export const squaredShare = planted(
  'X-AMPLIFIED-1',
  'a draw without replacement is amplified by the square of its sampling fraction',
  sampledAs('core/fixed-size', ({ n, size, replacement }, event) =>
    replacement || size === n
      ? sampledEvent({ kind: 'core/fixed-size', n, size, replacement }, event)
      : poisson((size / n) ** 2, event),
  ),
);
export const shareAsRate = planted(
  'X-AMPLIFIED-2',
  'under zero-out a draw without replacement is charged as a Poisson sample: ' +
    'the replacement of the record in the sample is ignored',
  sampledAs('core/fixed-size', ({ n, size, replacement }, event) =>
    replacement || size === n
      ? sampledEvent({ kind: 'core/fixed-size', n, size, replacement }, event)
      : poisson(size / n, event),
  ),
);
export const drawnOnce = planted(
  'X-AMPLIFIED-3',
  'a record drawn twice is charged as drawn once',
  sampledAs('core/fixed-size', ({ n, size, replacement }, event) =>
    replacement
      ? poisson(-Math.expm1(size * Math.log1p(-1 / n)), event)
      : sampledEvent({ kind: 'core/fixed-size', n, size, replacement }, event),
  ),
);
export const independentPartition = planted(
  'X-AMPLIFIED-4',
  'a random allocation is charged as independent samples',
  sampledAs('core/random-allocation', ({ steps }, event) =>
    steps === 1 ? event : repeatedEvent(poisson(1 / steps, event), steps),
  ),
);
export const cutOffForFree = planted(
  'X-AMPLIFIED-5',
  'a truncated sample is charged at the rate after truncation',
  sampledAs('core/truncated-poisson', ({ n, rate, most }, event) => poisson(Math.min(rate, most / n), event)),
);

const groupAs =
  (read: (size: number, event: CoreEvent) => PrivacyEvent | undefined) =>
  (event: PrivacyEvent): PrivacyEvent => {
    const core = event as CoreEvent;
    if (core.kind !== 'core/group') return event;
    // Undefined: refused, as by any accountant without groups.
    return core.size === 1 ? core.event : (read(core.size, core.event as CoreEvent) ?? event);
  };
export const linearFailure = planted(
  'X-AMPLIFIED-6',
  'a group of size k is charged k times δ',
  groupAs((size, event) =>
    event.kind === 'core/approximate'
      ? ({ ...event, epsilon: size * event.epsilon, delta: Math.min(1, size * event.delta) } as PrivacyEvent)
      : undefined,
  ),
);
export const composedGroup = planted(
  'X-AMPLIFIED-7',
  'a group of size k is charged as k releases: √k times the shift instead of k times',
  groupAs((size, event) => repeatedEvent(event, size)),
);
export const groupDrawnTogether = planted(
  'X-AMPLIFIED-8',
  'a group in a sample is charged as one record',
  groupAs((_, event) => (event.kind === 'core/sampled' ? event : undefined)),
);

export const baseTwice = planted(
  'X-AMPLIFIED-9',
  'the best of many private runs is charged as two runs',
  (event) => {
    const core = event as CoreEvent;
    return core.kind === 'core/selection' ? repeatedEvent(core.base, 2) : event;
  },
);
export const oneOfRuns = planted(
  'X-AMPLIFIED-14',
  'the best of a negative binomial or Poisson number of private runs is charged as one run',
  (event) => {
    const core = event as CoreEvent;
    return core.kind === 'core/negative-binomial-selection' || core.kind === 'core/poisson-selection'
      ? core.base
      : event;
  },
);
export const meanShift = planted(
  'X-AMPLIFIED-10',
  'noise with a random shift is charged as noise with the mean shift',
  (event) => {
    const core = event as CoreEvent;
    if (core.kind !== 'core/gaussian-mixture') return event;
    const mean = core.shifts.reduce((sum, shift, i) => sum + shift * core.probabilities[i], 0);
    return gaussianEvent(core.sigma, { 'add-remove': mean, 'zero-out': mean });
  },
);
export const meansOfMixtures = planted(
  'X-AMPLIFIED-13',
  'a mixture against a mixture is charged as noise about the mean of each',
  (event) => {
    const core = event as CoreEvent;
    if (core.kind !== 'core/gaussian-mixture-pair') return event;
    const meanOf = ({ means, probabilities }: typeof core.first): number =>
      means.reduce((sum, mean, i) => sum + mean * probabilities[i], 0);
    const apart = meanOf(core.first) - meanOf(core.second);
    return gaussianEvent(core.sigma, { 'replace-one': apart, 'add-remove': apart, 'zero-out': apart });
  },
);
export const shuffledByRoot = planted(
  'X-AMPLIFIED-11',
  'n shuffled messages are charged ε/√n without δ',
  (event) => {
    const core = event as CoreEvent;
    return core.kind === 'core/shuffled-local'
      ? ({ kind: 'core/pure', v: 1, epsilon: core.epsilon / Math.sqrt(core.users) } as PrivacyEvent)
      : event;
  },
);
export const moreClones = defineMutant({
  id: 'X-AMPLIFIED-12',
  kind: 'accountant',
  title: 'shuffled messages have the clones of a tenth more users',
  source,
  killedBy,
  within: 120,
  plant: () =>
    misreading(pld, (event) => {
      const core = event as CoreEvent;
      return core.kind === 'core/shuffled-local'
        ? ({ ...core, users: Math.ceil(1.1 * core.users) } as PrivacyEvent)
        : event;
    }),
});
export const failureDrawnTwice = defineMutant({
  id: 'accountant/may-fail-inside-draw-without-replacement-credited',
  kind: 'accountant',
  title: 'a failure probability inside a draw without replacement is amplified twice',
  source: 'docs/decisions/0018',
  killedBy: ['accountant/presence'],
  within: 20,
  plant: () =>
    misreading(
      rdp,
      sampledAs('core/fixed-size', (sampler, event) => {
        const core = event as CoreEvent;
        return sampledEvent(
          sampler,
          core.kind === 'core/failing' && !sampler.replacement
            ? ({ ...core, delta: core.delta * (sampler.size / sampler.n) } as PrivacyEvent)
            : event,
        );
      }),
    ),
});
