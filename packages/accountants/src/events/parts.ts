import type { Adjacency, CoreEvent, PrivacyEvent, Resolver } from '@lethe/core';

/** `count` releases, each (`epsilon`, `delta`)-private. */
export interface ApproximatePart {
  readonly epsilon: number;
  readonly delta: number;
  readonly count: number;
}

/** An event as a composition of (ε, δ)-private releases. */
export interface ApproximateParts {
  readonly parts: readonly ApproximatePart[];
  /** Whether the event states only these guarantees, so that the worst case attains them. */
  readonly attained: boolean;
}

/**
 * Splits a composition into (ε, δ)-private releases, for composition theorems on lists of releases.
 *
 * Only core's composite kinds are split. For parallel events the result is one list that covers each of
 * theirs: the largest ε of any, the second largest, and so on; the same for δ. The bound also holds if a
 * record's slot depends on other releases: an (ε, δ)-private release is dominated by one that fails with
 * probability δ and is randomised response otherwise, whose cost increases with ε and δ.
 *
 * @param event - As returned by `normalEvent`.
 * @throws {Unsupported} naming the sub-event without (ε, δ).
 */
export function approximateParts(
  event: PrivacyEvent,
  adjacency: Adjacency,
  resolve: Resolver,
): ApproximateParts {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/free':
      return { parts: [], attained: true };
    case 'core/compose': {
      const all = core.parts.map((part) => ({
        ...approximateParts(part.event, adjacency, resolve),
        count: part.count,
      }));
      return {
        parts: all.flatMap(({ parts, count }) =>
          parts.map((part) => ({ ...part, count: part.count * count })),
        ),
        attained: all.every(({ attained }) => attained),
      };
    }
    case 'core/failing': {
      const { parts, attained } = approximateParts(core.event, adjacency, resolve);
      return {
        parts: core.delta === 0 ? parts : [{ epsilon: 0, delta: core.delta, count: 1 }, ...parts],
        attained,
      };
    }
    case 'core/filtered':
      return { ...approximateParts(core.limit, adjacency, resolve), attained: false };
    case 'core/parallel':
      return {
        parts: cover(core.parts.map((part) => approximateParts(part, adjacency, resolve).parts)),
        attained: core.parts.length === 0,
      };
    default: {
      const { epsilon, delta } = resolve(event, 'approximate', adjacency);
      return {
        parts: epsilon === 0 && delta === 0 ? [] : [{ epsilon, delta, count: 1 }],
        attained: core.kind === 'core/pure' || core.kind === 'core/approximate',
      };
    }
  }
}

interface Run {
  readonly value: number;
  readonly count: number;
}

function cover(lists: readonly (readonly ApproximatePart[])[]): readonly ApproximatePart[] {
  const largest = (of: (part: ApproximatePart) => number): readonly Run[] =>
    lists
      .map((parts) =>
        parts.map((part) => ({ value: of(part), count: part.count })).toSorted((a, b) => b.value - a.value),
      )
      .reduce<readonly Run[]>(
        (a, b) => aligned(a, b).map(([x, y, count]) => ({ value: Math.max(x, y), count })),
        [],
      );
  return aligned(
    largest((part) => part.epsilon),
    largest((part) => part.delta),
  )
    .map(([epsilon, delta, count]) => ({ epsilon, delta, count }))
    .filter(({ epsilon, delta }) => epsilon > 0 || delta > 0);
}

/** Aligns two lists of runs; the shorter one is padded with 0. */
function aligned(a: readonly Run[], b: readonly Run[]): readonly (readonly [number, number, number])[] {
  const rows: (readonly [number, number, number])[] = [];
  let [i, j, usedA, usedB] = [0, 0, 0, 0];
  while (i < a.length || j < b.length) {
    const left = (a[i]?.count ?? Infinity) - usedA;
    const right = (b[j]?.count ?? Infinity) - usedB;
    const count = Math.min(left, right);
    rows.push([a[i]?.value ?? 0, b[j]?.value ?? 0, count]);
    [i, usedA] = left === count ? [i + 1, 0] : [i, usedA + count];
    [j, usedB] = right === count ? [j + 1, 0] : [j, usedB + count];
  }
  return rows;
}
