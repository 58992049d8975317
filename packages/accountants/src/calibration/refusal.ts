import { type Interval, Unsupported } from '@lethe/core';
import { alike } from './direction.js';
import type { Direction, Settings } from './options.js';
import type { Asked, Probe, Prober } from './probe.js';

type Tried = readonly (Probe & { readonly achieved: Interval })[];

/** Minimum ratio between tried values before equal costs count as a constant cost. */
const farApart = 1e5;

/** The error, if any, when all tried values meet the target. */
export function nothingToFind(prober: Prober, quick: Asked, settings: Settings): Unsupported | undefined {
  // A search in a given direction has tried one side only, where all costs may be 0.
  if (settings.direction !== undefined && isFlat(prober.tried(quick)) && prober.left() > 0)
    prober.probe(otherSide(settings, settings.direction === 'smaller-is-private', 2 ** 40), quick);
  return costIsFlat(prober.tried(quick), settings) ?? runsAgainst(prober.tried(quick), settings);
}

/**
 * Error for a cost that is constant over many orders of magnitude, unless bracket and direction were given.
 */
function costIsFlat(tried: Tried, { by, bounded, direction }: Settings): Unsupported | undefined {
  const [first, last] = [tried[0], tried.at(-1)];
  if (first === undefined || last === undefined || !isFlat(tried) || (bounded && direction !== undefined))
    return undefined;
  return new Unsupported(
    `the cost does not depend on the free number: from ${first.value} to ${last.value} ${sign(by)} is ` +
      `always ${first.achieved.upper}, which meets the target; free a number on which the cost depends, ` +
      'or give a bracket and a direction for its less private end',
    { from: first.value, to: last.value, upper: first.achieved.upper },
  );
}

/** Error for a cost that moves against the given direction by more than the imprecision of accountants. */
function runsAgainst(tried: Tried, { by, direction }: Settings): Unsupported | undefined {
  const [first, last] = [tried[0], tried.at(-1)];
  if (
    direction === undefined ||
    first === undefined ||
    last === undefined ||
    alike(first.achieved.upper, last.achieved.upper, 0.01)
  )
    return undefined;
  if (last.achieved.upper < first.achieved.upper === (direction === 'larger-is-private')) return undefined;
  return new Unsupported(
    `the cost moves the other way than the direction '${direction}': ${sign(by)} is at most ` +
      `${first.achieved.upper} at ${first.value} and ${last.achieved.upper} at ${last.value}; ` +
      'give the other direction, or none',
    { direction },
  );
}

/** Error when no value meets the target. */
export function nothingMeets(
  prober: Prober,
  { quick, best }: { readonly quick: Asked; readonly best: Asked },
  settings: Settings,
  direction: Direction,
): Unsupported {
  const {
    epsilon,
    delta,
    adjacency,
    by,
    bounded,
    probeLimit,
    ends: [least, largest],
  } = settings;
  const larger = direction === 'larger-is-private';
  const target = `no value of the free number meets ε = ${epsilon} at δ = ${delta}`;
  const details = { epsilon, delta, adjacency, direction };
  if (prober.left() <= 0)
    return new Unsupported(
      `${target} of the ${prober.used()} tried, and the limit of ${probeLimit} probes is ` +
        `reached${leastOf(prober.tried(quick), by)}; raise probeLimit, or start closer`,
      details,
    );
  // A search that ended at its start has tried one side only.
  if (settings.direction !== undefined && prober.tried(quick).length === 1)
    prober.probe(otherSide(settings, larger, 2), quick);
  const against = runsAgainst(prober.tried(quick), settings);
  if (against !== undefined) return against;
  const flat = isFlat(prober.tried(quick)) ? prober.tried(quick) : [];
  if (flat.length > 0) {
    const { upper } = flat[0].achieved;
    const why = delta === 0 && upper === Infinity ? ', as of Gaussian noise at δ = 0' : '';
    return new Unsupported(
      `${target}: the cost does not depend on the free number: from ${flat[0].value} to ` +
        `${flat[flat.length - 1].value} ${sign(by)} is always ${upper}${why}; raise ε or δ, ` +
        'or free a number on which the cost depends',
      details,
    );
  }
  const end = larger ? largest : least;
  const there = [...prober.tried(best), ...prober.tried(quick)].find(({ value }) => value === end);
  const where =
    there === undefined
      ? leastOf([...prober.tried(best), ...prober.tried(quick)], by)
      : `: at ${end}, the most private value that may be tried, ${sign(by)} is still ${there.achieved.upper}`;
  return new Unsupported(
    `${target}${where}; raise ε or δ, ` +
      `${bounded ? `let the bracket ${larger ? 'end later' : 'begin earlier'}, ` : ''}or ` +
      'change what is fixed',
    details,
  );
}

function isFlat(tried: Tried): boolean {
  if (tried.length < 5) return false;
  const {
    achieved: { upper },
  } = tried[0];
  // The first value may be 0.
  return (
    tried[tried.length - 1].value >= tried[1].value * farApart &&
    tried.every(({ achieved }) => alike(achieved.upper, upper, 1e-6))
  );
}

function otherSide(
  { start, ends: [least, largest], integer }: Settings,
  larger: boolean,
  factor: number,
): number {
  const value = start * factor ** (larger ? -1 : 1);
  return Math.min(largest, Math.max(least, integer ? Math.round(value) : value));
}

function leastOf(tried: Tried, by: Settings['by']): string {
  if (tried.length === 0) return '';
  const { value, achieved } = tried.reduce((a, b) => (b.achieved.upper < a.achieved.upper ? b : a));
  return `: the least ${sign(by)} found is ${achieved.upper}, at ${value}`;
}

const sign = (by: Settings['by']): string => (by === 'epsilon' ? 'ε' : 'δ');
