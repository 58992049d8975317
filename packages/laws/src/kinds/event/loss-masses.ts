import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import type { Violation } from '../../law/finding.js';
import { examplesOf, knownOf, settingsOf } from './known.js';

interface Masses {
  readonly edges: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
}

function massesOf(distribution: PrivacyLossDistribution, edges: Float64Array): Masses {
  // Old content of the arrays must not matter.
  const p = new Float64Array(edges.length - 1).fill(0.125);
  const q = new Float64Array(edges.length - 1).fill(0.375);
  defined(distribution.massesInto)(p, q, edges);
  return { edges, p, q };
}

/** Range of losses that contains nearly all of P: by powers of 2 first, then in even steps. */
function bulkOf(distribution: PrivacyLossDistribution): readonly [number, number] {
  const powers = Array.from({ length: 82 }, (_, i) => 2 ** (i - 41));
  let edges = Float64Array.from([-Infinity, ...powers.toReversed().map((x) => -x), 0, ...powers, Infinity]);
  let range: readonly [number, number] = [-1, 1];
  for (let zoom = 0; zoom < 3; zoom++) {
    const { p } = massesOf(distribution, edges);
    let [low, high] = [0, p.length - 1];
    while (low < high && !(p[low] > 1e-12)) low++;
    while (high > low && !(p[high] > 1e-12)) high--;
    range = [Math.max(-(2 ** 40), edges[low]), Math.min(2 ** 40, edges[high + 1])];
    edges = Float64Array.from({ length: 67 }, (_, i) => {
      if (i === 0) return -Infinity;
      return i === 66 ? Infinity : range[0] + ((range[1] - range[0]) * (i - 1)) / 64;
    });
  }
  return range;
}

const sum = (values: Float64Array, from = 0): number =>
  values.subarray(from).reduce((total, value) => total + value, 0);

/** Rounding tolerance between two sums of masses. */
const slackOf = ({ grain = 2 ** -44 }: PrivacyLossDistribution): number => 1e-10 + 4 * grain;

function cellWrong({ edges, p, q }: Masses, distribution: PrivacyLossDistribution): Violation | undefined {
  const {
    support: { least, most },
    grain = 2 ** -44,
  } = distribution;
  for (let i = 0; i < p.length; i++) {
    const [from, to, mine, other] = [edges[i], edges[i + 1], p[i], q[i]];
    const cell = `on losses from ${from} to ${to} the mass of P is ${mine} and of Q ${other}`;
    if (!(mine >= 0 && mine <= 1 + 1e-9 && other >= 0 && other <= 1 + 1e-9))
      return { what: `${cell}; each must be a probability` };
    const near = (loss: number): number => 2 ** -42 * (1 + Math.abs(loss)) + 4 * grain;
    if ((to < least - near(to) || from > most + near(from)) && mine + other > 0)
      return { what: `${cell}, outside the declared support from ${least} to ${most}` };
    const tiny = 1e-290;
    if (Math.abs(from) < 600 && !(mine >= other * Math.exp(from) * (1 - near(from)) - tiny))
      return { what: `${cell}: less than e^${from} times`, measured: mine, allowed: other * Math.exp(from) };
    if (Math.abs(to) < 600 && !(mine <= other * Math.exp(to) * (1 + near(to)) + tiny))
      return { what: `${cell}: more than e^${to} times`, measured: mine, allowed: other * Math.exp(to) };
  }
  return undefined;
}

/** Total masses of P and Q, and the profile at every edge against the masses above it. */
function totalWrong({ edges, p, q }: Masses, distribution: PrivacyLossDistribution): Violation | undefined {
  const slack = slackOf(distribution);
  const all = sum(p) + distribution.infinite;
  if (!(all >= 1 - slack && all <= 1 + slack))
    return {
      what:
        `P has mass ${sum(p)} on finite losses and ` +
        `${distribution.infinite} on infinite ones; the total must be 1`,
      measured: all,
      allowed: 1,
    };
  if (!(sum(q) <= 1 + slack)) return { what: `Q has total mass ${sum(q)}`, measured: sum(q), allowed: 1 };
  for (let i = 1; i + 1 < edges.length; i++) {
    const epsilon = edges[i];
    if (Math.abs(epsilon) > 600) continue;
    const mine = sum(p, i) + distribution.infinite;
    const weight = Math.exp(epsilon);
    const others = sum(q, i) * weight;
    const delta = mine - others;
    const { lower, upper } = distribution.hockeyStick(epsilon);
    const room = slack * (mine + others) + 2 ** -40 * (1 + Math.abs(epsilon)) * Math.min(1, weight);
    if (delta >= lower - room && delta <= upper + room) continue;
    return {
      what: `the masses above ε = ${epsilon} give δ = ${delta}; the profile is [${lower}, ${upper}]`,
      measured: delta,
      allowed: delta > upper ? upper : lower,
    };
  }
  return undefined;
}

/** Masses of a cell equal the sums over three parts of it. */
function refinedWrong({ edges, p, q }: Masses, distribution: PrivacyLossDistribution): Violation | undefined {
  const finer = new Float64Array(3 * p.length + 1);
  for (let i = 0; i < p.length; i++) {
    const [from, to] = [edges[i], edges[i + 1]];
    const cut = (share: number): number => {
      if (from === -Infinity) return to - 2 + share;
      return to === Infinity ? from + 1 + share : from + (to - from) * share;
    };
    finer.set([from, cut(0.3), cut(0.7)], 3 * i);
  }
  finer[3 * p.length] = edges[edges.length - 1];
  const parts = massesOf(distribution, finer);
  const { grain = 2 ** -44 } = distribution;
  for (let i = 0; i < p.length; i++)
    for (const [name, whole, part] of [
      ['P', p, parts.p],
      ['Q', q, parts.q],
    ] as const) {
      const total = part[3 * i] + part[3 * i + 1] + part[3 * i + 2];
      if (Math.abs(total - whole[i]) <= (8 * grain + 1e-12) * whole[i] + 1e-300) continue;
      return {
        what:
          `on losses from ${edges[i]} to ${edges[i + 1]} the mass of ${name} is ${whole[i]}, ` +
          `the sum over three parts of the cell ${total}`,
        measured: total,
        allowed: whole[i],
      };
    }
  return undefined;
}

/**
 * Edges with half-infinite cells at both ends, shifted so that
 * no atom of a simple distribution is on an edge.
 */
function edgesFrom([from, to]: readonly [number, number], cells: number, shift: number): Float64Array {
  const step = Math.max(to - from, 1e-9) / cells;
  return Float64Array.from({ length: cells + 3 }, (_, i) => {
    if (i === 0) return -Infinity;
    return i === cells + 2 ? Infinity : from + (i - 1.377_119 + shift) * step;
  });
}

export const lossMasses = defineLaw<'event'>({
  id: 'event/loss-masses',
  kind: 'event',
  tier: 'search',
  statement:
    'the masses of loss cells are those of two distributions: non-negative, with total 1 including ' +
    'infinite losses, with a ratio within the edges of each cell, zero outside the support, consistent ' +
    'with the profile at every edge, and additive over parts of a cell, also for half-infinite cells',
  power:
    'an error in a mass of 1e-9 of the total, or of the grain within a cell, ' +
    'on 1 of 20 events and one of 40 cells',
  exempt: ({ plugin }) =>
    plugin.characterise.pair === undefined ? 'it declares no dominating pairs' : undefined,
  check: (subject, { forAll }) =>
    forAll(
      fc.record({
        setting: settingsOf(subject),
        cells: fc.constantFrom(40, 7, 200, 1),
        shift: fc.constantFrom(0, 0.25, 0.5),
      }),
      ({ setting: { event, adjacency }, cells, shift }): Violation | undefined => {
        for (const { direction, factors } of knownOf(subject, event, adjacency).pair ?? []) {
          for (const { distribution } of factors.filter(
            (factor) => factor.distribution.massesInto !== undefined,
          )) {
            const masses = massesOf(distribution, edgesFrom(bulkOf(distribution), cells, shift));
            const wrong =
              cellWrong(masses, distribution) ??
              totalWrong(masses, distribution) ??
              refinedWrong(masses, distribution);
            if (wrong)
              return {
                ...wrong,
                what: `under ${adjacency}, in the pair for '${direction}', ${wrong.what}`,
                input: event,
              };
          }
        }
        return undefined;
      },
      { runs: 15, examples: examplesOf(subject).map((setting) => ({ setting, cells: 40, shift: 0 })) },
    ),
});
