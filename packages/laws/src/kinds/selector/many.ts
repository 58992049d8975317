import { defined } from '@lethe/numerics';
import { audit } from '../../engines/audit.js';
import { knownEvent } from '../../evidence/witness.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { frequencies } from '../sampler/frequencies.js';
import { chosen, claimsAt, moves, type SelectorSubject } from './choices.js';

const counts = [3, 9, 17, 65, 257, 1025];
const epsilon = 3;
/** Pairs of choices; fewer among many candidates, where each choice takes long. */
const pairsOf = (count: number): number => (count > 100 ? 800 : 2000);
/** Groups of neighbouring positions whose frequencies are compared. */
const mostBlocks = 8;

/**
 * A candidate among equals, and how far its utility is above theirs, in the middle between the neighbours.
 */
interface Lifted {
  readonly at: number;
  readonly by: number;
}

/**
 * The first, the middle and the last among equals; and the last where it is chosen about half of the time.
 */
const liftedOf = (count: number): readonly Lifted[] => [
  { at: 0, by: 0 },
  { at: count >> 1, by: 0 },
  { at: count - 1, by: 0 },
  { at: count - 1, by: (2 * Math.log(count - 1)) / epsilon },
];

/** Utilities that move for the lifted candidate and against all others, or the other way round. */
function neighboursOf(count: number, { at, by }: Lifted): readonly (readonly number[])[] {
  const moved = (step: number): readonly number[] =>
    Array.from({ length: count }, (_, position) => (position === at ? by + step : -step));
  return [moved(moves['replace-one'] / 2), moved(-moves['replace-one'] / 2)];
}

function audited(
  subject: SelectorSubject,
  count: number,
  lifted: Lifted,
  { env, alpha }: { readonly env: LawEnv; readonly alpha: number },
): Finding {
  const { at, by } = lifted;
  const utilities = neighboursOf(count, lifted);
  const claim = defined(claimsAt(subject, epsilon).find(({ adjacency }) => adjacency === 'replace-one'));
  return audit({
    draw: (neighbour, random) => [
      Number(chosen(subject, { utilities: utilities[neighbour], epsilon }, random) === at),
    ],
    profile: claim.profile.delta,
    epsilons: [epsilon / 4, epsilon / 2, epsilon],
    witnesses: () => [
      knownEvent(`position ${at} is chosen`, (y) => y[0] === 1),
      knownEvent(`position ${at} is not chosen`, (y) => y[0] === 0),
    ],
    pairs: env.samples(pairsOf(count)),
    alpha,
    random: env.random(`position ${at} ${by}`),
    input: { candidates: count, lifted: at, by },
  });
}

/** Frequencies of blocks of positions, where all utilities are equal. */
function even(subject: SelectorSubject, count: number, env: LawEnv, alpha: number): Finding {
  const blocks = Math.min(count, mostBlocks);
  const blockOf = (position: number): number => Math.floor((position * blocks) / count);
  const sizes = new Float64Array(blocks);
  for (let position = 0; position < count; position++) sizes[blockOf(position)]++;
  const process = frequencies(sizes.map((size) => size / count));
  const scene = { utilities: Array.from({ length: count }, () => 0), epsilon };
  const draws = env.samples(pairsOf(count));
  const random = env.random('even');
  for (let k = 1; k <= draws; k++) {
    process.push(blockOf(chosen(subject, scene, random.fork(k))));
    if (process.rejects(alpha))
      return fails(k, {
        what:
          `of ${count} candidates of equal utility, ${blocks} blocks of neighbouring positions are not ` +
          'chosen in proportion to their sizes',
        logE: process.peak,
        input: { candidates: count },
      });
  }
  return holds(draws);
}

export const manyCandidates = defineLaw<'selector'>({
  id: 'selector/many',
  kind: 'selector',
  property: 'event',
  tier: 'statistical',
  cells: () => counts.map((count) => ({ name: `${count} candidates`, values: { count } })),
  statement:
    'with 3 to 1025 candidates, the first, the middle and the last of them is chosen with the claimed ' +
    'δ(ε) on neighbouring utilities; where positions are claimed not to matter, equal candidates are ' +
    'chosen equally often',
  power:
    'half of the noise, or no noise on candidates beyond some position, in 2 000 pairs of choices at ε = 3',
  check(subject, env) {
    const { count } = env.cell.values as { readonly count: number };
    const alpha = env.alpha / 5;
    let samples = 0;
    const exchangeable = subject.claims.some(({ property }) => property === 'invariance');
    const parts: readonly (() => Finding)[] = [
      ...liftedOf(count).map((lifted) => () => audited(subject, count, lifted, { env, alpha })),
      ...(exchangeable ? [() => even(subject, count, env, alpha)] : []),
    ];
    for (const part of parts) {
      const finding = part();
      samples += finding.samples;
      if (finding.verdict === 'fails') return { ...finding, samples };
    }
    return holds(samples);
  },
});
