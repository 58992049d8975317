import {
  eventKindsOf,
  adjacencies,
  composedEvent,
  gaussianEvent,
  sameEvent,
  unprotectedEvent,
  type CoreEvent,
  type MeanShape,
  type PrivacyEvent,
  type Sensitivity,
} from '@lethe/core';
import { claimIfKnown } from '../../divergence/claimed-profile.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { otherShapes } from './other-shapes.js';
import { mechanismOf, noShape, shapesOf, wholeShape, type CentralSubject } from './release.js';

const multipliers = [0.3, 1, 4, 100] as const;

/** Events that noise on a value of the mean's sensitivity can have. */
function noisesOf(subject: CentralSubject, relative: Sensitivity): readonly PrivacyEvent[] {
  const mechanism = mechanismOf(subject);
  const own =
    mechanism === undefined
      ? []
      : multipliers.map((by) => mechanism.plugin.event(mechanism.params, by, relative));
  return [
    ...own,
    ...multipliers.map((by) => gaussianEvent(by, relative)),
    composedEvent([gaussianEvent(1, relative), gaussianEvent(2, relative)]),
  ];
}

/** Whole noise on whole values, which move by whole steps: a mean that knows of the steps may say so. */
const onItsGrid = (
  noise: PrivacyEvent,
  { plugin }: CentralSubject,
  { step, entries }: { readonly step: number; readonly entries: number },
): PrivacyEvent =>
  plugin.integers === true && noise.kind === 'core/discrete-gaussian'
    ? ({
        ...(noise as CoreEvent<'core/discrete-gaussian'>),
        grid: step,
        entries,
      } satisfies CoreEvent<'core/discrete-gaussian'> as PrivacyEvent)
    : noise;

/** The first event that costs less than the noise in it, in one shape; `isBrief`: for one noise. */
function cheaperThanNoise(subject: CentralSubject, shape: MeanShape, isBrief: boolean): Finding {
  const { plugin, params, registry } = subject;
  const kinds = eventKindsOf(registry);
  const declared = plugin.sensitivity(params, shape);
  const units = Object.values(declared).filter((size) => size !== undefined);
  if (units.length === 0) return holds(0);
  const relative = Object.fromEntries(
    adjacencies
      .filter((adjacency) => declared[adjacency] !== undefined)
      .map((adjacency) => [adjacency, (declared[adjacency] ?? Number.NaN) / units[0]]),
  );
  let samples = 0;
  const profile = (
    event: PrivacyEvent,
    adjacency: (typeof adjacencies)[number],
  ): ((epsilon: number) => number) | undefined => claimIfKnown(event, adjacency, kinds)?.delta;
  const noises = noisesOf(subject, relative);
  for (const noise of isBrief ? noises.slice(1, 2) : noises)
    for (const adjacency of adjacencies) {
      const least = onItsGrid(noise, subject, { step: 1 / units[0], entries: shape.dimension });
      const event = plugin.event(params, noise, shape);
      // One event has one profile.
      if (sameEvent(event, least)) {
        samples++;
        continue;
      }
      const floor = profile(least, adjacency);
      const claim = profile(event, adjacency);
      if (floor === undefined || claim === undefined) continue;
      for (const epsilon of [0, 0.1, 0.5, 1, 2, 4, 8, 16]) {
        samples++;
        const measured = claim(epsilon);
        const allowed = floor(epsilon);
        if (!(measured >= allowed * (1 - 1e-9))) {
          return fails(samples, {
            what:
              `under ${adjacency} the event of the release claims δ(${epsilon}) = ${measured}, ` +
              `less than the ${allowed} of its noise alone (dimension ${shape.dimension}, ` +
              `${shape.slots} slots, weight ${shape.weight})`,
            measured,
            allowed,
            input: { noise, event },
          });
        }
      }
    }
  return holds(samples);
}

/** The event of the release costs at least what the noise lets through. */
export const eventDominates = defineMeanLaw({
  id: 'mean/event',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'the event of the release claims at least the δ(ε) of the event of its noise, ' +
    'at every ε and under every adjacency the noise knows, for releases of any shape and weight: whatever ' +
    'else it does, a release costs its noise; one without noise stays unprotected',
  power:
    'any claim below that of the noise by more than 10^-9 of it, at one of 8 ε for 9 events, ' +
    'and for one of them in up to 27 shapes of up to 129 entries and 2^20 slots',
  exempt: noShape,
  check(subject) {
    let samples = 0;
    const shapes = [...shapesOf(subject, { most: 1 }), ...otherShapes(subject)];
    for (const [i, shape] of shapes.entries()) {
      const whole = wholeShape(subject, shape);
      const found = cheaperThanNoise(subject, { ...whole, weight: i % 3 === 2 ? 3 : 1 }, i > 0);
      samples += found.samples;
      if (found.verdict === 'fails') return { ...found, samples };
    }
    const shape = shapes[0];
    const kinds = eventKindsOf(subject.registry);
    for (const adjacency of adjacencies) {
      const free = subject.plugin.event(subject.params, unprotectedEvent, wholeShape(subject, shape));
      const claim = claimIfKnown(free, adjacency, kinds)?.delta(1);
      if (claim !== undefined && !(claim >= 1))
        return fails(samples + 1, {
          what: `a release without noise claims δ(1) = ${claim} under ${adjacency}; it has no privacy, δ = 1`,
          measured: claim,
          allowed: 1,
          input: free,
        });
    }
    return holds(samples);
  },
});
