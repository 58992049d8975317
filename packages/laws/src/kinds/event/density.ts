import { adjacencies, LetheError, type Adjacency, type PrivacyEvent, type Realisation } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { claimedRenyi, claimIfKnown, type ClaimedProfile } from '../../divergence/claimed-profile.js';
import { gaussLegendre } from '../../divergence/gauss-legendre.js';
import { fails, holds, skipped, type Finding } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { kindsOf } from './known.js';
import { realisationsOf } from './witness.js';

const epsilons = [0, 0.01, 0.1, 0.5, 1, 2, 4];
/** Orders between integers too: curves may be right at integers alone. */
const orders = [1.01, 1.2, 1.5, 1.9, 2, 2.4, 2.6, 3, 3.5, 4.5, 8, 16];
/**
 * Draws that show where the outputs are, and panels of the quadrature on that range, widened on both sides.
 */
const looked = 200;
const panels = 1000;
const rule = gaussLegendre(4);
/** Largest error of a total mass for which the densities count as smooth ones on the line. */
const massError = 1e-7;
const tolerance = 1e-9;

/** Both densities at the nodes of a quadrature, with its weights. */
interface Table {
  readonly weights: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  /** Neighbouring nodes that make an event together: those of a panel, or single whole numbers. */
  readonly group: number;
}

/** Whole numbers beside the range of the draws, which may be a few numbers wide. */
const fewestBeside = 200;
/** Most whole numbers that are summed over. */
const mostWhole = 2 ** 16;

/**
 * Values of both densities where nearly all outputs are: on the line, or on whole numbers if all outputs are
 * whole. None unless the densities add up to 1 there.
 */
function tableOf(
  realisation: Realisation,
  event: PrivacyEvent,
  adjacency: Adjacency,
  env: LawEnv,
): Table | undefined {
  const sources = [env.random('first'), env.random('second')] as const;
  const seen: number[] = [];
  for (let i = 0; i < looked; i++)
    for (const side of [0, 1] as const) {
      const output = realisation.draw(event, adjacency, side, sources[side]);
      if (output.length !== 1) return undefined;
      seen.push(output[0]);
    }
  const [least, most] = [Math.min(...seen), Math.max(...seen)];
  const width = most - least;
  if (!(width > 0 && width < 1e100)) return undefined;
  const isWhole = seen.every(Number.isSafeInteger);
  const whole = 5 * width + 2 * fewestBeside;
  if (isWhole && !(whole < mostWhole)) return undefined;
  const step = (5 * width) / panels;
  const group = isWhole ? 1 : rule.nodes.length;
  const count = isWhole ? whole : panels * group;
  const table = {
    weights: new Float64Array(count).fill(1),
    p: new Float64Array(count),
    q: new Float64Array(count),
    group,
  };
  for (let i = 0; i < count; i++) {
    const x = [
      isWhole
        ? least - 2 * width - fewestBeside + i
        : least - 2 * width + step * (Math.floor(i / group) + (1 + rule.nodes[i % group]) / 2),
    ];
    if (!isWhole) table.weights[i] = (rule.weights[i % group] * step) / 2;
    table.p[i] = defined(realisation.density?.(event, adjacency, 0, x));
    table.q[i] = defined(realisation.density?.(event, adjacency, 1, x));
  }
  const massOf = (density: Float64Array): number =>
    density.reduce((sum, f, i) => sum + table.weights[i] * f, 0);
  const isAll = [table.p, table.q].every((density) => Math.abs(massOf(density) - 1) <= massError);
  return isAll ? table : undefined;
}

/** A lower bound: of the groups, which are events, those that are likelier than e^ε times as likely. */
function hockeyStick({ weights, p, q, group }: Table, epsilon: number, way: 1 | -1): number {
  const [here, there] = way === 1 ? [p, q] : [q, p];
  let sum = 0;
  for (let begin = 0; begin < p.length; begin += group) {
    let gap = 0;
    for (let i = begin; i < begin + group; i++) gap += weights[i] * (here[i] - Math.exp(epsilon) * there[i]);
    sum += Math.max(0, gap);
  }
  return sum;
}

function renyi({ weights, p, q }: Table, order: number, way: 1 | -1): number {
  const [here, there] = way === 1 ? [p, q] : [q, p];
  let most = -Infinity;
  const logs = weights.map((weight, i) => {
    const isBoth = here[i] > 0 && there[i] > 0;
    const log = isBoth
      ? Math.log(weight) + order * Math.log(here[i]) - (order - 1) * Math.log(there[i])
      : -Infinity;
    most = Math.max(most, log);
    return log;
  });
  return (most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0))) / (order - 1);
}

/** Where the claimed δ is about a third and about a thousandth: small ε say nothing of little noise. */
const tellingEpsilons = (profile: ClaimedProfile): readonly number[] =>
  [0.3, 1e-3].flatMap((delta) => {
    let [low, high] = [0, 1e4];
    if (!(profile.delta(4) > delta && profile.delta(high) < delta)) return [];
    for (let step = 0; step < 20; step++) {
      const middle = (low + high) / 2;
      if (profile.delta(middle) > delta) low = middle;
      else high = middle;
    }
    return [high];
  });

function judged(subject: Subject<'event'>, adjacency: Adjacency, table: Table): Finding {
  const event = subject.params as PrivacyEvent;
  const profile = claimIfKnown(event, adjacency, kindsOf(subject));
  const curve = unlessUnsupported(() => claimedRenyi(event, adjacency, kindsOf(subject)));
  let tried = 0;
  for (const way of [1, -1] as const) {
    for (const epsilon of profile === undefined ? [] : [...epsilons, ...tellingEpsilons(profile)]) {
      const measured = hockeyStick(table, epsilon, way);
      const allowed = defined(profile).delta(epsilon);
      tried++;
      if (!(measured > allowed * (1 + tolerance) + 8 * massError)) continue;
      return fails(tried, {
        what:
          `under ${adjacency} the densities of its mechanism ` +
          `have δ(${epsilon}) = ${measured}; it claims ${allowed}`,
        measured,
        allowed,
        input: event,
      });
    }
    for (const order of curve === undefined ? [] : orders) {
      const measured = renyi(table, order, way);
      const allowed = defined(curve)(order);
      tried++;
      if (!(measured > allowed * (1 + 1e-6) + (8 * massError) / (order - 1))) continue;
      return fails(tried, {
        what:
          `under ${adjacency} the densities of its mechanism have a Rényi divergence of order ${order} ` +
          `of ${measured}; it claims ${allowed}`,
        measured,
        allowed,
        input: event,
      });
    }
  }
  return holds(tried);
}

/** The numbers of an event against the densities of what it is about. */
export const density = defineLaw<'event'>({
  id: 'event/density',
  kind: 'event',
  property: 'renyi',
  tier: 'exact',
  statement:
    'where the mechanisms that realise it give densities of one number, the δ(ε) and the Rényi ' +
    'divergences of these, by quadrature or as sums over whole numbers, are at most those it claims',
  power:
    'a Rényi divergence too small by 1e-5 at one of 12 orders ' +
    'from 1.01 to 16, a δ too small by 1e-6 at one of 9 ε',
  exempt: (subject) =>
    realisationsOf(subject).every((realisation) => realisation.density === undefined)
      ? 'no mechanism that realises it gives its density; see event/witness'
      : undefined,
  cells: () => adjacencies.map((adjacency) => ({ name: adjacency, adjacency })),
  elsewhere: 4,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    let samples = 0;
    try {
      for (const realisation of realisationsOf(subject)) {
        if (realisation.density === undefined) continue;
        const table = tableOf(realisation, subject.params as PrivacyEvent, adjacency, env);
        if (table === undefined) continue;
        const finding = judged(subject, adjacency, table);
        samples += finding.samples;
        if (finding.verdict === 'fails') return { ...finding, samples };
      }
    } catch (error) {
      if (error instanceof LetheError) return skipped(`no mechanism realises it: ${error.message}`);
      throw error;
    }
    return samples === 0 ? skipped('no density of one number; see event/witness') : holds(samples);
  },
});
