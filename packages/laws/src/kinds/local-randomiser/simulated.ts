import type { RandomSource, ShuffleContext, Vector } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { audit } from '../../engines/audit.js';
import { enumerate } from '../../engines/exhaustive-random.js';
import { fails, holds, skipped, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { attempt } from '../sampler/declined.js';
import { affordable, analysed, contextOf, gathered, records, type Users } from './outputs.js';

type Of = Subject<'localRandomiser'>;

const protocol = (subject: Of, context: ShuffleContext, users: Users, random: RandomSource): Vector =>
  analysed(subject, context, gathered(subject, context, users, random).toSorted());

/** Records in one reused array, as a curator passes them. */
function* lent(users: Users, dimension: number): Generator<Vector, void, undefined> {
  const record = new Float64Array(dimension);
  for (const user of users) {
    record.set(user);
    yield record;
  }
}
const simulated = (
  { plugin, params }: Of,
  context: ShuffleContext,
  users: Users,
  random: RandomSource,
): Vector => defined(plugin.simulateSum)(params, context, lent(users, context.dimension), random);

/** Probabilities of sums, equal up to rounding; `null` where outputs cannot be enumerated. */
function distributionOf(run: (random: RandomSource) => Vector): ReadonlyMap<string, number> | null {
  const outcomes = enumerate((random) => Array.from(run(random), (x) => (x + 0).toPrecision(9)).join(' '), {
    limit: 4096,
  });
  if (outcomes === null) return null;
  const total = new Map<string, number>();
  for (const { value, probability } of outcomes) total.set(value, (total.get(value) ?? 0) + probability);
  return total;
}

/** The fast simulation has the same distribution as the protocol. */
export const simulation = defineLaw<'localRandomiser'>({
  id: 'localRandomiser/simulation',
  kind: 'localRandomiser',
  tier: 'statistical',
  statement:
    'simulateSum has the distribution of analyse on the messages of all users: exactly for one and two ' +
    'users with enumerable outputs; by e-processes in both directions for sixteen users with little ' +
    'noise and for eight users, half of them honest. It returns a vector of finite numbers, equal for ' +
    'equal randomness, and reads one record of each user from a reused array',
  power:
    'enumeration: an error of 10⁻⁹ in a probability; sampling: half as many random bits, the randomness ' +
    'of one user for all users, rounding down in place of randomised rounding, in 1 500 pairs',
  exempt: ({ plugin }) => (plugin.simulateSum === undefined ? 'it has no simulateSum' : undefined),
  cells: () =>
    [1, 2].flatMap((dimension) =>
      ['alike', 'mixed'].map((crowd) => ({
        name: `${crowd}, ${dimension === 1 ? 'one number' : 'two numbers'}`,
        values: { dimension, crowd },
      })),
    ),
  check(subject, env) {
    const dimension = Number(defined(env.cell.values)['dimension']);
    const isAlike = defined(env.cell.values)['crowd'] === 'alike';
    const rows = records(subject, dimension);
    let tried = 0;
    for (const users of [[rows[3]], [rows[0], rows[3]]]) {
      const context = contextOf(dimension, users.length);
      const [whole, short] = [protocol, simulated].map(
        (way) =>
          (
            attempt(() => distributionOf((random) => way(subject, context, users, random))) as {
              readonly value?: ReadonlyMap<string, number> | null;
            }
          ).value ?? null,
      );
      if (whole === null || whole === undefined || short === null || short === undefined) continue;
      tried++;
      for (const sum of new Set([...whole.keys(), ...short.keys()])) {
        const measured = short.get(sum) ?? 0;
        const allowed = whole.get(sum) ?? 0;
        if (!(Math.abs(measured - allowed) <= 1e-9))
          return fails(tried, {
            what:
              `simulateSum gives [${sum}] with probability ${measured}; the messages of ${users.length} ` +
              `users give it with probability ${allowed}`,
            measured,
            allowed,
            input: users,
          });
      }
    }
    // Records between levels: errors of randomised rounding are largest there.
    const between = rows[3].map((x) => x * 0.83);
    const context = isAlike
      ? quietest(subject, dimension)
      : (affordable(subject, dimension, 8, 8_000, 4) ?? affordable(subject, dimension, 8, 8_000));
    if (context === undefined) return tried === 0 ? skipped('it refuses every context tried') : holds(tried);
    const users: Users = Array.from({ length: context.users }, (_, i) =>
      isAlike ? between : [between, rows[0], rows[1], rows[2], rows[4]][i % 5],
    );
    const wrong = form(subject, context, users, env.random('form'));
    if (wrong !== undefined) return fails(tried + 1, wrong);
    return audit({
      draw: (way, random) => (way === 0 ? protocol : simulated)(subject, context, users, random),
      profile: () => 0,
      epsilons: [0],
      pairs: env.samples(1_500),
      most: 1_500,
      alpha: env.alpha,
      random: env.random('audit'),
      input: { users, context, first: 'the protocol', second: 'simulateSum' },
    });
  },
});

/** A context of sixteen honest users with the least noise, where the records have the most influence. */
function quietest(subject: Of, dimension: number): ShuffleContext | undefined {
  const all = [
    { epsilon: 15, delta: 0.25 },
    { epsilon: 2, delta: 1e-6 },
  ].map((target): ShuffleContext => ({ dimension, users: 16, honestUsers: 16, target }));
  return all.find(
    (context) =>
      ((attempt(() => subject.plugin.messageCount(subject.params, context)) as { readonly value?: number })
        .value ?? Infinity) <= 1_000,
  );
}

function form(
  subject: Of,
  context: ShuffleContext,
  users: Users,
  random: RandomSource,
): Violation | undefined {
  const [once, again] = [0, 1].map(() => simulated(subject, context, users, random.fork('once'))) as [
    Vector,
    Vector,
  ];
  if (!(once instanceof Float64Array) || once.length !== context.dimension || !once.every(Number.isFinite))
    return {
      what:
        `simulateSum returns [${Array.from(once ?? []).join(', ')}]; ` +
        `it must be ${context.dimension} finite numbers`,
      input: users,
    };
  if (!sameBits(once, again))
    return {
      what:
        'equal randomness gives different results of simulateSum: ' +
        `[${once.join(', ')}] and [${again.join(', ')}]`,
      input: users,
    };
  const kept = users.map((record) => Float64Array.from(record));
  defined(subject.plugin.simulateSum)(subject.params, context, kept, random.fork('kept'));
  return kept.every((record, i) => sameBits(record, users[i]))
    ? undefined
    : { what: 'simulateSum modified the records', input: users };
}
