import { audit } from '../../engines/audit.js';
import { knownEvent } from '../../evidence/witness.js';
import { fails, holds, skipped, type Finding } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { frequencies } from '../sampler/frequencies.js';
import { claimedProfile } from '../../divergence/claimed-profile.js';
import { chosen, kindsOf, type SelectorSubject } from './choices.js';

const counts = [3, 9, 17, 65, 257, 1025];
/** What a choice costs here, whatever its ε: utilities move by as much less as ε is more. */
const cost = 3;
/** Other ε among a few candidates. */
const others = [1 / 64, 24, 512];
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

/** So many candidates, and the ε of their choice. */
type Field = { readonly count: number; readonly epsilon: number };

/**
 * The first, the middle and the last among equals; and the last where it is chosen about half of the time.
 */
const liftedOf = ({ count, epsilon }: Field): readonly Lifted[] => [
  { at: 0, by: 0 },
  { at: count >> 1, by: 0 },
  { at: count - 1, by: 0 },
  { at: count - 1, by: (2 * Math.log(count - 1)) / epsilon },
];

/** Utilities that move for the lifted candidate and against all others, or the other way round. */
function neighboursOf({ count, epsilon }: Field, { at, by }: Lifted): readonly (readonly number[])[] {
  const moved = (step: number): readonly number[] =>
    Array.from({ length: count }, (_, position) => (position === at ? by + step : -step));
  return [moved(cost / epsilon / 2), moved(-cost / epsilon / 2)];
}

function audited(
  subject: SelectorSubject,
  field: Field,
  lifted: Lifted,
  { env, alpha }: { readonly env: LawEnv; readonly alpha: number },
): Finding {
  const { at, by } = lifted;
  const { count, epsilon } = field;
  const utilities = neighboursOf(field, lifted);
  const event = subject.plugin.event(subject.params, epsilon, { 'replace-one': cost / epsilon });
  const profile = claimedProfile(event, 'replace-one', kindsOf(subject));
  return audit({
    draw: (neighbour, random) => [
      Number(chosen(subject, { utilities: utilities[neighbour], epsilon }, random) === at),
    ],
    profile: profile.delta,
    epsilons: [cost / 4, cost / 2, cost],
    witnesses: () => [
      knownEvent(`position ${at} is chosen`, (y) => y[0] === 1),
      knownEvent(`position ${at} is not chosen`, (y) => y[0] === 0),
    ],
    pairs: env.samples(pairsOf(count)),
    most: pairsOf(count),
    alpha,
    random: env.random(`position ${at} ${by}`),
    input: { candidates: count, epsilon, lifted: at, by },
  });
}

/** Frequencies of blocks of positions, where all utilities are equal. */
function even(subject: SelectorSubject, { count, epsilon }: Field, env: LawEnv, alpha: number): Finding {
  const blocks = Math.min(count, mostBlocks);
  const blockOf = (position: number): number => Math.floor((position * blocks) / count);
  const sizes = new Float64Array(blocks);
  for (let position = 0; position < count; position++) sizes[blockOf(position)]++;
  const process = frequencies(sizes.map((size) => size / count));
  const scenario = { utilities: Array.from({ length: count }, () => 0), epsilon };
  const draws = env.samples(pairsOf(count));
  const random = env.random('even');
  for (let k = 1; k <= draws; k++) {
    process.push(blockOf(chosen(subject, scenario, random.fork(k))));
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
  cells: () => [
    ...counts.map((count) => ({ name: `${count} candidates`, values: { count, epsilon: cost } })),
    ...others.map((epsilon) => ({ name: `ε = ${epsilon}`, values: { count: 5, epsilon } })),
  ],
  statement:
    'with 3 to 1025 candidates, and at ε from 1/64 to 512 for utilities that move by 3/ε, the first, ' +
    'the middle and the last of them is chosen with the claimed δ(ε) on neighbouring utilities; ' +
    'where positions are claimed not to matter, equal candidates are chosen equally often',
  power:
    'half of the noise, or no noise on candidates beyond some position, ' +
    'in 2 000 pairs of choices at a cost of ε = 3',
  check(subject, env) {
    const field = env.cell.values as Field;
    const alpha = env.alpha / 5;
    let samples = 0;
    const exchangeable = subject.claims.some(({ property }) => property === 'invariance');
    const parts: readonly (() => Finding)[] = [
      ...liftedOf(field).map((lifted) => () => audited(subject, field, lifted, { env, alpha })),
      ...(exchangeable ? [() => even(subject, field, env, alpha)] : []),
    ];
    for (const part of parts) {
      const finding = part();
      samples += finding.samples;
      if (finding.verdict === 'fails') return { ...finding, samples };
    }
    return samples === 0 ? skipped('too few choices to reject its claim') : holds(samples);
  },
});
