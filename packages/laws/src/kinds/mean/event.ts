import {
  eventKindsOf,
  adjacencies,
  composedEvent,
  gaussianEvent,
  sameEvent,
  unprotectedEvent,
  type CoreEvent,
  type PrivacyEvent,
  type Sensitivity,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import { claimIfKnown } from '../../divergence/claimed-profile.js';
import { fails, holds } from '../../law/finding.js';
import { defineMeanLaw } from './define-mean-law.js';
import { mechanismOf, noShape, sensitivityAt, shapesOf, wholeShape, type CentralSubject } from './release.js';

const multipliers = [0.3, 1, 4] as const;

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

/** The event of the release costs at least what the noise lets through. */
export const eventDominates = defineMeanLaw({
  id: 'mean/event',
  tier: 'exact',
  invariant: 'I-1',
  statement:
    'the event of the release claims at least the δ(ε) of the event of its noise, ' +
    'at every ε and under every adjacency the noise knows: whatever else it does, ' +
    'a release costs its noise; one without noise stays unprotected',
  power: 'any claim below that of the noise by more than 10^-9 of it, at one of 8 ε for 7 events',
  exempt: noShape,
  check(subject) {
    const { plugin, params, registry } = subject;
    const kinds = eventKindsOf(registry);
    const shape = shapesOf(subject)[0];
    const declared = defined(sensitivityAt(subject, shape));
    const units = Object.values(declared).filter((size) => size !== undefined);
    if (units.length === 0) return holds(0, 'it declares no adjacency at all');
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
    for (const noise of noisesOf(subject, relative))
      for (const adjacency of adjacencies) {
        const least = onItsGrid(noise, subject, { step: 1 / units[0], entries: shape.dimension });
        const event = plugin.event(params, noise, wholeShape(subject, shape));
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
                `less than the ${allowed} of its noise alone`,
              measured,
              allowed,
              input: { noise, event },
            });
          }
        }
      }
    for (const adjacency of adjacencies) {
      const claim = profile(
        plugin.event(params, unprotectedEvent, wholeShape(subject, shape)),
        adjacency,
      )?.(1);
      if (claim !== undefined && !(claim >= 1))
        return fails(samples + 1, {
          what: `a release without noise claims δ(1) = ${claim} under ${adjacency}; it has no privacy, δ = 1`,
          measured: claim,
          allowed: 1,
          input: plugin.event(params, unprotectedEvent, wholeShape(subject, shape)),
        });
    }
    return holds(samples);
  },
});
