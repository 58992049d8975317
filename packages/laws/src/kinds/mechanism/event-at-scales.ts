import { claimIfKnown } from '../../divergence/claimed-profile.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { isExact, kindsOf, type MechanismSubject, supportedScale } from './call.js';
import { cdfAtScale } from './cdf-at-scale.js';
import { noiseFacts } from './lower-bounds.js';

const scales = [1.5, 5, 17, 60, 257, 4100];
/** Sensitivities in units of the scale, rounded to integers. */
const ratios = [0.5, 1, 2, 4];
const epsilons = [0.1, 0.5, 1, 2, 4, 8];

export const eventAtScales = defineLaw({
  id: 'mechanism/event-at-scales',
  kind: 'mechanism',
  tier: 'exact',
  property: 'event',
  statement:
    'the δ(ε) of the event of integer noise is at least the divergence of its declared distribution, at ' +
    'every scale and not at scale 1 alone',
  power: 'a profile that is too low by 1e-9 at one of 6 values of ε, at six scales from 1.5 to 4100',
  exempt: (subject) =>
    isExact(subject) && subject.plugin.cdfAt !== undefined
      ? undefined
      : 'it declares no distribution of other scales; see mechanism/event',
  check(subject, env) {
    const { plugin, params } = subject;
    let checks = 0;
    for (const scale of scales) {
      if (supportedScale(subject, [scale], env.random('tried')) === undefined) continue;
      const cdf = cdfAtScale(subject, scale);
      const there: MechanismSubject = { ...subject, plugin: { ...plugin, cdf: (_params, x) => cdf(x) } };
      const facts = noiseFacts(there);
      for (const shift of new Set(ratios.map((ratio) => Math.max(1, Math.round(ratio * scale))))) {
        const event = plugin.event(params, scale / shift, { 'replace-one': 1 });
        const claim = claimIfKnown(event, 'replace-one', kindsOf(subject));
        if (claim === undefined) continue;
        for (const epsilon of epsilons) {
          checks++;
          const claimed = claim.delta(epsilon);
          const { lower, witness } = facts.delta(shift, epsilon);
          if (lower <= claimed) continue;
          return fails(checks, {
            what:
              `at scale ${scale} the event claims δ(${epsilon}) = ${claimed}, ` +
              `a neighbour ${shift} away has at least ${lower}`,
            measured: lower,
            allowed: claimed,
            witness,
            input: { scale, shift, epsilon, event },
          });
        }
      }
    }
    return holds(
      Math.max(1, checks),
      checks === 0 ? 'no event has a characterisation; nothing was compared' : undefined,
    );
  },
});
