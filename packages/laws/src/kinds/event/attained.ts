import { adjacencies, LetheError, type Adjacency, type PrivacyEvent, type Realisation } from '@lethe/core';
import { claimIfKnown } from '../../divergence/claimed-profile.js';
import { noteTest } from '../../evidence/judged.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { kindsOf } from './known.js';
import { realisationsOf } from './witness.js';

const epsilons = [0, 0.25, 0.5, 1, 2];
/** Part of a claimed δ(ε), at some ε, that the best realisation has to reach. */
const share = 1 / 3;
const draws = 4000;
/** Draws that are compared where no density is known. */
const compared = 500;

/** A realisation counts only if its outputs on the two neighbours differ about as much as is claimed. */
export const attained = defineLaw<'event'>({
  id: 'event/witness-attains',
  kind: 'event',
  tier: 'statistical',
  statement:
    'for some adjacency whose cost it states, one of its realisations draws, and reaches a third of a ' +
    'claimed δ(ε): by its densities, or where it gives none by outputs that are not all the same',
  power:
    'a realisation whose outputs are constant, or one that always refuses, for a cost of δ(0) of 0.2 or more',
  exempt: (subject) =>
    realisationsOf(subject).length === 0
      ? 'nothing vouches for its numbers: give realise, mechanisms that attain its cost'
      : undefined,
  check(subject, env) {
    const event = subject.params as PrivacyEvent;
    let samples = 0;
    let telling = 0;
    let drawn = 0;
    for (const adjacency of adjacencies) {
      const claim = claimIfKnown(event, adjacency, kindsOf(subject));
      if (claim === undefined) continue;
      const claimed = epsilons.map((epsilon) => claim.delta(epsilon));
      if (!claimed.some(canTell)) continue;
      telling++;
      for (const [index, realisation] of realisationsOf(subject).entries()) {
        if (!canDraw(realisation, event, adjacency, env)) continue;
        drawn++;
        const { reaches, used } = reached({ realisation, event, adjacency }, claimed, env, index);
        samples += used;
        if (reaches) return holds(samples);
      }
    }
    if (telling === 0) return skipped('its cost is unknown, or too small or too large to tell');
    return fails(Math.max(1, samples), {
      what:
        drawn === 0
          ? 'none of its realisations draws under an adjacency whose cost it states: nothing vouches for ' +
            'its numbers'
          : `none of its ${realisationsOf(subject).length} realisations reaches a third of the claimed ` +
            `δ(ε) at any of ε = ${epsilons.join(', ')}; ` +
            'give mechanisms that attain the cost, or leave realise out',
      allowed: share,
      input: event,
    });
  },
});

const canTell = (delta: number): boolean => delta >= 0.2 && delta <= 0.98;

interface Scenario {
  readonly realisation: Realisation;
  readonly event: PrivacyEvent;
  readonly adjacency: Adjacency;
}

function canDraw(realisation: Realisation, event: PrivacyEvent, adjacency: Adjacency, env: LawEnv): boolean {
  try {
    realisation.draw(event, adjacency, 0, env.random('tried'));
    return true;
  } catch (error) {
    if (error instanceof LetheError) return false;
    throw error;
  }
}

/** Whether it cannot be excluded that some δ(ε) is a third of the claimed one. */
function reached(
  { realisation, event, adjacency }: Scenario,
  claimed: readonly number[],
  env: LawEnv,
  index: number,
): { readonly reaches: boolean; readonly used: number } {
  const sources = ([0, 1] as const).map((side) => env.random(`attained ${adjacency} ${index} ${side}`));
  const { density } = realisation;
  if (density === undefined) {
    noteTest(env.alpha, Infinity);
    const seen = new Set<string>();
    for (let i = 0; i < compared && seen.size < 2; i++)
      for (const side of [0, 1] as const)
        seen.add(Array.from(realisation.draw(event, adjacency, side, sources[side])).join(' '));
    return { reaches: seen.size > 1, used: compared };
  }
  const sums = [0, 1].map(() => epsilons.map(() => 0));
  for (let i = 0; i < draws; i++)
    for (const side of [0, 1] as const) {
      const output = realisation.draw(event, adjacency, side, sources[side]);
      const own = density.call(realisation, event, adjacency, side, output);
      const other = density.call(realisation, event, adjacency, side === 0 ? 1 : 0, output);
      epsilons.forEach((epsilon, k) => {
        sums[side][k] += own === 0 ? 0 : Math.max(0, 1 - (Math.exp(epsilon) * other) / own);
      });
    }
  // Hoeffding, for every ε, side and realisation.
  const slack = Math.sqrt(Math.log((8 * epsilons.length) / env.alpha) / (2 * draws));
  noteTest(env.alpha, claimed.some((delta) => canTell(delta) && slack < share * delta) ? Infinity : 0);
  const reaches = claimed.some(
    (delta, k) => canTell(delta) && Math.max(sums[0][k], sums[1][k]) / draws + slack >= share * delta,
  );
  return { reaches, used: 2 * draws };
}
