import { type Adjacency, adjacencies, parseEvent, type PrivacyEvent, type Sensitivity } from '@lethe/core';
import { claimIfKnown, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { isExact, kindsOf, type MechanismSubject, neverOfScaleOne } from './call.js';
import { noiseFacts } from './lower-bounds.js';

/**
 * Ratios `sensitivity / scale` of a release: where neighbours
 * are distinguishable by sampling, and far on both sides.
 */
const shifts = [1, 2, 4, 0.5, 0.1, 8, 0.6, 32, 2 ** -5, 2 ** -10];
const wholeShifts = [1, 2, 4];
const epsilons = [0.01, 0.1, 0.25, 0.5, 1, 2, 4];
/** Sensitivities in units of the run's sensitivity, for each adjacency of a run. */
const relatives: readonly Sensitivity[] = [
  { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
  { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 },
  { 'replace-one': 2, 'add-remove': 1, 'zero-out': 2 },
  { 'zero-out': 1 },
  { 'replace-one': 1.5 },
];

const claimOf = (
  event: PrivacyEvent,
  adjacency: Adjacency,
  subject: MechanismSubject,
): ClaimedProfile | undefined => claimIfKnown(event, adjacency, kindsOf(subject));

export const eventLaw = defineLaw({
  id: 'mechanism/event',
  kind: 'mechanism',
  tier: 'exact',
  statement:
    'the δ(ε) of the event of a release, at any ε and under any adjacency, ' +
    'is at least the divergence of the declared noise distribution at the sensitivity',
  power:
    'a profile that is too low by 1e-9 at one of 8 values of ε, at sensitivities from 1/1024 to 32 times ' +
    'the scale, along an axis or a diagonal',
  exempt: neverOfScaleOne,
  elsewhere: 2,
  check(subject) {
    const facts = noiseFacts(subject);
    const { plugin, params } = subject;
    let checks = 0;
    let accounted = 0;
    for (const shift of isExact(subject) ? wholeShifts : shifts)
      for (const relative of relatives) {
        const event = plugin.event(params, 1 / shift, relative);
        const broken = wellFormed(event, relative, subject);
        if (broken !== undefined) return broken;
        for (const adjacency of adjacencies) {
          const ratio = relative[adjacency];
          const claim = ratio === undefined ? undefined : claimOf(event, adjacency, subject);
          if (ratio === undefined || claim === undefined) continue;
          accounted++;
          // For a sensitivity of many times the scale, only large ε distinguish the claims.
          const half = (shift * ratio) ** 2 / 2;
          for (const epsilon of half > 8 ? [...epsilons, half] : epsilons) {
            checks++;
            const claimed = claim.delta(epsilon);
            const { lower, witness } = facts.delta(shift * ratio, epsilon);
            if (lower <= claimed) continue;
            return fails(checks, {
              what:
                `under ${adjacency} the event claims δ(${epsilon}) = ${claimed}, ` +
                `a neighbour at ${shift * ratio} times the noise scale has at least ${lower}`,
              measured: lower,
              allowed: claimed,
              witness,
              input: { noiseMultiplier: 1 / shift, relative, adjacency, epsilon, event },
            });
          }
        }
      }
    return holds(
      Math.max(1, checks),
      accounted === 0 ? 'no event has a characterisation; nothing was compared' : undefined,
    );
  },
});

/** An event that core can read, equal at every call, without claims for adjacencies without a sensitivity. */
function wellFormed(
  event: PrivacyEvent,
  relative: Sensitivity,
  subject: MechanismSubject,
): Finding | undefined {
  parseEvent(event, kindsOf(subject));
  for (const adjacency of adjacencies) {
    if (relative[adjacency] !== undefined) continue;
    const claim = claimOf(event, adjacency, subject);
    if (claim === undefined || claim.delta(0) >= 1) continue;
    return fails(1, {
      what:
        `the release has no sensitivity under ${adjacency}, but its event claims ` +
        `δ(0) = ${claim.delta(0)} under it; a missing sensitivity means unsupported, never a default`,
      measured: claim.delta(0),
      allowed: 1,
      input: { relative, adjacency, event },
    });
  }
  return undefined;
}
