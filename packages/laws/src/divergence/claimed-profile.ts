import { addUp, multiplyUp } from '@lethe/numerics';
import {
  type Adjacency,
  type CharacterisationKind,
  type Characterisations,
  type EventKind,
  parseEvent,
  type PrivacyEvent,
  Unsupported,
} from '@lethe/core';
import { assumptionsOf, createResolver, withoutFailures } from '@lethe/accountants';
import { unlessUnsupported } from '../law/unless-unsupported.js';
import { approximateCurve, pureCurve, renyiCurve } from './claimed-curves.js';
import { gaussianCurve } from './gaussian-curve.js';
import { pairProfile } from './pair-profile.js';

/** The claims of an event, as one privacy profile. */
export interface ClaimedProfile {
  /** The least δ(ε), for ε ≥ 0, from any characterisation of the event; rounded up. */
  readonly delta: (epsilon: number) => number;
  /** The least ε ≥ 0 found at which `delta` is at most the given one; `Infinity` if there is none. */
  readonly epsilon: (delta: number) => number;
  /** Characterisations behind the curve. */
  readonly from: readonly CharacterisationKind[];
  readonly assumptions: readonly string[];
}

type Curve = (epsilon: number) => number;

/**
 * The privacy profile that an event claims under an adjacency: the pointwise minimum over its
 * characterisations, also with its failure probability separated.
 *
 * @throws {Unsupported} when it has no characterisation.
 * @throws {InvalidParameter} when it is malformed.
 */
export function claimedProfile(
  event: PrivacyEvent,
  adjacency: Adjacency,
  kinds: readonly EventKind[] = [],
): ClaimedProfile {
  const parsed = parseEvent(event, kinds);
  const whole = curvesOf(parsed, adjacency, kinds);
  const rest = failuresAside(parsed, adjacency, kinds);
  const curves = [...whole.curves, ...rest.curves];
  const from = [...new Set([...whole.from, ...rest.from])];
  if (curves.length === 0)
    throw new Unsupported(
      `the event '${event.kind}' has no characterisation under ${adjacency}, so its cost is unknown`,
      { kind: event.kind, adjacency },
    );
  const delta: Curve = (epsilon) => curves.reduce((least, curve) => Math.min(least, curve(epsilon)), 1);
  return {
    delta,
    epsilon: (target) => leastEpsilon(delta, target),
    from,
    assumptions: assumptionsOf(parsed, kinds),
  };
}

/** The same; `undefined` without a characterisation. */
export const claimIfKnown = (
  event: PrivacyEvent,
  adjacency: Adjacency,
  kinds: readonly EventKind[],
): ClaimedProfile | undefined => unlessUnsupported(() => claimedProfile(event, adjacency, kinds));

/**
 * The Rényi divergence that an event claims, by order: the smallest from any characterisation.
 *
 * @throws {Unsupported} when there is none.
 */
export function claimedRenyi(
  event: PrivacyEvent,
  adjacency: Adjacency,
  kinds: readonly EventKind[] = [],
): (alpha: number) => number {
  const known = knowledgeOf(parseEvent(event, kinds), adjacency, kinds);
  const { rdp, zcdp = Infinity, pure = Infinity, tcdp, gdp } = known;
  const slope = Math.min(zcdp, gdp === undefined ? Infinity : multiplyUp(multiplyUp(gdp.mu, gdp.mu), 0.5));
  if (
    rdp === undefined &&
    slope === Infinity &&
    pure === Infinity &&
    tcdp === undefined &&
    known.zcdp === undefined &&
    known.gdp === undefined &&
    known.pure === undefined
  ) {
    throw new Unsupported(`the event '${event.kind}' claims no Rényi divergence under ${adjacency}`, {
      kind: event.kind,
      adjacency,
    });
  }
  return (alpha) =>
    Math.min(
      rdp?.(alpha) ?? Infinity,
      pure,
      multiplyUp(slope, alpha),
      tcdp !== undefined && alpha < tcdp.omega ? multiplyUp(tcdp.rho, alpha) : Infinity,
    );
}

const all: Readonly<Record<CharacterisationKind, true>> = {
  pure: true,
  approximate: true,
  zcdp: true,
  tcdp: true,
  rdp: true,
  gdp: true,
  pair: true,
};
const wanted = Object.keys(all) as readonly CharacterisationKind[];

type Known = { readonly [C in CharacterisationKind]?: Characterisations[C] };

function knowledgeOf(event: PrivacyEvent, adjacency: Adjacency, kinds: readonly EventKind[]): Known {
  const resolve = createResolver(kinds);
  return Object.fromEntries(
    wanted.flatMap((want) => {
      const found = unlessUnsupported(() => resolve(event, want, adjacency));
      return found === undefined ? [] : [[want, found]];
    }),
  );
}

interface Curves {
  readonly curves: readonly Curve[];
  readonly from: readonly CharacterisationKind[];
}

function curvesOf(event: PrivacyEvent, adjacency: Adjacency, kinds: readonly EventKind[]): Curves {
  const { pure, approximate, gdp, zcdp, tcdp, rdp, pair } = knowledgeOf(event, adjacency, kinds);
  const found: (readonly [CharacterisationKind, Curve])[] = [];
  if (pure !== undefined) found.push(['pure', (epsilon) => pureCurve(pure, epsilon)]);
  if (approximate !== undefined)
    found.push(['approximate', (epsilon) => approximateCurve(approximate, epsilon)]);
  if (gdp !== undefined) found.push(['gdp', (epsilon) => gaussianCurve(gdp.mu, epsilon).upper]);
  if (zcdp !== undefined) found.push(['zcdp', renyiCurve((alpha) => multiplyUp(zcdp, alpha))]);
  if (tcdp !== undefined)
    found.push([
      'tcdp',
      renyiCurve((alpha) => (alpha < tcdp.omega ? multiplyUp(tcdp.rho, alpha) : Infinity)),
    ]);
  if (rdp !== undefined) found.push(['rdp', renyiCurve(rdp)]);
  // Compositions of losses are slow, so they are used only without other characterisations.
  if (
    pair !== undefined &&
    (found.length === 0 || pair.every(({ factors }) => factors.length === 1 && factors[0].count === 1))
  ) {
    const profiles = pair.map(pairProfile);
    if (profiles.every((profile) => profile !== undefined))
      found.push(['pair', (epsilon) => Math.max(...profiles.map((profile) => profile(epsilon).upper))]);
  }
  return { curves: found.map(([, curve]) => curve), from: found.map(([kind]) => kind) };
}

/** The curves of the event without its failures, plus their probability; empty without failures. */
function failuresAside(event: PrivacyEvent, adjacency: Adjacency, kinds: readonly EventKind[]): Curves {
  const nothing: Curves = { curves: [], from: [] };
  try {
    const { event: rest, delta } = withoutFailures(event, adjacency);
    if (delta === 0 || delta >= 1) return nothing;
    const { curves, from } = curvesOf(rest, adjacency, kinds);
    return {
      curves: curves.map((curve) => (epsilon: number) => Math.min(1, addUp(delta, curve(epsilon)))),
      from,
    };
  } catch (error) {
    if (error instanceof Unsupported) return nothing;
    throw error;
  }
}

function leastEpsilon(delta: Curve, target: number): number {
  if (delta(0) <= target) return 0;
  let top = 1;
  while (top < 2 ** 40 && !(delta(top) <= target)) top *= 2;
  if (!(delta(top) <= target)) return Infinity;
  let low = top === 1 ? 0 : top / 2;
  for (let step = 0; step < 60 && top - low > 2 ** -44 * top; step++) {
    const middle = low + (top - low) / 2;
    if (delta(middle) <= target) top = middle;
    else low = middle;
  }
  return top;
}
