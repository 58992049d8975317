import { defined } from '@lethe/numerics';
import { claimedProfile } from '../../divergence/claimed-profile.js';
import { audit } from '../../engines/audit.js';
import { skipped, type Finding } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, kindsOf, type MechanismSubject, noised } from './call.js';
import { directionsOf } from './directions.js';

/** Ratios `sensitivity / scale` at which 10 % too little noise is detectable in about 10⁴ pairs. */
const shifts = [1, 2, 4];
const onDiagonal = 4;

type Place = {
  readonly shift: number;
  readonly copies: number;
  readonly sensitivity: number;
};

const cellOf = (name: string, place: Place) => ({
  name,
  values: { ...place },
  adjacency: 'replace-one' as const,
});

export const divergenceLaw = defineLaw({
  id: 'mechanism/divergence',
  kind: 'mechanism',
  tier: 'statistical',
  statement:
    'the outputs on two neighbours at the sensitivity satisfy the ' +
    'claimed δ(ε) of the release, in both directions',
  power:
    'Gaussian noise 20 % too small at a sensitivity of 2 and 4 times the scale in 6 000 pairs, ' +
    'Laplace noise 25 % too small at 1 and 2 times',
  cells: (subject) =>
    isExact(subject)
      ? [
          ...shifts.map((shift) =>
            cellOf(`sensitivity 4, ${shift} times the scale`, { shift, copies: 1, sensitivity: 4 }),
          ),
          ...[3, 64].map((sensitivity) =>
            cellOf(`sensitivity ${sensitivity}, twice the scale`, { shift: 2, copies: 1, sensitivity }),
          ),
        ]
      : [
          ...shifts.map((shift) =>
            cellOf(`sensitivity ${shift} times the scale`, { shift, copies: 1, sensitivity: 1 }),
          ),
          ...(subject.plugin.scalar === true
            ? []
            : [
                cellOf(`sensitivity twice the scale, along the diagonal`, {
                  shift: 2,
                  copies: onDiagonal,
                  sensitivity: 4,
                }),
              ]),
        ],
  check(subject, env) {
    const { shift, copies, sensitivity } = env.cell.values as Place;
    const { plugin, params } = subject;
    const event = plugin.event(params, 1 / shift, { 'replace-one': 1 });
    const claim = unlessUnsupported(() => claimedProfile(event, 'replace-one', kindsOf(subject)));
    if (claim === undefined)
      return skipped(`the cost of its event '${event.kind}' under replace-one is unknown`);
    return finding(subject, env.alpha, copies === 1 ? 12_000 : 6000);

    function finding(mechanism: MechanismSubject, alpha: number, pairs: number): Finding {
      const scale = sensitivity / shift;
      const each =
        sensitivity * (directionsOf(plugin).find((direction) => direction.copies === copies)?.each ?? 1);
      const neighbours = [new Float64Array(copies), new Float64Array(copies).fill(each)] as const;
      const supported = unlessUnsupported(() => noised(mechanism, neighbours[0], scale, env.random('tried')));
      if (supported === undefined) return skipped(`the scale ${scale} is Unsupported`);
      return audit({
        draw: (neighbour, randomness) => noised(mechanism, neighbours[neighbour], scale, randomness),
        profile: defined(claim).delta,
        pairs: env.samples(pairs),
        most: pairs,
        alpha,
        random: env.random('pairs'),
        input: { scale, neighbours },
      });
    }
  },
});
