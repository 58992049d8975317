import { Unsupported } from '@lethe/core';
import { countedSumOf, noCounts } from './counted-sum.js';
import { fairBinomial } from './fair-binomial.js';
import { assertRecords, randomiserOf, type ShuffleResult, type ShuffleRun } from './run-shuffle.js';

/**
 * What {@link runShuffle} gives, in law, without its messages: only the number of ones in each count matters to the analyser, and the
 * coins of all users together are one binomial number. Work grows with users · dimension, not with the number of messages.
 *
 * For experiments. Large binomial numbers are drawn in floating point, see {@link fairBinomial}, and nothing is shuffled: it must not
 * stand between private records and the public.
 *
 * @throws {Unsupported} for a randomiser whose messages are not counted. Otherwise as {@link runShuffle}.
 */
export function simulateShuffle({ randomiser, records, context, random }: ShuffleRun): ShuffleResult {
  const { plugin, params } = randomiserOf(randomiser), protocol = countedSumOf(plugin);
  if (protocol === undefined) throw new Unsupported(`'${plugin.name}' does not count messages, or is cheap enough as it is; use runShuffle`, { name: plugin.name });
  assertRecords(records, context);
  const event = plugin.event(params, context), bits = protocol.bits(params, context), counts = noCounts(bits.bins);
  const users = random.fork('users'), noise = random.fork('noise'), coins = context.users * bits.coins;
  records.forEach((record, user) => { protocol.addRecord(params, bits, record, users.fork(user), counts); });
  for (let bin = 0; bin < bits.bins; bin++) {
    const heads = fairBinomial(noise, coins);
    counts.ones[bin] += heads;
    counts.zeros[bin] += coins - heads;
  }
  return { sum: protocol.estimate(params, bits, context, counts), event };
}
