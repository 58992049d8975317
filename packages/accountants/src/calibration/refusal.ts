import { type Interval, Unsupported } from '@lethe/core';
import { alike } from './direction.js';
import type { Direction, Settings } from './options.js';
import type { Asked, Probe, Prober } from './probe.js';

type Tried = readonly (Probe & { readonly achieved: Interval })[];

/** How much the values must differ before equal costs tell that the cost is always the same. */
const farApart = 1e5;

/** What there is to object to a target that all values meet which the walk has seen. */
export function nothingToFind(prober: Prober, quick: Asked, settings: Settings): Unsupported | undefined {
  // A walk in a given direction has seen one side only, where costs may all have been 0.
  if (settings.direction !== undefined && isFlat(prober.tried(quick)) && prober.left() > 0) prober.probe(otherSide(settings, settings.direction === 'smaller-is-private', 2 ** 40), quick);
  return costIsFlat(prober.tried(quick), settings) ?? runsAgainst(prober.tried(quick), settings);
}

/** What to say when values of many orders of magnitude cost the same. Who gives a bracket and a direction knows what is at its ends. */
function costIsFlat(tried: Tried, { by, bounded, direction }: Settings): Unsupported | undefined {
  const [first, last] = [tried[0], tried.at(-1)];
  if (first === undefined || last === undefined || !isFlat(tried) || (bounded && direction !== undefined)) return undefined;
  return new Unsupported(`the cost does not depend on the free number: from ${first.value} to ${last.value} ${sign(by)} is always ${first.achieved.upper}, which meets the target; free a number on which the cost depends, or give a bracket and a direction for its less private end`, { from: first.value, to: last.value, upper: first.achieved.upper });
}

/** What to say when the cost falls, by more than accountants may be rough, where the given direction has it grow. */
function runsAgainst(tried: Tried, { by, direction }: Settings): Unsupported | undefined {
  const [first, last] = [tried[0], tried.at(-1)];
  if (direction === undefined || first === undefined || last === undefined || alike(first.achieved.upper, last.achieved.upper, 0.01)) return undefined;
  if ((last.achieved.upper < first.achieved.upper) === (direction === 'larger-is-private')) return undefined;
  return new Unsupported(`the cost moves the other way than the direction '${direction}': ${sign(by)} is at most ${first.achieved.upper} at ${first.value} and ${last.achieved.upper} at ${last.value}; give the other direction, or none`, { direction });
}

/** Why no value was found. */
export function nothingMeets(prober: Prober, { quick, best }: { readonly quick: Asked; readonly best: Asked }, settings: Settings, direction: Direction): Unsupported {
  const { epsilon, delta, adjacency, by, bounded, probeLimit, ends: [least, largest] } = settings;
  const larger = direction === 'larger-is-private';
  const target = `no value of the free number meets ε = ${epsilon} at δ = ${delta}`;
  const details = { epsilon, delta, adjacency, direction };
  if (prober.left() <= 0) return new Unsupported(`${target} of the ${prober.used()} that were tried, and the limit of ${probeLimit} probes is reached${leastOf(prober.tried(quick), by)}; raise probeLimit, or start closer`, details);
  // A walk that ended where it began has seen one side only.
  if (settings.direction !== undefined && prober.tried(quick).length === 1) prober.probe(otherSide(settings, larger, 2), quick);
  const against = runsAgainst(prober.tried(quick), settings);
  if (against !== undefined) return against;
  const flat = isFlat(prober.tried(quick)) ? prober.tried(quick) : [];
  if (flat.length > 0) return new Unsupported(`${target}: the cost does not depend on the free number: from ${flat[0]!.value} to ${flat.at(-1)!.value} ${sign(by)} is always ${flat[0]!.achieved.upper}; raise ε or δ, or free a number on which the cost depends`, details);
  const end = larger ? largest : least;
  const there = [...prober.tried(best), ...prober.tried(quick)].find(({ value }) => value === end);
  const where = there === undefined ? leastOf([...prober.tried(best), ...prober.tried(quick)], by) : `: at ${end}, the most private value that may be tried, ${sign(by)} is still ${there.achieved.upper}`;
  return new Unsupported(`${target}${where}; raise ε or δ, ${bounded ? `let the bracket ${larger ? 'end later' : 'begin earlier'}, ` : ''}or change what is fixed`, details);
}

function isFlat(tried: Tried): boolean {
  if (tried.length < 5) return false;
  const { achieved: { upper } } = tried[0]!;
  // The first value may be 0.
  return tried.at(-1)!.value >= tried[1]!.value * farApart && tried.every(({ achieved }) => alike(achieved.upper, upper, 1e-6));
}

function otherSide({ start, ends: [least, largest], integer }: Settings, larger: boolean, factor: number): number {
  const value = start * factor ** (larger ? -1 : 1);
  return Math.min(largest, Math.max(least, integer ? Math.round(value) : value));
}

function leastOf(tried: Tried, by: Settings['by']): string {
  if (tried.length === 0) return '';
  const { value, achieved } = tried.reduce((a, b) => (b.achieved.upper < a.achieved.upper ? b : a));
  return `: the least ${sign(by)} found is ${achieved.upper}, at ${value}`;
}

const sign = (by: Settings['by']): string => (by === 'epsilon' ? 'ε' : 'δ');
