import {
  adjacencySchema,
  defineAccountant,
  InvalidParameter,
  normalEvent,
  parseEvent,
  parseOrThrow,
  sensitivityUnder,
  Unsupported,
  type Accountant,
  type AccountingContext,
  type Adjacency,
  type CoreEvent,
  type Interval,
  type PrivacyEvent,
} from '@lethe/core';
import { assumptionsOf, createResolver, withoutFailures } from '@lethe/accountants';
import { pairProfile } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { convolved, deltaOf, nothing, repeated, type Bugs, type Losses } from './losses.js';
import { finiteLosses, locatedLosses, type Located } from './pairs.js';

/** δ(ε) of an event, by direction. */
type Profile = (epsilon: number) => number;
interface Atom {
  readonly key: string;
  readonly count: number;
  readonly losses: (direction: 'remove' | 'add') => Losses;
  readonly square?: number;
}
const unsure = 'this reference does not support it';

/**
 * An accountant by privacy-loss distributions, small and slow: grids of a thousand losses, rounded so that
 * they dominate. `bugs` adds bugs; without any it is correct.
 */
export function pldAccountant(name: string, bugs: Bugs = {}): Accountant {
  const seen = new Map<string, Profile>();
  const profileOf = (
    input: PrivacyEvent,
    { adjacency: given, kinds }: AccountingContext,
  ): { readonly profile: Profile; readonly assumptions: readonly string[] } => {
    const adjacency = parseOrThrow(adjacencySchema, given, 'adjacency');
    const event = parseEvent(input, kinds);
    const assumptions = assumptionsOf(event, kinds);
    const { event: sound, delta } = withoutFailures(event, adjacency);
    const normal = unwrapped(normalEvent(sound), adjacency);
    if (!normal.kind.startsWith('core/')) {
      const pairs = createResolver(kinds)(normal, 'pair', adjacency).filter(
        ({ direction }) => direction === 'symmetric' || bugs.only === undefined || direction === bugs.only,
      );
      const profiles = pairs.map((pair) => pairProfile(pair));
      if (profiles.some((one) => one === undefined))
        throw new Unsupported(`a product of the pairs of '${normal.kind}': ${unsure}`, { kind: normal.kind });
      return {
        assumptions,
        profile: (epsilon) =>
          Math.min(1, delta + Math.max(...profiles.map((one) => defined(one)(epsilon).upper))),
      };
    }
    const key = `${adjacency} ${JSON.stringify(normal)}`;
    const known = seen.get(key) ?? largest(alternatives(normal, adjacency, bugs), bugs);
    if (seen.size > 200) seen.clear();
    seen.set(key, known);
    return { assumptions, profile: (epsilon) => Math.min(1, delta + known(epsilon)) };
  };
  const answer = (upper: number, assumptions: readonly string[]): Interval => ({
    lower: 0,
    upper,
    certificate: 'certified',
    method: 'privacy loss distribution',
    assumptions,
  });
  return defineAccountant({
    name,
    summary: 'Composes privacy losses on a grid.',
    source: { id: 'doroshenko-ghazi-kamath-kumar-manurangsi-2022', item: 'Algorithm 1' },
    claims: [],
    params: z.strictObject({}),
    wants: ['pair'],
    epsilon(event, { delta, ...context }) {
      if (!(typeof delta === 'number' && delta >= 0 && delta <= 1))
        throw new InvalidParameter(`delta is ${String(delta)}; it must be in [0, 1]`, {});
      const { profile, assumptions } = profileOf(event, context);
      return answer(leastEpsilon(profile, delta), assumptions);
    },
    delta(event, { epsilon, ...context }) {
      if (!(typeof epsilon === 'number' && epsilon >= 0))
        throw new InvalidParameter(`epsilon is ${String(epsilon)}; it must be at least 0`, {});
      const { profile, assumptions } = profileOf(event, context);
      return answer(epsilon === Infinity ? 0 : profile(epsilon), assumptions);
    },
  });
}

function leastEpsilon(profile: Profile, delta: number): number {
  if (profile(0) <= delta) return 0;
  let [low, high] = [0, 1];
  while (profile(high) > delta) {
    [low, high] = [high, 2 * high];
    if (high > 1e15) return Infinity;
  }
  for (let i = 0; i < 100 && high - low > 2 ** -52 * high; i++) {
    const middle = (low + high) / 2;
    if (profile(middle) <= delta) high = middle;
    else low = middle;
  }
  return high;
}

/** The event without wrappers that do not change its cost. */
function unwrapped(event: PrivacyEvent, adjacency: Adjacency): PrivacyEvent {
  const core = event as CoreEvent;
  if (core.kind === 'core/filtered') return unwrapped(core.limit, adjacency);
  if (core.kind === 'core/sampled' && isAllRecords(core, adjacency)) return unwrapped(core.event, adjacency);
  if (core.kind === 'core/compose')
    return normalEvent({
      ...core,
      parts: core.parts.map((part) => ({ ...part, event: unwrapped(part.event, adjacency) })),
    } as PrivacyEvent);
  if (core.kind === 'core/parallel')
    return normalEvent({
      ...core,
      parts: core.parts.map((part) => unwrapped(part, adjacency)),
    } as PrivacyEvent);
  return event;
}
const isAllRecords = ({ sampler }: CoreEvent<'core/sampled'>, adjacency: Adjacency): boolean =>
  sampler.kind === 'core/poisson'
    ? sampler.rate === 1
    : sampler.kind === 'core/fixed-size' &&
      !sampler.replacement &&
      sampler.size === sampler.n &&
      adjacency !== 'add-remove';

/** Disjoint cases, of which the record is in one. */
function alternatives(event: PrivacyEvent, adjacency: Adjacency, bugs: Bugs): readonly (readonly Atom[])[] {
  const core = event as CoreEvent;
  if (core.kind === 'core/free') return [[]];
  if (core.kind === 'core/parallel') return core.parts.flatMap((part) => alternatives(part, adjacency, bugs));
  if (core.kind === 'core/compose') {
    return core.parts.reduce<readonly (readonly Atom[])[]>(
      (before, { event: part, count }) => {
        const cases = alternatives(part, adjacency, bugs).map((atoms) =>
          atoms.map((atom) => ({ ...atom, count: atom.count * count })),
        );
        if (before.length * cases.length > 64)
          throw new Unsupported(`the event has too many cases; ${unsure}`, {});
        return before.flatMap((atoms) => cases.map((others) => [...atoms, ...others]));
      },
      [[]],
    );
  }
  return [[atomOf(core, adjacency, bugs)]];
}

function atomOf(event: CoreEvent, adjacency: Adjacency, bugs: Bugs): Atom {
  const atom = (losses: Atom['losses'], square?: number): Atom => ({
    key: JSON.stringify(event),
    count: 1,
    losses,
    ...(square === undefined ? {} : { square }),
  });
  switch (event.kind) {
    case 'core/unprotected':
      return atom(() => ({ ...nothing, mass: Float64Array.of(0), infinite: 1 }));
    case 'core/pure':
      return atom(() => responseLosses(event.epsilon, bugs));
    case 'core/approximate':
    case 'core/shuffled':
      return atom(() => responseLosses(event.epsilon, bugs));
    case 'core/exponential':
      return atom(() =>
        responseLosses(event.epsilon * sensitivityUnder(event.sensitivity, adjacency, event.kind), bugs),
      );
    case 'core/discrete-laplace':
      return atom(() =>
        responseLosses(sensitivityUnder(event.sensitivity, adjacency, event.kind) / event.scale, bugs),
      );
    case 'core/randomized-response': {
      if (adjacency === 'add-remove')
        throw new Unsupported(
          `'${event.kind}' under add-remove: the number of answers reveals the record`,
          {},
        );
      const light = event.p / event.categories;
      const heavy = 1 - event.p + light;
      if (event.p === 0) return atom(() => ({ ...nothing, mass: Float64Array.of(0), infinite: 1 }));
      return atom(() =>
        finiteLosses(
          [
            { p: heavy, q: light },
            { p: light, q: heavy },
            { p: light * (event.categories - 2), q: light * (event.categories - 2) },
          ].filter(({ p }) => p > 0),
          bugs,
        ),
      );
    }
    case 'core/gaussian':
    case 'core/laplace': {
      const { noise, shift } = located(event, adjacency);
      return atom(
        () => locatedLosses({ noise, p: { rate: 1, shift }, q: { rate: 0, shift: 0 } }, bugs),
        noise === 'gaussian' ? shift * shift : undefined,
      );
    }
    case 'core/sampled':
      return sampledAtom(event, adjacency, bugs, atom);
    default:
      throw new Unsupported(`the event '${event.kind}' has no dominating pair; ${unsure}`, {
        kind: event.kind,
      });
  }
}

const responseLosses = (epsilon: number, bugs: Bugs): Losses => {
  if (epsilon > 700) return { ...nothing, mass: Float64Array.of(0), infinite: 1 };
  const heavy = 1 / (1 + Math.exp(-epsilon));
  const light = Math.exp(-epsilon) * heavy;
  return finiteLosses(
    epsilon === 0
      ? [{ p: 1, q: 1 }]
      : [
          { p: heavy, q: light },
          { p: light, q: heavy },
        ],
    bugs,
  );
};

function located(
  event: PrivacyEvent,
  adjacency: Adjacency,
): { readonly noise: Located['noise']; readonly shift: number } {
  const core = event as CoreEvent;
  let shift: number | undefined;
  if (core.kind === 'core/gaussian')
    shift = sensitivityUnder(core.sensitivity, adjacency, core.kind) / core.sigma;
  else if (core.kind === 'core/laplace')
    shift = sensitivityUnder(core.sensitivity, adjacency, core.kind) / core.scale;
  else shift = undefined;
  if (shift === undefined)
    throw new Unsupported(`a Poisson sample of '${event.kind}': ${unsure}`, { kind: event.kind });
  if (!(shift > 1e-6 && shift < 300))
    throw new Unsupported(`a shift of ${shift} times the noise is outside the grids of this reference`, {
      shift,
    });
  return { noise: core.kind === 'core/gaussian' ? 'gaussian' : 'laplace', shift };
}

function sampledAtom(
  { sampler, event }: CoreEvent<'core/sampled'>,
  adjacency: Adjacency,
  bugs: Bugs,
  atom: (losses: Atom['losses']) => Atom,
): Atom {
  if (sampler.kind !== 'core/poisson') throw new Unsupported(`a sample of fixed size: ${unsure}`, {});
  const { sensitivity } = event as CoreEvent<'core/gaussian'>;
  const { rate } = sampler;
  const presence =
    adjacency === 'add-remove' || sensitivity?.['zero-out'] === undefined ? 'add-remove' : 'zero-out';
  const { noise, shift } = located(event, presence);
  if (rate < 1e-9) throw new Unsupported('a rate below the grids of this reference', { rate });
  const present = { rate, shift };
  const without = { rate: 0, shift: 0 };
  return atom((direction) => {
    if (adjacency === 'replace-one')
      return locatedLosses({ noise, p: present, q: { rate, shift: -shift } }, bugs);
    // Mirrored, so that losses increase with the output in both directions.
    return direction === 'remove'
      ? locatedLosses({ noise, p: present, q: without }, bugs)
      : locatedLosses({ noise, p: without, q: { rate, shift: -shift } }, bugs);
  });
}

/** The maximum of the profiles over cases and directions. */
function largest(cases: readonly (readonly Atom[])[], bugs: Bugs): Profile {
  const directions = (['remove', 'add'] as const).filter(
    (direction) => bugs.only === undefined || direction === bugs.only,
  );
  const all = cases.flatMap((atoms) => directions.map((direction) => total(atoms, direction, bugs)));
  return (epsilon) => Math.max(0, ...all.map((losses) => deltaOf(losses, epsilon)));
}

function total(atoms: readonly Atom[], direction: 'remove' | 'add', bugs: Bugs): Losses {
  // Gaussians combine to one Gaussian; equal atoms are counted.
  const square = atoms.reduce((sum, atom) => sum + (atom.square ?? 0) * atom.count, 0);
  const shift = Math.sqrt(square) * (1 + 1e-12);
  if (shift > 300)
    throw new Unsupported(`a shift of ${shift} times the noise is outside the grids of this reference`, {
      shift,
    });
  let losses =
    square === 0
      ? nothing
      : locatedLosses({ noise: 'gaussian', p: { rate: 1, shift }, q: { rate: 0, shift: 0 } }, bugs);
  const counts = new Map<string, { readonly atom: Atom; count: number }>();
  for (const atom of atoms)
    if (atom.square === undefined) {
      const known = counts.get(atom.key);
      if (known === undefined) counts.set(atom.key, { atom, count: atom.count });
      else known.count += atom.count;
    }
  for (const key of [...counts.keys()].toSorted())
    losses = convolved(
      losses,
      repeated(defined(counts.get(key)).atom.losses(direction), defined(counts.get(key)).count, bugs),
      bugs,
    );
  return losses;
}
