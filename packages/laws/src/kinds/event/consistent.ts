import { createResolver } from '@lethe/accountants';
import {
  Unsupported,
  type CharacterisationKind,
  type Characterisations,
  type EventKind,
  type PrivacyEvent,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import {
  approximateCurve,
  gaussianCurve,
  pairProfile,
  pureCurve,
  renyiCurve,
} from '../../divergence/index.js';
import { fails, holds, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { orders } from './form.js';
import { examplesOf, kindsOf, knownOf, settingsOf, type Known } from './known.js';

/** Upper bounds on δ(ε) from each characterisation. */
function mostDelta({
  pure,
  approximate,
  zcdp,
  tcdp,
  rdp,
  gdp,
  pair,
}: Known): readonly (readonly [string, (epsilon: number) => number])[] {
  const profiles = pair?.map(pairProfile);
  const remembered = (curve: (alpha: number) => number): ((alpha: number) => number) => {
    const seen = new Map<number, number>();
    return (alpha) => seen.get(alpha) ?? (seen.set(alpha, curve(alpha)), defined(seen.get(alpha)));
  };
  return [
    ...(pure === undefined ? [] : [['pure', (epsilon: number) => pureCurve(pure, epsilon)] as const]),
    ...(approximate === undefined
      ? []
      : [['approximate', (epsilon: number) => approximateCurve(approximate, epsilon)] as const]),
    ...(zcdp === undefined ? [] : [['zcdp', renyiCurve((alpha) => alpha * zcdp)] as const]),
    ...(tcdp === undefined
      ? []
      : [['tcdp', renyiCurve((alpha) => (alpha >= tcdp.omega ? Infinity : alpha * tcdp.rho))] as const]),
    ...(rdp === undefined ? [] : [['rdp', renyiCurve(remembered(rdp))] as const]),
    ...(gdp === undefined
      ? []
      : [['gdp', (epsilon: number) => gaussianCurve(gdp.mu, epsilon).upper] as const]),
    ...(profiles === undefined || profiles.some((profile) => profile === undefined)
      ? []
      : [
          [
            'pair',
            (epsilon: number) => Math.max(...profiles.map((profile) => defined(profile)(epsilon).upper)),
          ] as const,
        ]),
  ];
}

/** Lower bounds on δ(ε) for some neighbours. */
function leastDelta({ gdp, pair }: Known): readonly (readonly [string, (epsilon: number) => number])[] {
  return [
    ...(gdp === undefined || gdp.lower === 0
      ? []
      : [['gdp.lower', (epsilon: number) => gaussianCurve(gdp.lower, epsilon).lower] as const]),
    ...(pair ?? [])
      .filter(({ attained }) => attained)
      .flatMap((each) => {
        const profile = pairProfile(each);
        return profile === undefined
          ? []
          : [
              [
                `the attained pair for '${each.direction}'`,
                (epsilon: number) => profile(epsilon).lower,
              ] as const,
            ];
      }),
  ];
}

export const consistent = defineLaw<'event'>({
  id: 'event/consistent',
  kind: 'event',
  tier: 'search',
  statement:
    'its characterisations are consistent: no lower bound for some neighbours exceeds an upper bound, ' +
    'in δ at every ε and in Rényi divergence at every order',
  power: 'any contradiction by 1e-6 of δ, on 1 of 25 events',
  exempt: (subject) =>
    examplesOf(subject).every(
      ({ event, adjacency }) => leastDelta(knownOf(subject, event, adjacency)).length === 0,
    )
      ? 'it has no attained characterisation'
      : undefined,
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ setting: settingsOf(subject), epsilon: fc.constantFrom(0.5, 0, 0.1, 1, 2, 4, 8) }),
      ({ setting: { event, adjacency }, epsilon: point }): Violation | undefined => {
        const known = knownOf(subject, event, adjacency);
        const most = mostDelta(known);
        const least = leastDelta(known);
        for (const epsilon of [point, ...(known.pure !== undefined && known.pure < 50 ? [known.pure] : [])]) {
          for (const [low, attained] of least)
            for (const [high, allowed] of most) {
              const [measured, bound] = [attained(epsilon), allowed(epsilon)];
              if (measured <= bound * (1 + 1e-6) + 1e-12) continue;
              return {
                what:
                  `under ${adjacency}, ${low} gives δ = ${measured} at ε = ${epsilon} for some ` +
                  `neighbours; ${high} bounds δ by ${bound}`,
                measured,
                allowed: bound,
                input: event,
              };
            }
        }
        const { gdp, rdp, zcdp } = known;
        if (gdp === undefined) return undefined;
        for (const alpha of orders)
          for (const [name, value] of [
            ['rdp', rdp?.(alpha)],
            ['zcdp', zcdp === undefined ? undefined : zcdp * alpha],
          ] as const) {
            const attained = (alpha * gdp.lower * gdp.lower) / 2;
            if (value !== undefined && !(value >= attained * (1 - 1e-9)))
              return {
                what:
                  `under ${adjacency}, gdp.lower gives a Rényi divergence of ${attained} at order ` +
                  `${alpha}; ${name} bounds it by ${value}`,
                measured: value,
                allowed: attained,
                input: event,
              };
          }
        return undefined;
      },
      { runs: 20, examples: examplesOf(subject).map((setting) => ({ setting, epsilon: 0.5 })) },
    ),
});

export const renyi = defineLaw<'event'>({
  id: 'event/renyi',
  kind: 'event',
  tier: 'search',
  statement: 'its Rényi divergence is non-decreasing in the order where it is finite',
  power: 'any fall by 1e-9 between 26 orders, on 1 of 20 events',
  exempt: ({ plugin }) =>
    plugin.characterise.rdp === undefined ? 'it has no Rényi curve of its own' : undefined,
  check: (subject, { forAll }) =>
    forAll(
      settingsOf(subject),
      ({ event, adjacency }) => {
        const { rdp } = knownOf(subject, event, adjacency);
        if (rdp === undefined) return undefined;
        let before = { alpha: 1, value: 0 };
        // A little above each order, too: where a curve breaks off.
        for (const alpha of orders.flatMap((order) => [order, 1 + (order - 1) * 1.02])) {
          const value = rdp(alpha);
          if (value === Infinity) continue;
          if (!(value >= before.value * (1 - 1e-9) - 1e-300))
            return {
              what:
                `under ${adjacency}, the Rényi divergence is ${before.value} at order ${before.alpha} ` +
                `and less, ${value}, at order ${alpha}`,
              measured: value,
              allowed: before.value,
              input: event,
            };
          before = { alpha, value };
        }
        return undefined;
      },
      { runs: 15, examples: examplesOf(subject) },
    ),
});

/** Numbers that compare two values of one characterisation; empty for values without an order. */
const sizes: { readonly [C in CharacterisationKind]: (value: Characterisations[C]) => readonly number[] } = {
  pure: (epsilon) => [epsilon],
  zcdp: (rho) => [rho],
  gdp: ({ mu }) => [mu],
  rdp: (divergence) => orders.map(divergence),
  approximate: () => [],
  tcdp: () => [],
  pair: () => [],
};
/** Sizes of the characterisation `want` that `valueOf` returns. */
const sizesOf = <C extends CharacterisationKind>(
  want: C,
  valueOf: (want: C) => Characterisations[C],
): readonly number[] => sizes[want](valueOf(want));

export const derived = defineLaw<'event'>({
  id: 'event/derived',
  kind: 'event',
  tier: 'search',
  statement:
    'each of its characterisations is at least as tight as the one that core derives from the others; ' +
    'a looser one should be left out',
  power: 'any loss of 1e-9, on 1 of 20 events',
  exempt: ({ plugin }) =>
    Object.keys(plugin.characterise).length < 2 ? 'it has one characterisation only' : undefined,
  check: (subject, { forAll }) =>
    forAll(
      settingsOf(subject),
      ({ event, adjacency }) => {
        const known = knownOf(subject, event, adjacency);
        const { plugin } = subject;
        for (const want of Object.keys(known) as CharacterisationKind[]) {
          const others: EventKind = {
            ...plugin,
            characterise: { ...plugin.characterise, [want]: undefined },
          };
          const { [want]: _, ...rest } = others.characterise;
          const resolve = createResolver([{ ...others, characterise: rest }, ...kindsOf(subject).slice(1)]);
          let theirs: readonly number[];
          try {
            theirs = sizesOf(want, (kind) => resolve(event, kind, adjacency));
          } catch (error) {
            if (error instanceof Unsupported) continue;
            throw error;
          }
          const mine = sizesOf(want, (kind) => known[kind] as Characterisations[typeof kind]);
          const at = mine.findIndex((size, i) => !(size <= theirs[i] * (1 + 1e-9)));
          if (at >= 0)
            return {
              what:
                `under ${adjacency}, it gives ${mine[at]} as ` +
                `${want}${want === 'rdp' ? ` of order ${orders[at]}` : ''}; ` +
                `core derives ${theirs[at]} from its others`,
              measured: mine[at],
              allowed: theirs[at],
              input: event,
            };
        }
        return undefined;
      },
      { runs: 15, examples: examplesOf(subject) },
    ),
});

export const replaced = defineLaw<'event'>({
  id: 'event/replacing',
  kind: 'event',
  tier: 'exact',
  statement:
    'replacing a record is a removal and an addition: it costs at most twice as much as zero-out or ' +
    'removal, in ε of pure and in μ of Gaussian differential privacy',
  power: 'a cost more than twice as large, by 1e-9',
  // For the example only: with changed numbers the sensitivities may not belong to one release.
  check: (subject) => {
    const event = subject.params as PrivacyEvent;
    const whole = knownOf(subject, event, 'replace-one');
    for (const adjacency of ['zero-out', 'add-remove'] as const) {
      const half = knownOf(subject, event, adjacency);
      const pairs = [
        ['pure', whole.pure, half.pure],
        ['gdp.mu', whole.gdp?.mu, half.gdp?.mu],
        ['gdp.lower', whole.gdp?.lower, half.gdp?.mu],
      ] as const;
      const wrong = pairs.find(
        ([, one, other]) => one !== undefined && other !== undefined && !(one <= 2 * other * (1 + 1e-9)),
      );
      if (wrong !== undefined)
        return fails(1, {
          what:
            `${wrong[0]} is ${wrong[1]} under replace-one, ` +
            `more than twice the ${wrong[2]} under ${adjacency}`,
          measured: defined(wrong[1]),
          allowed: 2 * (wrong[2] ?? Number.NaN),
          input: event,
        });
    }
    return holds(1);
  },
});

export const power = defineLaw<'event'>({
  id: 'event/power',
  kind: 'event',
  tier: 'search',
  statement:
    'the closed form of n runs has the cost of n runs, in ρ, ' +
    'μ and Rényi divergence; for one run, the cost of the event',
  power: 'any difference of 1e-6, on 1 of 20 events',
  exempt: ({ plugin }) => (plugin.power === undefined ? 'it declares no closed form (power)' : undefined),
  check: (subject, { forAll }) =>
    forAll(
      fc.record({ setting: settingsOf(subject), count: fc.constantFrom(2, 1, 3, 10, 100, 1_000, 2 ** 20) }),
      ({ setting: { event, adjacency }, count }): Violation | undefined => {
        const resolve = createResolver(kindsOf(subject));
        const whole = defined(subject.plugin.power)(event, count);
        const each = { kind: 'core/compose', v: 1, parts: [{ event, count }] } as PrivacyEvent;
        for (const want of ['gdp', 'zcdp', 'rdp'] as const) {
          let mine: readonly number[];
          let theirs: readonly number[];
          try {
            [mine, theirs] = [
              sizesOf(want, (kind) => resolve(whole, kind, adjacency)),
              sizesOf(want, (kind) => resolve(each, kind, adjacency)),
            ];
          } catch (error) {
            if (error instanceof Unsupported) continue;
            throw error;
          }
          const at = mine.findIndex(
            (size, i) => !(size === theirs[i] || Math.abs(size - theirs[i]) <= 1e-6 * theirs[i]),
          );
          if (at >= 0)
            return {
              what:
                `under ${adjacency}, ${count} runs at once have ` +
                `${want} ${mine[at]}, one by one ${theirs[at]}`,
              measured: mine[at],
              allowed: theirs[at],
              input: event,
            };
        }
        return undefined;
      },
      {
        runs: 15,
        examples: examplesOf(subject).flatMap((setting) => [3, 5_000].map((count) => ({ setting, count }))),
      },
    ),
});
