import { seededRandom, type LocalRandomiser, type ShuffleContext } from '@lethe/core';
import { defineClaimCheck, enumerate, probabilities, type ClaimCheck } from '@lethe/laws';
import fc from 'fast-check';
import { both, differs, firstOf, tried } from '../../common/compare.js';
import type { OracleSubject } from './subject.js';

const sorted = (messages: ArrayLike<number>): string =>
  Array.from(messages)
    .toSorted((a, b) => a - b)
    .join();

/** Output distribution of the shuffler for these users' messages, as text. */
function distributionOf(
  { shuffleMessages }: OracleSubject,
  messages: readonly Uint32Array[],
): ReadonlyMap<string, number> | null {
  const outcomes = enumerate((random) => shuffleMessages(messages, random).join());
  return outcomes === null ? null : probabilities(outcomes, (text) => text);
}
const three = [
  [0, 1, 0],
  [0, 0, 1, 1],
  [0, 1, 2],
  [3, 0, 3, 1],
  [0, 1, 2, 3, 4],
].map((all) => ({ all }));

/** Row C14. */
export const shuffler = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/shuffler',
    tier: 'search',
    statement:
      'the output distribution of the shuffler does not depend on the order of users or ' +
      'the assignment of messages to users: each order of the multiset is equally likely; ' +
      'every user reports g bits of data and b noise bits, so the number of ones is 0 to (g + b)s; ' +
      "and the analyser's estimate depends only on the multiset",
    power:
      'any probability off by 1e-12 for up to five messages, over all outcomes; a message more or less, ' +
      'over 100 protocols with up to 20 users',
    run: (env) =>
      both(
        () =>
          tried(three, ({ all }) => {
            const laws = [
              [all],
              [all.slice(0, 1), all.slice(1)],
              [all.slice(1).toReversed(), all.slice(0, 1)],
              all.map((message) => [message]),
            ].map((messages) =>
              distributionOf(
                subject,
                messages.map((some) => Uint32Array.from(some)),
              ),
            );
            const orders = new Set(permutations(all));
            const even = 1 / orders.size;
            return firstOf(
              laws.map((law) => {
                if (law === null) return { what: 'the outcomes of the shuffler cannot be listed' };
                if (law.size !== orders.size)
                  return {
                    what: `of [${all.join(', ')}] the shuffler sends on ${law.size} orders of ${orders.size}`,
                    measured: law.size,
                    allowed: orders.size,
                  };
                return firstOf(
                  [...law].map(([text, probability]) =>
                    orders.has(text)
                      ? differs({
                          what: `the probability of the order ${text}`,
                          got: probability,
                          want: even,
                        })
                      : { what: `the shuffler sends on ${text}, of [${all.join(', ')}]` },
                  ),
                );
              }),
            );
          }),
        () =>
          env.forAll(
            fc.record({
              users: fc.integer({ min: 2, max: 20 }),
              dimension: fc.integer({ min: 1, max: 3 }),
              levels: fc.integer({ min: 2, max: 9 }),
              tenths: fc.array(fc.integer({ min: -12, max: 12 }), { minLength: 60, maxLength: 60 }),
              name: fc.constantFrom('shuffledScalarSum', 'shuffledVectorSum', 'shuffledMedianOfMeans'),
            }),
            ({ users, dimension: wanted, levels, tenths, name }) => {
              const dimension = name === 'shuffledScalarSum' ? 1 : wanted;
              const context: ShuffleContext = {
                dimension,
                users,
                honestUsers: users,
                target: { epsilon: 10, delta: 0.1 },
              };
              const random = seededRandom('shuffler');
              const randomiserOf = (): LocalRandomiser => {
                if (name === 'shuffledScalarSum') return subject.shuffledScalarSum;
                if (name === 'shuffledVectorSum') return subject.shuffledVectorSum;
                return subject.shuffledMedianOfMeans;
              };
              const randomiser = randomiserOf();
              const paramsOf = () => {
                if (name === 'shuffledScalarSum') return { lower: -1, upper: 1, levels };
                if (name === 'shuffledVectorSum') return { radius: 1, levels };
                return { bound: 1, groups: 2, levels };
              };
              const params = paramsOf();
              const messages = Array.from({ length: users }, (_, user) =>
                randomiser.randomise(
                  params,
                  context,
                  Float64Array.from(tenths.slice(user, user + dimension), (x) => x / 10),
                  random.fork(user),
                ),
              );
              const each = randomiser.messageCount(params, context);
              const odd = messages.find(({ length }) => length !== each);
              if (odd !== undefined)
                return {
                  what: `a user of ${name} reports ${odd.length} messages; all report ${each}`,
                  measured: odd.length,
                  allowed: each,
                };
              if (each <= levels * dimension)
                return {
                  what: `a user of ${name} reports ${each} messages, and ${levels * dimension} carry data`,
                  measured: each,
                  allowed: levels * dimension,
                };
              const bins = name === 'shuffledMedianOfMeans' ? 2 * dimension : dimension;
              if (messages.some((some) => some.some((message) => message >= 2 * bins)))
                return { what: `a message of ${name} is none of ${2 * bins}` };
              const one = subject.shuffleMessages(messages, random.fork('one'));
              const other = subject.shuffleMessages(messages.toReversed(), random.fork('other'));
              if (
                sorted(one) !== sorted(other) ||
                sorted(one) !== sorted(messages.flatMap((some) => Array.from(some)))
              )
                return { what: 'the shuffler sends on other messages than it got' };
              const [a, b] = [one, other].map((all) => randomiser.analyse(params, context, all));
              return firstOf(
                Array.from(a, (got, j) =>
                  differs({ what: 'the estimate for the users in another order', got, want: b[j] }),
                ),
              );
            },
            { runs: 100 },
          ),
      ),
  });

function permutations(all: readonly number[]): readonly string[] {
  if (all.length <= 1) return [all.join()];
  return all.flatMap((first, i) =>
    permutations(all.filter((_, j) => j !== i)).map((rest) => `${first},${rest}`),
  );
}
