import { audit } from '../../engines/audit.js';
import { wholeOutputWitness } from '../../engines/whole-output-witness.js';
import { atomWitness } from '../../evidence/index.js';
import { holds, type Finding } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { ReleaseSubject } from '../../law/subject.js';
import { claimOf, pairCells, pairOf, released } from './pairs.js';

const neverEmpty = (subject: ReleaseSubject): string | undefined =>
  subject.pairs.length === 0 ? 'it declares no pairs of neighbours' : undefined;

export const hockeyStickLaw = defineLaw({
  id: 'release/hockey-stick',
  kind: 'release',
  tier: 'statistical',
  exempt: neverEmpty,
  cells: pairCells,
  statement: 'the outputs on two neighbours satisfy the claimed profile at every ε, in both directions',
  source: { id: 'waudby-smith-ramdas-2020', item: 'betting' },
  power:
    'δ too small by 0.06 at one of 7 values of ε for an event of probability 1/2, ' +
    'with probability 0.99 in 20 000 pairs; shuffled batches in place of Poisson samples in 1 000',
  check(subject, env) {
    const pair = pairOf(subject, env.cell);
    const { logRatio } = subject;
    return audit({
      draw: (neighbour, randomness) => released(subject, pair[neighbour], randomness),
      profile: claimOf(subject).delta,
      pairs: env.samples(20_000),
      most: 20_000,
      alpha: env.alpha,
      random: env.random('pairs'),
      input: pair,
      ...(logRatio === undefined ? {} : { logRatio: (output) => logRatio(output, pair) }),
    });
  },
});

export const atomsLaw = defineLaw({
  id: 'release/atoms',
  kind: 'release',
  tier: 'statistical',
  exempt: neverEmpty,
  cells: pairCells,
  statement:
    'no single exact value of the output distinguishes two neighbours: a step without noise, ' +
    'an empty batch, a default',
  power:
    'a value that has probability 0.01 on one neighbour and none on the other, in 6 000 pairs, ' +
    'where outputs are single numbers and the claim allows less than that at some ε up to 4',
  check(subject, env) {
    const pair = pairOf(subject, env.cell);
    return audit({
      draw: (neighbour, randomness) => released(subject, pair[neighbour], randomness),
      profile: claimOf(subject).delta,
      pairs: env.samples(8000),
      most: 8000,
      alpha: env.alpha,
      random: env.random('pairs'),
      input: pair,
      witnesses: (dimension) => [
        atomWitness(),
        ...(dimension === 1 ? [] : [wholeOutputWitness({ warmUp: 50 })]),
      ],
    });
  },
});

export const permutationLaw = defineLaw({
  id: 'release/permutation',
  kind: 'release',
  tier: 'statistical',
  onClaim: true,
  cells: pairCells,
  statement:
    'the order of records does not matter: outputs on a data set and ' +
    'on its permutations have the same distribution',
  power:
    'a difference of 0.11 in the probability of an event of probability 1/2, ' +
    'with probability 0.99 in 6 000 pairs',
  exempt: (subject) =>
    subject.pairs.some(([data]) => Array.isArray(data) && data.length > 1)
      ? undefined
      : 'its data are not lists of several records',
  check: (subject, env) => equalInDistribution(subject, pairOf(subject, env.cell)[0], env),
});

function equalInDistribution(subject: ReleaseSubject, data: unknown, env: LawEnv): Finding {
  if (!Array.isArray(data) || data.length < 2) return holds(1, 'its data are not a list of several records');
  const records = data as readonly unknown[];
  const orders: readonly (readonly unknown[])[] = [records.toReversed(), [...records.slice(1), records[0]]];
  for (const [index, other] of orders.entries()) {
    const finding = audit({
      draw: (neighbour, randomness) => released(subject, neighbour === 0 ? records : other, randomness),
      profile: () => 0,
      epsilons: [0.001, 0.05],
      pairs: env.samples(6000),
      most: 6000,
      alpha: env.alpha / orders.length,
      random: env.random(`order ${index}`),
    });
    if (finding.verdict === 'fails')
      return {
        ...finding,
        violation: {
          ...finding.violation,
          what:
            `outputs on the same records in ${index === 0 ? 'reverse order' : 'an order moved by one'} ` +
            'have another distribution',
          input: { records, other },
        },
      };
  }
  return holds(env.samples(6000));
}
