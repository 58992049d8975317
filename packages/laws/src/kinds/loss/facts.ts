import type { Fact, RecordDomain } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { onAxis } from '../../arbitraries/vectors.js';
import { type Violation, fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import {
  accepts,
  acceptedLabels,
  along,
  columns,
  dimensionOf,
  gradientAt,
  inner,
  moved,
  norm,
  recordAt,
  valueAt,
  withoutLabels,
} from './points.js';

/** Declared domains of every kind: full, partly open, and of nothing at all. */
const domains: readonly RecordDomain[] = [
  { featureNorm: 1, labelBound: 1, iterateNorm: 2 },
  { featureNorm: 3, labelBound: 2, iterateNorm: 10 },
  { featureBounds: [1, 0.5, 2], labelBound: 1, iterateNorm: 1 },
  { featureNorm: 1, featureBounds: [1, 0.5, 0.25], labelBound: 1, iterateNorm: 4 },
  { featureNorm: 2, featureBounds: [1, 1, 1], labelBound: 1, iterateNorm: 1 },
  { featureNorm: 1, labelBound: 1 },
  { featureNorm: 2 },
  { featureNorm: 1, iterateNorm: 5 },
  { labelBound: 1, iterateNorm: 1 },
  { featureBounds: [1, 1, 1] },
  { labelBound: 1 },
  {},
  { featureNorm: 1, sparsity: 1, labelBound: 1, iterateNorm: 3 },
  { featureNorm: 2, sparsity: 2, labelBound: 1 },
  { featureBounds: [1, 0.5, 2], sparsity: 1, labelBound: 1, iterateNorm: 3 },
  { featureNorm: 2, featureBounds: [1, 2, 1], sparsity: 2, iterateNorm: 2 },
  { featureNorm: 40, labelBound: 300, iterateNorm: 50 },
  { featureBounds: [0.01, 0.03, 0.02], labelBound: 0.02, iterateNorm: 0.05 },
].map((domain) => ({ columns, ...domain }));

/** Two points and a record of a domain; the second point is one step on, along the features or an axis. */
export interface Case {
  readonly domain: RecordDomain;
  readonly x: readonly number[];
  readonly label: number;
  readonly w: readonly number[];
  readonly v: readonly number[];
}

/** Of records. */
const directions: readonly (readonly number[])[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
  [1, 1, 1],
  [1, -2, 3],
  [-1, 4, 1],
];
/** The first entries of a direction that differ from zero, as many as records may have. */
function sparse(direction: readonly number[], { sparsity = Infinity }: RecordDomain): readonly number[] {
  let left = sparsity;
  return direction.map((entry) => (entry !== 0 && left-- > 0 ? entry : 0));
}
const shares = [1, 1, 0.999, 0.5, 0.1, 0];
const openSizes = [1, 0.01, 100, 1e4, 1e6];

/** The longest vector of a direction within the bounds, times a share. */
function within(
  direction: readonly number[],
  share: number,
  open: number,
  {
    norm: most,
    bounds,
  }: { readonly norm: number | undefined; readonly bounds: readonly number[] | undefined },
): readonly number[] {
  const byNorm = most === undefined ? Infinity : most / norm(direction);
  const byBounds =
    bounds === undefined
      ? Infinity
      : Math.min(...direction.map((entry, j) => (entry === 0 ? Infinity : bounds[j] / Math.abs(entry))));
  const scale = Math.min(byNorm, byBounds);
  // A rounded product may pass the bound by an ulp; records may, too.
  return direction.map(
    (entry) => entry * (scale < Infinity ? scale * share * (1 - 2 ** -52) : open * share) + 0,
  );
}

/** The point, or the one of that norm in its direction where it lies further out. */
export const inBall = (w: readonly number[], most: number | undefined): readonly number[] =>
  most === undefined || norm(w) <= most ? w : w.map((entry) => (entry / norm(w)) * most * (1 - 2 ** -52));

interface Shares {
  readonly x: number;
  readonly w: number;
  readonly open: number;
  readonly step: number;
  readonly axis: number | null;
  readonly side: 1 | -1;
}

function caseOf(
  subject: Subject<'loss'>,
  domain: RecordDomain,
  [forX, forW]: readonly [readonly number[], readonly number[] | null],
  label: number,
  { x: shareX, w: shareW, open, step, axis, side }: Shares,
): Case {
  const x = within(sparse(forX, domain), shareX, open, {
    norm: domain.featureNorm,
    bounds: domain.featureBounds,
  });
  const dimension = dimensionOf(subject);
  const first = onAxis(dimension, 0, side);
  const isAxis = axis !== null;
  let towards: readonly number[];
  if (forW === null) {
    if (norm(x) > 0) towards = along(subject, x, side / norm(x));
    else towards = first;
  } else towards = Array.from({ length: dimension }, (_, i) => forW[i % columns] + 0);
  const w = inBall(
    within(towards, shareW, open, { norm: domain.iterateNorm, bounds: undefined }),
    domain.iterateNorm,
  );
  let ahead: readonly number[];
  if (isAxis) ahead = onAxis(dimension, axis % dimension, 1);
  else if (norm(x) > 0) ahead = along(subject, x, 1 / norm(x));
  else ahead = onAxis(dimension, 0, 1);
  return {
    domain,
    x,
    label,
    w,
    v: inBall(moved(w, ahead, inner(w, ahead) > 0 ? -step : step), domain.iterateNorm),
  };
}

function cases(subject: Subject<'loss'>): Arbitrary<Case> {
  return fc.constantFrom(...domains).chain((domain) => {
    const labels = labelsWithin(subject, domain);
    return fc
      .record({
        forX: fc.constantFrom(...directions),
        forW: fc.option(fc.constantFrom(...directions)),
        label: fc.constantFrom(...labels),
        x: fc.constantFrom(...shares),
        w: fc.constantFrom(...shares),
        open: fc.constantFrom(...openSizes),
        step: fc.integer({ min: -14, max: 2 }).map((power) => 2 ** power),
        axis: fc.option(fc.nat(dimensionOf(subject) - 1)),
        side: fc.constantFrom<(1 | -1)[]>(1, -1),
      })
      .map(({ forX, forW, label, ...rest }) => caseOf(subject, domain, [forX, forW], label, rest));
  });
}

/** Labels of a domain, those at its bound first. */
export const labelsWithin = (
  subject: Subject<'loss'>,
  { labelBound: declared }: RecordDomain,
): readonly number[] => {
  // No bound is about classes.
  const labelBound = subject.plugin.labels.classes === undefined ? declared : undefined;
  const known = acceptedLabels(subject, labelBound);
  const edge =
    labelBound === undefined ? [] : [labelBound, -labelBound].filter((label) => accepts(subject, label));
  return [...edge, ...known].length > 0 ? [...edge, ...known] : acceptedLabels(subject);
};

/** A fact measured at one record. */
interface Found {
  readonly measured: number;
  readonly slack: number;
}

/** Whether a record refutes a fact: strong convexity is a bound from below, all others are from above. */
const refutes = (name: string, value: number, { measured: found, slack }: Found): boolean =>
  name === 'strongConvexity'
    ? !(found >= value * (1 - 1e-9) - slack)
    : !(found <= value * (1 + 1e-9) + slack + 1e-300);

/** What a record has at two points of a case, each computed when it is first asked for. */
function seenAt(subject: Subject<'loss'>, { x, label, w, v }: Case) {
  const record = recordAt(subject, { x, label });
  const once = <T>(make: () => T): (() => T) => {
    let made: { readonly value: T } | undefined;
    return () => (made ??= { value: make() }).value;
  };
  const gradient = once(() => gradientAt(subject, w, record));
  const there = once(() => gradientAt(subject, v, record));
  const gap = once(() => moved(v, w, -1));
  return {
    value: () => valueAt(subject, w, record),
    gradient,
    gap,
    apart: once(() => norm(gap())),
    differences: once(() => moved(there(), gradient(), -1)),
    rounding: once(
      () => 2 ** -48 * (norm(gradient()) + norm(there()) + (norm(w) + norm(v)) * norm(x) * norm(x)),
    ),
  };
}

/** The quantity that a fact bounds, measured at a case; `null` for facts that are not about one record. */
function measured(seen: ReturnType<typeof seenAt>, name: string): Found | null {
  const [kind, index] = name.split('.') as [string, string | undefined];
  const j = Number(index);
  if (kind === 'range') {
    const value = seen.value();
    return { measured: value < 0 ? Infinity : value, slack: 2 ** -40 * Math.abs(value) };
  }
  if (kind === 'sparsity')
    return { measured: seen.gradient().filter((entry) => entry !== 0).length, slack: 0 };
  if (kind === 'lipschitz') return { measured: norm(seen.gradient()), slack: 0 };
  if (kind === 'coordinateLipschitz') return { measured: Math.abs(seen.gradient()[j]), slack: 0 };
  if (kind !== 'smoothness' && kind !== 'coordinateSmoothness' && kind !== 'strongConvexity') return null;
  const gap = seen.gap();
  const apart = kind === 'coordinateSmoothness' ? Math.abs(gap[j]) : seen.apart();
  if (apart < 2 ** -20) return null;
  if (
    kind === 'coordinateSmoothness' &&
    !gap.every((entry, i) => i === j || Math.abs(entry) <= 2 ** -40 * apart)
  )
    return null;
  const differences = seen.differences();
  let change: number;
  if (kind === 'smoothness') change = norm(differences);
  else if (kind === 'strongConvexity') change = inner(differences, gap) / apart;
  else change = Math.abs(differences[j]);
  return { measured: change / apart, slack: seen.rounding() / apart };
}

/** Facts are bounds for every record. */
export const facts = defineLaw<'loss'>({
  id: 'loss/facts',
  kind: 'loss',
  tier: 'search',
  invariant: 'I-11',
  statement:
    'every fact follows from the declared domain, and holds for every record and iterate in it: ' +
    'gradients, how many of their entries differ from zero, their changes, strong convexity, and values ' +
    'between 0 and the range; one that does not follow is absent',
  power:
    'a Lipschitz, smoothness or range constant too small by 10⁻⁶, strong convexity too large by that, an ' +
    'entry that is not counted, and a fact stated where it does not exist; 1 500 records of eighteen ' +
    'domains, a third of them at the extremes',
  exempt: withoutLabels,
  check(subject, env) {
    for (const [i, domain] of domains.entries()) {
      const wrong = misListed(subject, domain);
      if (wrong !== undefined) return fails(i + 1, wrong);
      for (const [name, fact] of Object.entries(statedBy(subject, domain))) {
        if (!(fact.value >= 0 && fact.value < Infinity))
          return fails(i + 1, {
            what: `it states '${name}' = ${fact.value}; a fact is a finite bound, or absent`,
            input: domain,
          });
        if (fact.scope !== 'every-record' || fact.provenance !== 'from-domain')
          return fails(i + 1, {
            what:
              `it says '${name}' holds for '${fact.scope}' and was '${fact.provenance}'; facts of a loss ` +
              "follow from the declared domain ('from-domain') for every record of it ('every-record')",
            input: domain,
          });
      }
    }
    const stated = statedOnce(subject);
    return env.forAll(
      cases(subject),
      (one): Violation | undefined => refutedBy(subject, one, stated(one.domain)),
      { runs: 1000, examples: extremes(subject, domains) },
    );
  },
});

/** The first of the stated facts that a record refutes. */
export function refutedBy(
  subject: Subject<'loss'>,
  one: Case,
  stated: Readonly<Record<string, Fact>>,
): Violation | undefined {
  const seen = seenAt(subject, one);
  for (const [name, fact] of Object.entries(stated)) {
    const found = measured(seen, name);
    if (found !== null && refutes(name, fact.value, found))
      return {
        what:
          `it states '${name}' = ${fact.value}, ${fact.scope}; ` +
          `a record of the domain has ${found.measured}`,
        measured: found.measured,
        allowed: fact.value,
        input: one,
      };
  }
  return undefined;
}

/** The facts, with `name.j` for each number of one about every coordinate. */
export function statedBy(
  { plugin, params }: Subject<'loss'>,
  domain: RecordDomain,
): Readonly<Record<string, Fact>> {
  return Object.fromEntries(
    Object.entries(plugin.facts(params, domain)).flatMap(([name, { each, ...fact }]) =>
      each === undefined
        ? [[name, fact] as const]
        : each.map((value, j) => [`${name}.${j}`, { ...fact, value }] as const),
    ),
  );
}

/** The same, worked out once for each domain. */
function statedOnce(subject: Subject<'loss'>): (domain: RecordDomain) => Readonly<Record<string, Fact>> {
  const known = new Map<RecordDomain, Readonly<Record<string, Fact>>>();
  return (domain) => {
    const stated = known.get(domain) ?? statedBy(subject, domain);
    known.set(domain, stated);
    return stated;
  };
}

/** What is wrong with the list of a fact about every coordinate. */
function misListed(subject: Subject<'loss'>, domain: RecordDomain): Violation | undefined {
  for (const [name, { each, value }] of Object.entries(subject.plugin.facts(subject.params, domain))) {
    if (each === undefined) continue;
    const dimension = dimensionOf(subject);
    const largest = each.reduce((most, one) => Math.max(most, one), -Infinity);
    if (each.length === dimension && largest === value) continue;
    return {
      what:
        `it states '${name}' = ${value} with ${each.length} numbers of at most ${largest}; an iterate has ` +
        `${dimension} entries, and the value is the largest`,
      input: domain,
    };
  }
  return undefined;
}

/** Corners of the domains, where constants are attained by losses of linear models. */
function extremes(subject: Subject<'loss'>, of: readonly RecordDomain[]): readonly Case[] {
  return of.flatMap((domain) =>
    labelsWithin(subject, domain)
      .slice(0, 2)
      .flatMap((label) =>
        directions.slice(0, 4).flatMap((direction, i) =>
          ([1, -1] as const).flatMap((side) =>
            [1, 0].map((share) =>
              caseOf(subject, domain, [direction, null], label, {
                x: 1,
                w: share,
                open: 1e6,
                step: 2 ** -10,
                axis: i < 3 ? i : null,
                side,
              }),
            ),
          ),
        ),
      ),
  );
}

const roomy: readonly RecordDomain[] = [
  { columns, featureNorm: 1, labelBound: 1, iterateNorm: 64 },
  { columns, featureBounds: [1, 0.5, 2], labelBound: 1, iterateNorm: 64 },
];

/** Facts are no larger than they need be. */
export const factsAttained = defineLaw<'loss'>({
  id: 'loss/facts-attained',
  kind: 'loss',
  tier: 'search',
  onClaim: true,
  elsewhere: 0,
  statement:
    'in a domain with room for large margins, some record comes within 2 % of every fact that is stated',
  power: 'a constant 1.03 times what is needed',
  exempt: withoutLabels,
  check(subject) {
    let tried = 0;
    for (const domain of roomy) {
      const corners =
        domain.featureBounds === undefined
          ? []
          : [domain.featureBounds, domain.featureBounds.map((bound) => -bound)];
      const all = labelsWithin(subject, domain).flatMap((label) =>
        [...directions.slice(0, 4), ...corners].flatMap((direction) =>
          ([1, -1] as const).flatMap((side) =>
            [1, 0.5, 0.1, 0.05, 0.02, 0.01, 0].flatMap((share) =>
              [...Array.from({ length: dimensionOf(subject) }, (_, j) => j), null].map((axis) =>
                caseOf(subject, domain, [direction, null], label, {
                  x: 1,
                  w: share,
                  open: 1,
                  step: 2 ** -10,
                  axis,
                  side,
                }),
              ),
            ),
          ),
        ),
      );
      const seen = all.map((one) => seenAt(subject, one));
      for (const [name, { value }] of Object.entries(statedBy(subject, domain))) {
        const found = seen.flatMap((one) => measured(one, name)?.measured ?? []);
        const isLeast = name === 'strongConvexity';
        const most = isLeast ? Math.min(...found) : Math.max(...found);
        tried += all.length;
        if (Number.isFinite(most) && !(isLeast ? 0.98 * most <= value : most >= 0.98 * value))
          return fails(tried, {
            what:
              `it states '${name}' = ${value}; of ${all.length} records at the extremes none has ` +
              `${isLeast ? 'less' : 'more'} than ${most}`,
            measured: most,
            allowed: value,
            input: domain,
          });
      }
    }
    return holds(tried);
  },
});

/** A named constant by itself, for losses that claim it. */
const constant = (id: 'loss/lipschitz' | 'loss/smoothness', prefixes: readonly string[], statement: string) =>
  defineLaw<'loss'>({
    id,
    kind: 'loss',
    tier: 'search',
    onClaim: true,
    statement,
    power: 'a constant too small by 10⁻⁶, on 600 records of eighteen domains',
    exempt: withoutLabels,
    check(subject, env) {
      const stated = statedOnce(subject);
      return env.forAll(
        cases(subject),
        (one): Violation | undefined => {
          const seen = seenAt(subject, one);
          for (const [name, fact] of Object.entries(stated(one.domain)).filter(([of]) =>
            prefixes.some((prefix) => of === prefix || of.startsWith(`${prefix}.`)),
          )) {
            const found = measured(seen, name);
            if (found !== null && refutes(name, fact.value, found))
              return {
                what: `it claims '${name}' = ${fact.value}; a record of the domain has ${found.measured}`,
                measured: found.measured,
                allowed: fact.value,
                input: one,
              };
          }
          return undefined;
        },
        { runs: 400, examples: extremes(subject, domains) },
      );
    },
  });
export const lipschitz = constant(
  'loss/lipschitz',
  ['lipschitz', 'coordinateLipschitz'],
  'gradients are no longer than the Lipschitz constants stated of the domain',
);
export const smoothness = constant(
  'loss/smoothness',
  ['smoothness', 'coordinateSmoothness'],
  'gradients change no faster than the smoothness constants stated of the domain',
);
