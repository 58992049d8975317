import type { PairFactor, PrivacyLossDistribution } from '@lethe/core';
import {
  type Bounds,
  defined,
  divideDown,
  divideUp,
  normalCdfBounds,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import { familyOf, type GaussianFamily } from '../events/pairs/family.js';

/**
 * Many members of one family, as mixtures of few distributions. With `v = Φ(μ/2) − ½` and profiles convex in
 * it, between two anchors `first` and `last`,
 *
 * - a chord lies above: a member at `v` has at most the profile of `(1 − w) first + w last`;
 * - a chord carried on lies below: with `s = (v − v(first)) / (v(first) − v(before))`, at least that of
 *   `(1 + s) first − s before`, which is `(1 − w) first + w beyond` for
 *   `beyond = (1 + reach) first − reach before` and `w = s / reach`.
 */
export interface Ensemble extends Pick<PrivacyLossDistribution, 'infinite' | 'support'> {
  /** Masses of a mixture of some anchors, to plan by. */
  readonly massesInto: Required<PrivacyLossDistribution>['massesInto'];
  readonly grain: number;
  readonly intervals: readonly Interval[];
}

/** The members between two anchors, or at one. */
interface Interval {
  readonly first: PrivacyLossDistribution;
  readonly last: PrivacyLossDistribution;
  /** The chord carried on, for a grid whose narrowest cell is given. */
  beyond(narrowest: number): PrivacyLossDistribution;
  readonly members: readonly Member[];
}

/** A member, or `count` equal ones, by its shares of `last` and of `beyond`. */
interface Member {
  readonly count: number;
  /** Rounded up. */
  readonly upperShare: number;
  /** Rounded down. */
  readonly lowerShare: number;
}

export const isEnsemble = (distribution: object): distribution is Ensemble => 'intervals' in distribution;

/** The most members of one family that are composed one by one. */
const mostAlone = 128;
/** The number of ensembles of a family, each on a grid of its own, and of the intervals of each. */
const ensembles = 12;
const intervals = 16;
/** As many members between two anchors are their own anchors: a chord takes two transforms, too. */
const mostExact = 2;
/** The most members that are composed one by one beside ensembles. */
const few = 4;
/** The part of an interval by which `before` is below its lower end. */
const backShare = 0.1;
/** Above this distance between the means, masses of an extrapolation could be negative. */
const largestMu = 4;
/** The number of anchors to plan by. */
const planned = 8;

/** An ensemble in place of a distribution: `count` is the number of its members. */
interface EnsembleFactor {
  readonly distribution: Ensemble;
  readonly count: number;
}

type MemberFactor = PairFactor & { readonly family: GaussianFamily };

/** The factors, with many members of one family as an ensemble. */
export function gathered(factors: readonly PairFactor[]): readonly (PairFactor | EnsembleFactor)[] {
  if (factors.length <= mostAlone) return factors;
  const families = new Map<string, MemberFactor[]>();
  const alone: PairFactor[] = [];
  for (const factor of factors) {
    const family = familyOf(factor.distribution);
    if (family === undefined || !(family.mu <= largestMu)) alone.push(factor);
    else {
      const members = families.get(family.key) ?? [];
      members.push({ ...factor, family });
      families.set(family.key, members);
    }
  }
  return [
    ...alone,
    ...[...families.values()].flatMap((members) =>
      members.length > mostAlone ? byDistance(members).flatMap(ensemblesOf) : members,
    ),
  ];
}

/** Members in groups of about the same `μ`. */
function byDistance(members: readonly MemberFactor[]): readonly (readonly MemberFactor[])[] {
  const logs = members.map(({ family }) => Math.log(family.mu));
  const least = logs.reduce((a, b) => Math.min(a, b), Infinity);
  const apart = (logs.reduce((a, b) => Math.max(a, b), -Infinity) - least) / ensembles;
  const groups = Array.from({ length: ensembles }, (): MemberFactor[] => []);
  members.forEach((member, i) => {
    groups[Math.min(ensembles - 1, Math.floor((logs[i] - least) / Math.max(apart, 1e-9)))].push(member);
  });
  return groups.filter((group) => group.length > 0);
}

/** The members as an ensemble, unless they are few or too close to each other. */
function ensemblesOf(members: readonly MemberFactor[]): readonly (PairFactor | EnsembleFactor)[] {
  const ensemble = members.length > few ? ensembleOf(members) : undefined;
  return ensemble === undefined
    ? members
    : [{ distribution: ensemble, count: members.reduce((sum, { count }) => sum + count, 0) }];
}

function ensembleOf(members: readonly MemberFactor[]): Ensemble | undefined {
  const { member } = members[0].family;
  const sorted = members.toSorted((a, b) => a.family.mu - b.family.mu);
  const [least, most] = [sorted[0].family.mu, sorted[sorted.length - 1].family.mu];
  const anchors = Array.from(
    { length: intervals + 1 },
    (_, k) => least * (1 - 1e-6) * ((most / least) * (1 + 1e-5)) ** (k / intervals),
  );
  const atAnchors = anchors.map((mu) => member(mu));
  const groups = Array.from({ length: intervals }, (): MemberFactor[] => []);
  let at = 0;
  for (const one of sorted) {
    while (at < intervals - 1 && one.family.mu >= anchors[at + 1]) at += 1;
    groups[at].push(one);
  }
  const inside: Interval[] = [];
  for (const [k, group] of groups.entries()) {
    if (group.length <= mostExact) {
      inside.push(...group.map(exactly));
      continue;
    }
    const a = anchors[k];
    const b = anchors[k + 1];
    const interval = group.every(({ family: { mu } }) => mu >= a && mu <= b)
      ? intervalOf(group, [a, b], [atAnchors[k], atAnchors[k + 1]])
      : undefined;
    if (interval === undefined) return undefined;
    inside.push(interval);
  }
  const some = Array.from({ length: planned }, (_, i) =>
    member(sorted[Math.floor(((sorted.length - 1) * i) / (planned - 1))].family.mu),
  );
  const all = [...atAnchors, ...some];
  return {
    infinite: Math.max(...all.map(({ infinite }) => infinite)),
    grain: Math.max(...all.map(({ grain = 2 ** -44 }) => grain)),
    support: {
      least: Math.min(...all.map(({ support }) => support.least)),
      most: Math.max(...all.map(({ support }) => support.most)),
    },
    massesInto(p, q, edges) {
      p.fill(0);
      q.fill(0);
      for (const distribution of some) addMasses(p, q, edges, distribution, 1 / planned);
    },
    intervals: inside,
  };
}

/** A member as an interval of its own. */
const exactly = ({ distribution, count }: MemberFactor): Interval => ({
  first: distribution,
  last: distribution,
  beyond: () => distribution,
  members: [{ count, upperShare: 0, lowerShare: 0 }],
});

function intervalOf(
  inside: readonly MemberFactor[],
  [a, b]: readonly [number, number],
  [first, last]: readonly [PrivacyLossDistribution, PrivacyLossDistribution],
): Interval | undefined {
  // The distances are close, so that `before` is one, and the slopes of densities are about the same.
  if (!(b < 1.5 * a)) return undefined;
  const before = a - backShare * (b - a);
  const [atBefore, atFirst, atLast] = [before, a, b].map(halfVariation);
  const back = {
    lower: subtractDown(atFirst.lower, atBefore.upper),
    upper: subtractUp(atFirst.upper, atBefore.lower),
  };
  const span = {
    lower: subtractDown(atLast.lower, atFirst.upper),
    upper: subtractUp(atLast.upper, atFirst.lower),
  };
  if (!(back.lower > 0.5 * back.upper && span.lower > 0)) return undefined;
  const reach = span.upper / back.lower;
  // The largest ratio of the masses of `before` to those of `first`, at the loss 0.
  const ratio = (a / before) * Math.exp((a * a - before * before) / 8);
  if (!(1 + reach - reach * ratio > 0.5)) return undefined;
  const lowest = inside[0].family.member(before);
  const grain = Math.max(first.grain ?? 2 ** -44, lowest.grain ?? 2 ** -44);
  return {
    first,
    last,
    members: inside.map(({ count, family: { mu } }): Member => {
      const at = halfVariation(mu);
      return {
        count,
        upperShare: Math.min(1, Math.max(0, divideUp(subtractUp(at.upper, atFirst.lower), span.lower))),
        lowerShare: Math.min(
          1,
          Math.max(0, divideDown(divideDown(subtractDown(at.lower, atFirst.upper), back.upper), reach)),
        ),
      };
    }),
    beyond: (narrowest) => ({
      infinite: 0,
      support: first.support,
      hockeyStick: () => ({ lower: 0, upper: 1 }),
      massesInto(p, q, edges) {
        p.fill(0);
        q.fill(0);
        addMasses(p, q, edges, first, 1 + reach);
        addMasses(p, q, edges, lowest, -reach);
        for (let i = 0; i < p.length; i += 1) {
          p[i] = Math.max(0, p[i]);
          q[i] = Math.max(0, q[i]);
        }
      },
      // Relative to `first`, a part `r ≤ ½ + reach` is taken away, so the relative error is that of masses
      // times `(1 + reach + r) / (1 + reach − r)`. Besides, each distribution rounds the loss `ℓ` at an edge
      // by `2^-53 |ℓ|`. It has masses up to `|ℓ| = 39 a + a²/2` only, where the logarithm of the density has
      // a slope up to `39/before + ½`. A sample widens cells when it maps them to losses of a release.
      grain: (3 + 4 * reach) * (grain + 2 ** -51 * Math.max(1700, (40 * a + a * a) / narrowest)),
    }),
  };
}

function addMasses(
  p: Float64Array,
  q: Float64Array,
  edges: Float64Array,
  distribution: PrivacyLossDistribution,
  share: number,
): void {
  const [mineP, mineQ] = [new Float64Array(p.length), new Float64Array(p.length)];
  defined(distribution.massesInto)(mineP, mineQ, edges);
  for (let i = 0; i < p.length; i += 1) {
    p[i] += share * mineP[i];
    q[i] += share * mineQ[i];
  }
}

/** `Φ(μ/2) − ½`, half of the total variation of a member. */
function halfVariation(mu: number): Bounds {
  const { lower, upper } = normalCdfBounds(mu / 2);
  return { lower: subtractDown(lower, 0.5), upper: subtractUp(upper, 0.5) };
}
