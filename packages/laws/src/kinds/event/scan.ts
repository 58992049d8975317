import { adjacencies, deepFreeze, type Adjacency, type PrivacyEvent } from '@lethe/core';
import { claimIfKnown } from '../../divergence/claimed-profile.js';
import { holds } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { density } from './density.js';
import { kindsOf, knownOf, numbersIn, withValue } from './known.js';
import { realisationsOf, witness } from './witness.js';

/** Values of one number of an event, from a sixteenth to sixteen times that of the example. */
const values = 160;
const range = 16;
/** A claim breaks off where its logarithm changes by this much more than beside it. */
const notable = 0.02;
/** Places that are looked at more closely. */
const most = 3;

/** Events of which one number differs, ascending by it; those that the schema refuses left out. */
function* lines({ plugin, params }: Subject<'event'>): Generator<readonly PrivacyEvent[]> {
  for (const path of numbersIn(params).filter(([first]) => first !== 'v'))
    yield Array.from({ length: values }, (_, i) => range ** ((2 * i) / (values - 1) - 1)).flatMap((by) => {
      const parsed = plugin.schema.safeParse(withValue(params, path, (old) => (old as number) * by));
      return parsed.success ? [deepFreeze(parsed.data as PrivacyEvent)] : [];
    });
}

/** What an event claims of itself, in numbers that are compared one by one; δ(0) where it has none. */
function numbersOf(subject: Subject<'event'>, event: PrivacyEvent, adjacency: Adjacency): readonly number[] {
  const { pure, approximate, zcdp, tcdp, rdp, gdp } = knownOf(subject, event, adjacency);
  const told = [pure, approximate?.epsilon, zcdp, tcdp?.rho, rdp?.(2), rdp?.(8), gdp?.mu];
  return told.some((one) => one !== undefined)
    ? told.map((one) => one ?? 0)
    : [claimIfKnown(event, adjacency, kindsOf(subject))?.delta(0) ?? 1];
}

/** Events at which a claim breaks off most, on the lower side of the jump. */
function breaksOf(subject: Subject<'event'>): readonly PrivacyEvent[] {
  const found: { readonly event: PrivacyEvent; readonly drop: number }[] = [];
  const adjacency = adjacencies.find(
    (one) => claimIfKnown(subject.params as PrivacyEvent, one, kindsOf(subject)) !== undefined,
  );
  if (adjacency === undefined) return [];
  for (const line of lines(subject)) {
    const all = line.map((event) => numbersOf(subject, event, adjacency));
    // Steps of logarithms: those of a power of the number are all alike.
    const steps = all.slice(1).map((told, i) => told.map((one, k) => Math.log(one / all[i][k])));
    for (let i = 0; i < steps.length; i++)
      for (let k = 0; k < steps[i].length; k++) {
        const beside = [steps[i - 1]?.[k], steps[i + 1]?.[k]].filter((step) => step !== undefined);
        const jumps = beside.map((step) => steps[i][k] - step);
        const jump = jumps.reduce((least, one) => (Math.abs(one) < Math.abs(least) ? one : least), Infinity);
        if (Math.abs(jump) > notable && Math.abs(jump) < Infinity)
          found.push({ event: line[jump < 0 ? i + 1 : i], drop: Math.abs(jump) });
      }
  }
  return found
    .toSorted((x, y) => y.drop - x.drop)
    .slice(0, most)
    .map(({ event }) => event);
}

/** An event may be wrong between its examples. */
export const scan = defineLaw<'event'>({
  id: 'event/scan',
  kind: 'event',
  property: 'renyi',
  tier: 'statistical',
  statement:
    'where a claim breaks off between neighbouring values of a number of the event, the mechanisms that ' +
    'realise it satisfy the lower claim too',
  power:
    'an ε of randomised response that is half of the truth where it is within 5 % of some value, from a ' +
    'sixteenth to sixteen times that of the example',
  exempt: (subject) =>
    realisationsOf(subject).length === 0
      ? 'nothing vouches for its numbers: give realise, mechanisms that attain its cost'
      : undefined,
  check(subject, env: LawEnv) {
    let samples = 1;
    for (const event of breaksOf(subject))
      for (const law of [density, witness]) {
        const there: Subject<'event'> = { ...subject, params: event };
        if (law.exempt?.(there) !== undefined) continue;
        const cells = law.cells?.(there) ?? [];
        for (const cell of cells) {
          const finding = law.check(there, { ...env, cell, alpha: env.alpha / (2 * most * cells.length) });
          if (finding instanceof Promise || finding.verdict === 'skipped') continue;
          samples += finding.samples;
          if (finding.verdict === 'fails') return { ...finding, samples };
        }
      }
    return holds(samples);
  },
});
