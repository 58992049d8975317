import type { Domain } from '@lethe/numerics';
import type { RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { hillClimb, type Move } from '../../engines/hill-climb.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { length, minus, project, setsOf, sizeOf } from './sets.js';

/** Two directions from the centre; the two members are the projections of their end points. */
interface Ends {
  readonly from: Float64Array;
  readonly to: Float64Array;
}

const distanceOf = (domain: Domain, { from, to }: Ends): number =>
  length(minus(project(domain, from), project(domain, to)));

const nudge: Move<Ends> = ({ from, to }, random) => {
  const step = random.gaussianInto(new Float64Array(from.length));
  const size = (2 ** (4 * random.uniform() - 4) * (length(minus(from, to)) || 1)) / Math.sqrt(from.length);
  return random.integer(2) === 0
    ? { from: from.map((x, j) => x + size * step[j]), to }
    : { from, to: to.map((x, j) => x + size * step[j]) };
};
/** Moves both ends further out. */
const stretch: Move<Ends> = ({ from, to }) => ({
  from: from.map((x, j) => x + 0.5 * (x - to[j])),
  to: to.map((x, j) => x + 0.5 * (x - from[j])),
});

/** The two members with the largest distance found: along axes, between axes, and by hill climbing. */
function farthest(
  domain: Domain,
  random: RandomSource,
  evaluations: number,
): { readonly apart: number; readonly tried: number; readonly ends: readonly Float64Array[] } {
  const { dimension, centre } = domain;
  const reach = 1e3 * sizeOf(domain);
  const at = (axis: number, sign: number): Float64Array => centre.with(axis, centre[axis] + sign * reach);
  const corner = (sign: number): Float64Array => centre.map((x) => x + sign * reach);
  const examples: Ends[] = [{ from: corner(1), to: corner(-1) }];
  for (let j = 0; j < Math.min(dimension, 6); j++)
    examples.push({ from: at(j, 1), to: at(j, -1) }, { from: at(j, 1), to: at((j + 1) % dimension, 1) });
  const inputs = Array.from({ length: 20 }, (_, i): Ends => {
    const direction = random.fork(i).gaussianInto(new Float64Array(dimension));
    return {
      from: centre.map((x, j) => x + sizeOf(domain) * direction[j]),
      to: centre.map((x, j) => x - sizeOf(domain) * direction[j]),
    };
  });
  const top = defined(
    hillClimb({
      inputs,
      moves: [nudge, nudge, stretch],
      objective: (ends) => distanceOf(domain, ends),
      examples,
      starts: 3,
      evaluations,
      random: random.fork('climb'),
    }),
  );
  return {
    apart: top.value,
    tried: top.evaluations,
    ends: [project(domain, top.input.from), project(domain, top.input.to)],
  };
}

function inEach(
  subject: Subject<'domain'>,
  random: RandomSource,
  evaluations: number,
  wrong: (domain: Domain, apart: number, ends: readonly Float64Array[]) => string | undefined,
) {
  let samples = 0;
  for (const domain of setsOf(subject)) {
    const { apart, tried, ends } = farthest(domain, random.fork(domain.dimension), evaluations);
    samples += tried;
    const what = wrong(domain, apart, ends);
    if (what !== undefined)
      return fails(samples, {
        what: `in dimension ${domain.dimension}, ${what}`,
        measured: apart,
        allowed: domain.diameter,
        input: ends,
      });
  }
  return holds(samples);
}

/** The diameter bounds the distance of two members. */
export const diameter = defineLaw<'domain'>({
  id: 'domain/diameter',
  kind: 'domain',
  tier: 'search',
  statement: 'no two members are farther apart than diameter',
  power: 'a diameter 2 % too small, by hill climbing from axes, corners and random directions',
  check: (subject, env) =>
    inEach(subject, env.random('ends'), env.samples(200), (domain, apart) => {
      // A member may lie outside the set by rounding of its coordinates and of the norm in the test.
      const rounding = 2 ** -48 * (domain.diameter + length(domain.centre));
      return apart <= domain.diameter + rounding
        ? undefined
        : `two members are ${apart} apart; the diameter is ${domain.diameter}`;
    }),
});

/** Its distance from the centre bounds that of every member; constants of losses rest on it. */
export const reach = defineLaw<'domain'>({
  id: 'domain/reach',
  kind: 'domain',
  tier: 'search',
  statement: 'no member is farther from the centre than reach',
  power: 'a reach 2 % too small, by hill climbing from axes, corners and random directions',
  check: (subject, env) =>
    inEach(subject, env.random('reach'), env.samples(200), (domain, _apart, ends) => {
      const most = domain.reach ?? domain.diameter;
      const rounding = 2 ** -48 * (most + length(domain.centre));
      const far = Math.max(...ends.map((end) => length(minus(end, domain.centre))));
      return far <= most + rounding ? undefined : `a member is ${far} from the centre; the reach is ${most}`;
    }),
});

/** The diameter is attained; for sets that claim it. */
export const diameterAttained = defineLaw<'domain'>({
  id: 'domain/diameter-attained',
  kind: 'domain',
  tier: 'search',
  onClaim: true,
  elsewhere: 0,
  statement: 'the distance of some two members is the diameter, up to 2 %',
  power: 'a diameter 2 % too large',
  check: (subject, env) =>
    inEach(subject, env.random('ends'), env.samples(300), (domain, apart) => {
      if (domain.diameter === Infinity ? apart > 100 * sizeOf(domain) : apart >= 0.98 * domain.diameter)
        return undefined;
      return (
        `the largest distance of two members found is ${apart}; ` +
        `the diameter is ${domain.diameter}, claimed to be attained`
      );
    }),
});
