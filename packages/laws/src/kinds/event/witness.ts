import { adjacencies, LetheError, type Adjacency, type PrivacyEvent, type Realisation } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { claimedRenyi, claimIfKnown } from '../../divergence/claimed-profile.js';
import { audit } from '../../engines/audit.js';
import { boundedMean, pool } from '../../evidence/index.js';
import { fails, holds, skipped, type Finding } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { kindsOf } from './known.js';

const epsilons = [0.01, 0.1, 0.25, 0.5, 1, 2, 4];
const pairs = 6000;
/** Orders between integers too: curves may be right at integers alone. */
const orders = [1.2, 1.5, 1.9, 2, 2.4, 2.9, 3, 3.5];
const draws = 20_000;
/** Draws between tests of the evidence on Rényi divergences. */
const stride = 500;

interface Scenario {
  readonly event: PrivacyEvent;
  readonly adjacency: Adjacency;
  readonly realisation: Realisation;
}

/** `log p(output) − log q(output)`; 0 for an output that neither has. */
export function logRatio({ event, adjacency, realisation }: Scenario, output: ArrayLike<number>): number {
  const [p, q] = ([0, 1] as const).map((side) =>
    defined(realisation.density?.(event, adjacency, side, output)),
  );
  return p === q ? 0 : Math.log(p) - Math.log(q);
}

/**
 * Bets that `E (p/q)^α`, under Q, is more than the claimed Rényi divergence allows, at several orders and in
 * both directions.
 */
function renyiBets(subject: Subject<'event'>, scenario: Scenario, env: LawEnv, alpha: number): Finding {
  const { event, adjacency, realisation } = scenario;
  const claimed = unlessUnsupported(() => claimedRenyi(event, adjacency, kindsOf(subject)));
  if (claimed === undefined || realisation.density === undefined) return holds(1);
  const lanes = orders.flatMap((order) => {
    const atMost = Math.exp((order - 1) * claimed(order));
    return atMost < 1e6
      ? ([0, 1] as const).map((side) => ({
          order,
          side,
          bets: boundedMean({ atMost: atMost * (1 + 1e-12), lowest: 0, highest: 1e12 }),
        }))
      : [];
  });
  if (lanes.length === 0) return holds(1, 'every claimed Rényi divergence is vacuous');
  const evidence = pool(lanes.map(({ bets }) => bets));
  const sources = [env.random('renyi first'), env.random('renyi second')] as const;
  const most = env.samples(draws);
  for (let k = 1; k <= most; k++) {
    const logs = ([0, 1] as const).map((side) => {
      const output = realisation.draw(event, adjacency, side, sources[side]);
      const log = logRatio(scenario, output);
      return side === 0 ? -log : log;
    });
    for (const { order, side, bets } of lanes) bets.push(Math.min(1e12, Math.exp(order * logs[side])));
    if ((k % stride > 0 && k < most) || !evidence.rejects(alpha)) continue;
    const { order, side } = lanes.reduce((best, lane) => (lane.bets.logE > best.bets.logE ? lane : best));
    return fails(k, {
      what:
        `under ${adjacency} the outputs of its mechanism have a larger Rényi divergence of order ` +
        `${order} than the claimed ${claimed(order)}`,
      allowed: claimed(order),
      logE: evidence.peak,
      witness: `the mean of (likelihood ratio)^${order} on the ${side === 0 ? 'first' : 'second'} neighbour`,
      input: event,
    });
  }
  return holds(most);
}

function profileBets(subject: Subject<'event'>, scenario: Scenario, env: LawEnv, alpha: number): Finding {
  const { event, adjacency, realisation } = scenario;
  const claim = claimIfKnown(event, adjacency, kindsOf(subject));
  if (claim === undefined) return skipped(`its cost under ${adjacency} is unknown`);
  // Without a density only more pairs make up for what is not known of each.
  const most = realisation.density === undefined ? 4 * pairs : pairs;
  const memory = new Map(epsilons.map((epsilon) => [epsilon, claim.delta(epsilon)]));
  return audit({
    draw: (side, random) => realisation.draw(event, adjacency, side, random),
    profile: (epsilon) => memory.get(epsilon) ?? 1,
    epsilons,
    ...(realisation.density === undefined ? {} : { logRatio: (output) => logRatio(scenario, output) }),
    pairs: env.samples(most),
    most,
    alpha,
    random: env.random('pairs'),
    input: event,
  });
}

export const realisationsOf = ({ plugin }: Subject<'event'>): readonly Realisation[] => plugin.realise ?? [];

/** The numbers of an event against what they are about. */
export const witness = defineLaw<'event'>({
  id: 'event/witness',
  kind: 'event',
  property: 'renyi',
  tier: 'statistical',
  statement:
    'the outputs of the mechanisms that realise it satisfy its claimed δ(ε) and Rényi divergences, by ' +
    'every characterisation, in both directions',
  power:
    'an ε of randomised response that is half of the truth in 1 000 pairs; a Rényi divergence of 0.06 ' +
    'for 0.13 at one of 8 orders in 20 000 draws, where the mechanism gives its density',
  exempt: (subject) =>
    realisationsOf(subject).length === 0
      ? 'nothing vouches for its numbers: give realise, mechanisms that attain its cost'
      : undefined,
  cells: (subject) =>
    adjacencies.flatMap((adjacency) =>
      realisationsOf(subject).map((_, pair) => ({
        name: `${adjacency}, pair ${pair + 1}`,
        adjacency,
        values: { pair },
      })),
    ),
  elsewhere: 4,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const realisation = realisationsOf(subject)[Number(env.cell.values?.['pair'])];
    const scenario = { event: subject.params as PrivacyEvent, adjacency, realisation };
    try {
      realisation.draw(scenario.event, adjacency, 0, env.random('tried'));
    } catch (error) {
      if (error instanceof LetheError) return skipped(`no mechanism realises it: ${error.message}`);
      throw error;
    }
    const told = profileBets(subject, scenario, env, env.alpha / 2);
    if (told.verdict !== 'holds') return told;
    const renyi = renyiBets(subject, scenario, env, env.alpha / 2);
    return { ...renyi, samples: told.samples + renyi.samples } as Finding;
  },
});
