import {
  type Adjacency,
  type PrivacyEvent,
  type CharacterisationKind,
  type Characterisations,
  type Direction,
  type DominatingPair,
  dominatingPair,
  type PrivacyLossDistribution,
} from '@lethe/core';
import { defined, Unsupported, divideUp, multiplyUp } from '@lethe/numerics';
import {
  amplifiedPure,
  type Case,
  coveringNulls,
  innerLossDistribution,
  nothingLearnt,
  sendsMessages,
  soleLossDistribution,
  tiltedMixture,
  truncation,
  type Truncation,
  withGrain,
} from '../../amplification/index.js';
import { attempt } from '../../attempt.js';
import { combiners } from '../../combine.js';
import type { Knowledge, NestedResolver } from '../../knowledge.js';
import { maximalLossDistribution, presentInPoisson } from '../../pairs/index.js';
import { presenceRenyi } from '../../renyi/index.js';
import { allRecords, atMost } from './all-records.js';
import { type Inside, insideOf } from './inside.js';
import { presentPairs, replacedPairs } from './poisson-pairs.js';
import { poisson } from './poisson.js';
import { attainedAlone, presentWitness, replacedWitness } from './present-witness.js';
import type { SampledBy } from './sampler-distribution.js';

/**
 * A Poisson sample, truncated to a uniform subset of size `most` if it is larger. The analysis reveals the
 * other records of the batch; only their number matters.
 */
export const truncatedPoisson: SampledBy<'core/truncated-poisson'> = (
  { n, rate, most },
  event,
  adjacency,
  nested,
) => {
  if (most >= n)
    return rate === 1 ? allRecords(event, adjacency, nested) : poisson(rate, event, adjacency, nested);
  if (sendsMessages(event)) {
    throw new Unsupported(
      'messages of single records, in a sample of hidden size, cannot be accounted: ' +
        'every record that is drawn sends one, a null record too, so it differs from an absent one',
      { adjacency },
    );
  }
  const cut = truncationOf(n, rate, most);
  switch (adjacency) {
    case 'zero-out':
      return emptied(cut, rate, event, nested);
    case 'replace-one':
      return replaced(cut, rate, event, nested);
    case 'add-remove':
      return removed(cut, { rate, most }, event, nested);
  }
};

let latest:
  | { readonly n: number; readonly rate: number; readonly most: number; readonly cut: Truncation }
  | undefined;

/** Probabilities of the sample, with a cache of size one, since all characterisations use the same. */
function truncationOf(n: number, rate: number, most: number): Truncation {
  if (latest?.n !== n || latest.rate !== rate || latest.most !== most)
    latest = { n, rate, most, cut: truncation(n, rate, most) };
  return latest.cut;
}

/**
 * Zero-out: the null record adds nothing, and both records are drawn with equal probability and the same
 * others.
 */
function emptied(cut: Truncation, rate: number, event: PrivacyEvent, nested: NestedResolver): Knowledge {
  const inside = presence(event, nested);
  const rateAtLimit = rateBeside(cut, rate);
  return {
    ...atMost(
      event,
      nested.known(event, 'rdp', 'zero-out', 'event') === undefined ? 'add-remove' : 'zero-out',
      nested,
    ),
    pure: () => amplifiedPure(rateAtLimit, inside('pure')),
    approximate: () => {
      const { epsilon, delta } = inside('approximate');
      return { epsilon: amplifiedPure(rateAtLimit, epsilon), delta: multiplyUp(rateAtLimit, delta) };
    },
    rdp: () =>
      meanRenyi(
        cut,
        [
          { mass: cut.free, rate },
          { mass: cut.last + cut.taken, rate: rateAtLimit },
        ],
        inside,
      ),
    pair: () =>
      (['remove', 'add'] as const).map((direction) =>
        Object.assign(
          inPlace(cut, direction, (at) => presentPairs(at, inside), { rate, rateAtLimit }),
          presentWitness(attainedAlone(event, 'zero-out', nested), rateAtLeast(cut, rate), direction),
        ),
      ),
  };
}

/** Replace-one: the other record is in the same batches, at the same position. */
function replaced(cut: Truncation, rate: number, event: PrivacyEvent, nested: NestedResolver): Knowledge {
  const inside = presence(event, nested);
  const pairs = (at: number): readonly DominatingPair[] =>
    at === 1
      ? [dominatingPair('symmetric', innerLossDistribution(event, 'replace-one', nested, 'symmetric'))]
      : replacedPairs(at, inside, () => nested(event, 'gdp', 'replace-one', 'event'));
  return {
    ...atMost(event, 'replace-one', nested),
    pair: () => [
      {
        ...inPlace(cut, 'symmetric', pairs, { rate, rateAtLimit: rateBeside(cut, rate) }),
        ...replacedWitness(
          nested.known(event, 'gdp', 'zero-out', 'event') ??
            nested.known(event, 'gdp', 'add-remove', 'event'),
          nested.known(event, 'gdp', 'replace-one', 'event'),
          rateAtLeast(cut, rate),
        ),
      },
    ],
  };
}

/**
 * Pair of a record that is present at the rate `rate` with fewer than `most − 1` others, at the rate
 * `rateAtLimit` with `most − 1` others, and absent with more.
 */
function inPlace(
  cut: Truncation,
  direction: Direction,
  pairsAt: (rate: number) => readonly DominatingPair[],
  { rate, rateAtLimit }: { readonly rate: number; readonly rateAtLimit: number },
): DominatingPair {
  const at = (mass: number, of: number): Case => ({
    p: mass,
    q: mass,
    distribution: distributionOf(pairsAt(of), direction),
  });
  return dominatingPair(
    direction,
    mixtureOf(cut, [
      at(cut.free, rate),
      at(cut.last + cut.taken, rateAtLimit),
      { p: cut.spared, q: cut.spared, distribution: nothingLearnt },
    ]),
  );
}

/**
 * Add-remove: in a full batch another record may take the place of the removed one. Either the analysis
 * reveals the number of others, or, if that would reveal too much, one of the others stays secret: then a
 * record of a full batch is replaced, with probability `taken/full`.
 */
function removed(
  cut: Truncation,
  { rate, most }: { readonly rate: number; readonly most: number },
  event: PrivacyEvent,
  nested: NestedResolver,
): Knowledge {
  const inside = presence(event, nested, ['add-remove']);
  const instead = coveringNulls(event, 'add-remove');
  const dominating = (direction: 'remove' | 'add'): DominatingPair => {
    const present = (at: number): PrivacyLossDistribution =>
      distributionOf(presentPairs(at, inside), direction);
    const replacing =
      cut.taken <= cut.last
        ? undefined
        : attempt(() => innerLossDistribution(instead, 'replace-one', nested, 'symmetric'));
    if (replacing !== undefined) {
      const share = Math.min(1, (cut.taken / cut.full) * (1 + 4 * cut.grain));
      const room = cut.free + cut.last;
      return dominatingPair(
        direction,
        mixtureOf(cut, [
          { p: room, q: room, distribution: present(rate) },
          { p: cut.full, q: cut.full, distribution: presentInPoisson(replacing, share, direction) },
        ]),
      );
    }
    const facing = (mass: number, without: number, of: PrivacyLossDistribution): Case =>
      direction === 'remove'
        ? { p: mass, q: without, distribution: of }
        : { p: without, q: mass, distribution: of };
    return dominatingPair(
      direction,
      mixtureOf(cut, [
        facing(cut.free, cut.free, present(rate)),
        facing(cut.last + cut.taken, cut.last, present(rateBeside(cut, rate))),
        facing(cut.spared, cut.full, nothingLearnt),
      ]),
    );
  };
  const worse =
    <C extends CharacterisationKind>(want: C) =>
    (): Characterisations[C] =>
      (combiners[want].largest as (parts: readonly Characterisations[C][]) => Characterisations[C])([
        inside(want),
        nested(instead, want, 'replace-one', 'event'),
      ]);
  return {
    pure: () =>
      Math.max(
        amplifiedPure(rate, inside('pure')),
        amplifiedPure(
          divideUp(multiplyUp(rate, most), most + 1),
          nested(instead, 'pure', 'replace-one', 'event'),
        ),
      ),
    zcdp: worse('zcdp'),
    tcdp: worse('tcdp'),
    rdp: worse('rdp'),
    gdp: () => ({ ...worse('gdp')(), lower: 0, exact: false }),
    pair: () =>
      (['remove', 'add'] as const).map((direction) => ({
        ...dominating(direction),
        ...presentWitness(attainedAlone(event, 'add-remove', nested), rateAtLeast(cut, rate), direction),
      })),
  };
}

/** Characterisations of the event when one record is present or absent. */
const presence = (
  event: PrivacyEvent,
  nested: NestedResolver,
  under: readonly Adjacency[] = ['zero-out', 'add-remove'],
): Inside => insideOf(event, nested, under);

/** Probability that a record is in the batch, rounded down. */
const rateAtLeast = ({ free, last, taken, grain }: Truncation, rate: number): number =>
  (rate * (free + last) + taken) * (1 - grain - 2 ** -48);

/** Probability of presence with `most − 1` others, rounded up. */
const rateBeside = ({ last, taken, grain }: Truncation, rate: number): number =>
  last + taken > 0
    ? Math.min(1, Math.max(rate, ((rate * last + taken) / (last + taken)) * (1 + 4 * grain)))
    : 1;

function distributionOf(pairs: readonly DominatingPair[], direction: Direction): PrivacyLossDistribution {
  const distributions = pairs
    .filter(
      (pair) => direction === 'symmetric' || pair.direction === direction || pair.direction === 'symmetric',
    )
    .map((pair) => defined(soleLossDistribution(pair)));
  return distributions.length === 1 ? distributions[0] : maximalLossDistribution(distributions);
}

/** Mixture of the cases; probability mass that was not computed counts as revealed. */
const mixtureOf = ({ unknown, grain }: Truncation, cases: readonly Case[]): PrivacyLossDistribution => {
  const possible = cases.filter(({ p, q }) => p > 0 || q > 0);
  return withGrain(
    tiltedMixture(unknown > 0 ? [...possible, { p: unknown, q: 0, distribution: nothingLearnt }] : possible),
    4 * grain,
  );
};

/** Revealing the number of others is allowed; the moment is then the mean of the cases' moments. */
function meanRenyi(
  cut: Truncation,
  cases: readonly { readonly mass: number; readonly rate: number }[],
  inside: Inside,
): (alpha: number) => number {
  const { mu } = inside('gdp');
  if (mu === 0) return () => 0;
  const unsampled = inside('rdp');
  if (mu === Infinity) return unsampled;
  const curves = cases
    .filter(({ mass }) => mass > 0)
    .map(({ mass, rate }) => ({ mass, curve: rate === 1 ? unsampled : presenceRenyi({ rate, mu }) }));
  return (alpha) => {
    const logs = curves.map(({ curve }) => multiplyUp(alpha - 1, curve(alpha)));
    if (cut.unknown > 0 || logs.some((log) => log > 600))
      return Math.min(unsampled(alpha), Math.max(...curves.map(({ curve }) => curve(alpha))));
    const excess =
      curves.reduce((sum, { mass }, i) => sum + mass * Math.expm1(logs[i]), 0) *
      (1 + 4 * cut.grain + 2 ** -44);
    return Math.min(unsampled(alpha), divideUp(Math.log1p(excess) * (1 + 2 ** -50), alpha - 1));
  };
}
