import { type Bounds } from '@lethe/numerics';
import { type PrivacyLossDistribution, Unsupported } from '@lethe/core';
import type { DistributionPart } from '../pld/split-distribution.js';
import { encloseDistribution, type Enclosure } from './atoms.js';
import { firstEdges, refineEdges } from './mesh.js';
import { type Factor, tilt, totalMoments } from './tilt.js';

/** Two products of measures on finitely many losses that bound a composed pair from below and above. */
export interface EnclosedPair {
  readonly lower: readonly Factor[];
  readonly upper: readonly Factor[];
  /** Bounds on the probability that any loss is infinite. */
  readonly infinite: Bounds;
}

/** The most atoms of all distributions together, and the number of one distribution at first. */
const mostCells = 16_000;
const fewCells = 300;
/** Once the relative difference between both bounds on δ is below this, no more atoms are used. */
const enough = 1e-4;

/** With more distributions than this, the first partition of each is coarser. */
const many = 32;

/** A factor of a product: a distribution or a part of one, and how often it occurs. */
export interface Enclosable {
  readonly distribution: PrivacyLossDistribution | DistributionPart;
  readonly count: number;
}

interface Draft {
  readonly distribution: Enclosable['distribution'];
  readonly count: number;
  readonly edges: Float64Array;
  readonly enclosure: Enclosure;
}

/**
 * The distributions of a product, partitioned at losses of every magnitude.
 *
 * @throws {Unsupported} if only the profile of a distribution is known.
 */
export function draftPair(factors: readonly Enclosable[]): readonly Draft[] {
  return (
    factors
      .filter(({ count }) => count > 0)
      .map(({ distribution, count }): Draft => {
        if (distribution.massesInto === undefined)
          throw new Unsupported(
            'the saddle-point accountant needs the masses of every privacy-loss distribution, ' +
              'and one has only a profile; use an accountant that works with profiles',
            {},
          );
        const edges = firstEdges(distribution, factors.length > many ? 1 : 4);
        return { distribution, count, edges, enclosure: encloseDistribution(distribution, edges) };
      })
      .map((draft) => ({ draft, key: tilt(draft.enclosure.lower, 0) }))
      // Sorted, so that rounding does not depend on the order in which the parts were given.
      .toSorted(
        (a, b) => a.key.mean - b.key.mean || a.key.variance - b.key.variance || a.draft.count - b.draft.count,
      )
      .map(({ draft }) => draft)
  );
}

/** A tilt for an answer, from atoms, and near where one was found with fewer atoms. */
export type Saddle = (factors: readonly Factor[], near?: number) => number;

/** The tilt that `saddle` converges to when the distributions are refined for each tilt in turn. */
export function convergedTilt(drafts: readonly Draft[], saddle: Saddle): number {
  let rough = drafts;
  let lambda = saddle(lowerOf(rough));
  for (let round = 0; round < 12; round++) {
    rough = refine(rough, lambda, Math.min(fewCells, mostOf(drafts)));
    const next = saddle(lowerOf(rough), lambda);
    const converged = round > 0 && Math.abs(next - lambda) < 0.005 * lambda;
    lambda = next;
    if (converged) break;
  }
  return lambda;
}

/** Encloses a pair by atoms placed where its distributions, tilted by `lambda`, have their mass. */
export function enclosePair(drafts: readonly Draft[], lambda: number): EnclosedPair {
  const most = mostOf(drafts);
  let fine = drafts;
  for (let round = 0; round < 3; round++) fine = refine(fine, lambda, Math.min(fewCells, most));
  let gap = gapOf(fine, lambda);
  for (let cells = Math.min(fewCells, most); cells < most && gap > enough;) {
    cells = Math.min(most, cells * 3);
    fine = refine(fine, lambda, cells);
    const next = gapOf(fine, lambda);
    // If the gap no longer shrinks with more cells, what remains is mainly the rounding of their masses.
    if (next > gap / 2) break;
    gap = next;
  }
  return { lower: lowerOf(fine), upper: upperOf(fine), infinite: infiniteOf(fine) };
}

const refine = (drafts: readonly Draft[], lambda: number, cells: number): readonly Draft[] =>
  drafts.map(({ distribution, count, edges: old, enclosure }) => {
    const edges = refineEdges(old, distribution, enclosure, lambda, cells);
    return { distribution, count, edges, enclosure: encloseDistribution(distribution, edges) };
  });

const mostOf = (drafts: readonly Draft[]): number => Math.max(64, Math.floor(mostCells / drafts.length));
const lowerOf = (drafts: readonly Draft[]): readonly Factor[] =>
  drafts.map(({ enclosure, count }) => ({ atoms: enclosure.lower, count }));
const upperOf = (drafts: readonly Draft[]): readonly Factor[] =>
  drafts.map(({ enclosure, count }) => ({ atoms: enclosure.upper, count }));

function infiniteOf(drafts: readonly Draft[]): Bounds {
  const any = (end: 'lower' | 'upper'): number =>
    -Math.expm1(
      drafts.reduce(
        (sum, { enclosure, count }) => sum + count * Math.log1p(-Math.min(1, enclosure.infinite[end])),
        0,
      ),
    );
  return { lower: any('lower') * (1 - 1e-14), upper: Math.min(1, any('upper') * (1 + 1e-14)) };
}

/** The difference between both bounds on `log E e^{λS}`. */
const gapOf = (drafts: readonly Draft[], lambda: number): number =>
  totalMoments(upperOf(drafts), lambda).log - totalMoments(lowerOf(drafts), lambda).log;
