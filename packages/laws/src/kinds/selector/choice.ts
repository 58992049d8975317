import type { RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { audit } from '../../engines/audit.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw, type Cell } from '../../law/law.js';
import { sameBits } from '../curator/outcomes.js';
import { frequencies } from '../sampler/frequencies.js';
import {
  chosen,
  claimsAt,
  extremeChoices,
  moves,
  onlyDeclared,
  probabilitiesOf,
  choicesOf,
  type Choice,
  type SelectorSubject,
} from './choices.js';

/**
 * Utilities in units of `1/ε`: a few close ones, equal ones, one
 * ahead of equals, many, and one so low that it is never chosen.
 */
const rankings: Readonly<Record<string, readonly number[]>> = {
  'a few': [0, 1, 3, 2],
  'equal ones': [0, 0, 0, 0, 0],
  'the last ahead': [0, 0, 4],
  'the first ahead': [2, 0, 0, 0],
  'a large gap': [0, -12, -1e6, 1],
  many: Array.from({ length: 24 }, (_, i) => (i % 5) / 2),
  'the last ahead of many': Array.from({ length: 11 }, (_, i) => (i === 10 ? 5 : 0)),
  'far from zero': [2 ** 53, 2 ** 53 + 4, 2 ** 53 + 2],
};
const choiceCells: readonly Cell[] = [
  ...Object.keys(rankings).map((ranking) => ({ ranking, epsilon: 1 })),
  { ranking: 'a few', epsilon: 0.125 },
  { ranking: 'a few', epsilon: 16 },
  { ranking: 'a few', epsilon: 1e-6 },
  { ranking: 'a few', epsilon: 1e6 },
  { ranking: 'a few', epsilon: 1e-310 },
].map(({ ranking, epsilon }) => ({ name: `${ranking}, ε = ${epsilon}`, values: { ranking, epsilon } }));

const scenarioOf = (cell: Cell): Choice => {
  const { ranking, epsilon } = cell.values as { readonly ranking: string; readonly epsilon: number };
  // Where 1/ε overflows, utilities are effectively equal.
  return { epsilon, utilities: rankings[ranking].map((step) => (epsilon < 1e-300 ? step : step / epsilon)) };
};

/** Expected probabilities: the declared ones; equal ones for equal candidates of an exchangeable selector. */
function expected(subject: SelectorSubject, candidates: Choice): ArrayLike<number> | undefined {
  const declared = probabilitiesOf(subject, candidates);
  if (declared !== null) return declared;
  const exchangeable =
    subject.claims.some(({ property }) => property === 'invariance') &&
    new Set(candidates.utilities).size === 1;
  return exchangeable ? candidates.utilities.map(() => 1 / candidates.utilities.length) : undefined;
}

export const choice = defineLaw<'selector'>({
  id: 'selector/choice',
  kind: 'selector',
  tier: 'statistical',
  cells: () => choiceCells,
  statement:
    'choices have the declared probabilities, successively from one ' +
    'source as well as from independent sources',
  source: { id: 'waudby-smith-ramdas-2020', item: 'betting' },
  power:
    'an error of 0.07 in a probability of 1/2, with probability ' +
    '0.99 in 4 000 choices; a factor 2 in ε in 500',
  check(subject, env) {
    const candidates = scenarioOf(env.cell);
    const probabilities = expected(subject, candidates);
    if (probabilities === undefined) return skipped('it declares no probabilities; see selector/audit');
    // Smaller probabilities are raised to this: no bets are placed
    // on them, and their occurrence does not reject.
    const law = frequencies(Array.from(probabilities, (p) => Math.max(p, 1e-12)));
    const draws = env.samples(4000);
    let source = env.random('one');
    for (let k = 1; k <= draws; k++) {
      if (k % 100 > 50) source = env.random('own').fork(k);
      const position = chosen(subject, candidates, source);
      if (!(Number.isInteger(position) && position >= 0 && position < candidates.utilities.length))
        return fails(k, {
          what: `of ${candidates.utilities.length} candidates it chooses position ${position}`,
          measured: position,
          input: candidates,
        });
      law.push(position);
      if (law.rejects(env.alpha))
        return fails(k, {
          what: `in ${k} choices candidates do not have the declared frequencies`,
          logE: law.peak,
          witness: `probabilities [${Array.from(probabilities, (p) => p.toPrecision(3)).join(', ')}]`,
          input: candidates,
        });
    }
    return holds(draws);
  },
});

/** Many candidates, each far behind, that together are chosen half of the time. */
const crowd: Choice = {
  epsilon: 1,
  utilities: Array.from({ length: 20_001 }, (_, i) => (i === 0 ? 0 : -2 * Math.log(20_000))),
};
/** The leader, or one of seven parts of the other candidates. */
const partOf = (position: number): number =>
  position === 0 ? 0 : 1 + Math.floor((7 * (position - 1)) / 20_000);

export const amongMany = defineLaw<'selector'>({
  id: 'selector/among-many',
  kind: 'selector',
  property: 'choice',
  tier: 'statistical',
  statement:
    'with very many candidates far behind, the leader and parts of the others have the declared frequencies',
  power: '20 000 candidates that are never chosen, with a total probability of one half, in 40 choices',
  check(subject, env) {
    const declared = probabilitiesOf(subject, crowd);
    const draws = env.samples(150);
    const random = env.random('crowd');
    if (declared === null) return skipped('it declares no probabilities; see selector/audit');
    const parts = Array.from({ length: 8 }, () => 0);
    declared.forEach((p, position) => {
      parts[partOf(position)] += p;
    });
    const law = frequencies(parts);
    for (let k = 1; k <= draws; k++) {
      const position = chosen(subject, crowd, random);
      if (!(Number.isInteger(position) && position >= 0 && position < crowd.utilities.length))
        return fails(k, {
          what: `of ${crowd.utilities.length} candidates it chooses position ${position}`,
          measured: position,
        });
      law.push(partOf(position));
      if (law.rejects(env.alpha))
        return fails(k, {
          what:
            `in ${k} choices the first of 20 001 candidates and parts of the others, ` +
            'all equally far behind, do not have the declared frequencies',
          logE: law.peak,
          witness: `probabilities [${parts.map((p) => p.toPrecision(3)).join(', ')}]`,
        });
    }
    return holds(draws);
  },
});

/**
 * Neighbours whose choices differ most under too little noise: a tie with the leader, a leader that falls
 * behind many, one lifted above equals.
 */
const pairs: Readonly<Record<string, readonly [readonly number[], readonly number[]]>> = {
  'caught up': [
    [0, 2],
    [1, 1],
  ],
  overtaken: [
    [0, 1],
    [1, 0],
  ],
  'one among equals': [
    [0, 1, 1, 1, 1, 1],
    [1, 0, 0, 0, 0, 0],
  ],
};
const auditCells: readonly Cell[] = Object.keys(pairs).flatMap((pair) =>
  [1, 3].map((epsilon) => ({ name: `${pair}, ε = ${epsilon}`, values: { pair, epsilon } })),
);

export const auditLaw = defineLaw<'selector'>({
  id: 'selector/audit',
  kind: 'selector',
  property: 'event',
  tier: 'statistical',
  cells: () => auditCells,
  exempt: (subject) =>
    onlyDeclared(subject) === undefined
      ? 'its probabilities are declared; see selector/event and selector/choice'
      : undefined,
  statement:
    'without declared probabilities: choices on two neighbours satisfy ' +
    'the claimed δ(ε) at every ε, in both directions',
  power: 'Laplace noise of half the scale, in 3 000 pairs of choices',
  check(subject, env) {
    const { pair, epsilon } = env.cell.values as { readonly pair: string; readonly epsilon: number };
    const { profile } = defined(claimsAt(subject, epsilon).find(({ adjacency }) => moves[adjacency] === 1));
    return audit({
      draw: (neighbour, randomness) => [
        chosen(subject, { utilities: pairs[pair][neighbour], epsilon }, randomness),
      ],
      profile: profile.delta,
      epsilons: [0.1, 0.5, 1].map((share) => share * epsilon),
      pairs: env.samples(8000),
      most: 8000,
      alpha: env.alpha,
      random: env.random('pairs'),
      input: pairs[pair],
    });
  },
});

/** Choices are functions of the randomness. */
export const randomness = defineLaw<'selector'>({
  id: 'selector/coins',
  kind: 'selector',
  tier: 'search',
  statement:
    'the choice is the position of a candidate, a function of utilities, ε and randomness alone, also at ' +
    'extreme doubles, without modifying the utilities; successive choices from one source are independent',
  power:
    'a choice that depends on earlier choices, on 1 of 200; equal randomness for all choices from a source',
  check(subject, env) {
    const judged = (candidates: Choice): Violation | undefined => {
      const given = Float64Array.from(candidates.utilities);
      const position = subject.plugin.choose(subject.params, given, candidates.epsilon, env.random('coins'));
      if (!(Number.isInteger(position) && position >= 0 && position < given.length))
        return { what: `of ${given.length} candidates it chooses position ${position}`, measured: position };
      if (!sameBits(given, candidates.utilities)) return { what: 'the call modified the utilities' };
      chosen(subject, { utilities: [3, 1, 2], epsilon: 0.5 }, env.random('others'));
      const again = chosen(subject, candidates, env.random('coins'));
      if (again !== position)
        return {
          what: `with equal randomness it chooses ${position} and then ${again}`,
          measured: again,
          allowed: position,
        };
      // The same array, reused for other utilities.
      const turned = candidates.utilities.toReversed();
      const fresh = chosen(subject, { ...candidates, utilities: turned }, env.random('coins'));
      given.reverse();
      const reused = subject.plugin.choose(subject.params, given, candidates.epsilon, env.random('coins'));
      return reused === fresh
        ? undefined
        : {
            what:
              `with equal randomness it chooses ${fresh}, ` +
              `and ${reused} if the array held other utilities before`,
            measured: reused,
            allowed: fresh,
          };
    };
    const usual = env.forAll(choicesOf(12), judged, { runs: 100 });
    if (usual.verdict === 'fails') return usual;
    const extreme = env.forAll(extremeChoices, judged, { runs: 100 });
    if (extreme.verdict === 'fails') return extreme;
    const stuck = repeats(subject, env.random('stuck'));
    return stuck === undefined ? extreme : fails(300, stuck);
  },
});

/** Sources whose choices are all equal, or repeat in pairs, where they should be uniform. */
function repeats(subject: SelectorSubject, random: RandomSource): Violation | undefined {
  const even = { utilities: [0, 0, 0, 0], epsilon: 1 };
  const probabilities = expected(subject, even);
  if (probabilities === undefined || Math.max(...Array.from(probabilities)) > 0.3) return undefined;
  const sources = Array.from({ length: 30 }, (_, i) => random.fork(i)).map((source) =>
    Array.from({ length: 4 }, () => chosen(subject, even, source)),
  );
  return sources.every((choices) => choices.every((position) => position === choices[0]))
    ? { what: 'all choices from one source are the same, for 30 sources: it does not advance the source' }
    : undefined;
}
