import {
  eventKindsOf,
  parseEvent,
  resolvePlugin,
  type LocalRandomiser,
  type Mean,
  type PrivacyEvent,
  type Resolved,
  type ShuffleContext,
  type Vector,
} from '@lethe/core';
import { defined, IncompatiblePlugins, Unsupported, type RandomSource } from '@lethe/numerics';
import type { PublicContext } from '../context.js';
import type { Handler } from '../handlers.js';
import { gradientsOf } from '../each-gradient.js';
import { ownCost } from '../sensitivity.js';
import { assertWhole } from './mean.js';
import { assertTerms } from '../validate.js';

/** Messages that are kept at once: 64 MiB. */
const mostMessages = 2 ** 24;

/**
 * The mean of a batch from the shuffled messages of its users, divided by their public number. Whoever the
 * dishonest are, no more of them are in the batch than there are in all.
 */
export const answerShuffledMean =
  (honestUsers: number): Handler<'mean'> =>
  (context, { of, batch: token, mean: ref, target, sampler }) => {
    const {
      dimension,
      registry,
      allowUnprotected,
      allRecords: { normaliser: slots },
    } = context;
    if (sampler !== undefined)
      throw new Unsupported(
        'a shuffle curator does not sample a mean: users and shuffler know who takes part, so that a ' +
          'sample earns nothing; leave sampler out, and split by size instead',
        { ask: 'mean' },
      );
    assertTerms(of, dimension);
    assertWhole(context, of);
    const { plugin, params } = resolvePlugin<Mean>(registry, ref);
    if (plugin.trust !== 'shuffle') {
      throw new IncompatiblePlugins(
        `mean '${ref.name}' is of the ${plugin.trust} model: somebody has to see the records, ` +
          "and a shuffle curator does not; ask for a mean of that model, such as 'shuffled', " +
          'or take a centralCurator',
        { mean: ref.name, trust: plugin.trust },
      );
    }
    if ('unprotected' in target && !allowUnprotected)
      throw new Unsupported(
        'this curator does not release without noise; build it with allowUnprotected for a baseline on ' +
          'data that need no protection',
        {},
      );
    const batch = context.batch(token);
    const users = batch.normaliser;
    const honest = Math.max(0, users - (slots - honestUsers));
    if (honest === 0) {
      throw new Unsupported(
        `batch '${batch.id}' has ${users} users, and ${slots - honestUsers} of all ` +
          `${slots} need not be honest: none of its users certainly adds noise. ` +
          `Ask for more than ${slots - honestUsers} users at once.`,
        { users, slots, honestUsers },
      );
    }
    const randomiser = resolvePlugin<LocalRandomiser>(registry, plugin.randomiser(params));
    const shuffle: ShuffleContext = Object.freeze({
      dimension: of.coordinates?.length ?? dimension,
      users,
      honestUsers: honest,
      target: Object.freeze(target),
    });
    const event = eventOf(context, randomiser, shuffle);
    const sumOf = protocolOf(randomiser, shuffle);
    return {
      effect: { charge: { on: batch.stretch, event } },
      blank: () => new Float64Array(shuffle.dimension),
      release({ data, rows, randomness }) {
        const sum = sumOf(gradientsOf(data, rows(batch), of), randomness().fork('shuffle'));
        if (sum.length !== shuffle.dimension)
          throw new IncompatiblePlugins(
            `local randomiser '${randomiser.plugin.name}' makes ${sum.length} numbers of records of ` +
              `${shuffle.dimension}; it breaks its contract`,
            { randomiser: randomiser.plugin.name },
          );
        const mean = sum.map((x) => x / users);
        // An analyser that breaks its contract must not turn that into a signal about the records.
        return mean.every(Number.isFinite) ? mean : mean.fill(0);
      },
    };
  };

/**
 * What the ledger is charged, as an event it can read again.
 * @throws {IncompatiblePlugins} for something else.
 */
function eventOf(
  { registry }: PublicContext,
  { plugin, params }: Resolved<LocalRandomiser>,
  shuffle: ShuffleContext,
): PrivacyEvent {
  const told: unknown = plugin.event(params, shuffle);
  let event: PrivacyEvent;
  try {
    event = parseEvent(told, eventKindsOf(registry));
  } catch (cause) {
    throw new IncompatiblePlugins(
      `local randomiser '${plugin.name}' states a cost that is no event; repair it, ` +
        'or register the event kind that it uses',
      { randomiser: plugin.name },
      { cause },
    );
  }
  return ownCost(event, `local randomiser '${plugin.name}'`);
}

type Protocol = (records: Iterable<Vector>, random: RandomSource) => Vector;

function protocolOf({ plugin, params }: Resolved<LocalRandomiser>, shuffle: ShuffleContext): Protocol {
  if (plugin.simulateSum !== undefined)
    return (records, random) => defined(plugin.simulateSum)(params, shuffle, records, random);
  const each = plugin.messageCount(params, shuffle);
  const { name } = plugin;
  if (!(Number.isSafeInteger(each) && each >= 0))
    throw new IncompatiblePlugins(
      `local randomiser '${name}' says that a user sends ${each} messages; it breaks its contract`,
      { randomiser: name },
    );
  if (!(each * shuffle.users <= mostMessages)) {
    throw new Unsupported(
      `${shuffle.users} users would send ${each} messages each, and ${mostMessages} in all are kept at ` +
        `most; ask for fewer levels or users, or give local randomiser '${name}' a simulateSum`,
      { users: shuffle.users, messages: each, most: mostMessages },
    );
  }
  return (records, random) => {
    const messages = new Uint32Array(each * shuffle.users);
    const own = random.fork('users');
    let user = 0;
    for (const record of records) {
      const sent = plugin.randomise(params, shuffle, record, own.fork(user));
      if (sent.length !== each)
        throw new IncompatiblePlugins(
          `a user of local randomiser '${name}' sends ${sent.length} messages where ${each} are ` +
            'declared; their number would tell of the record',
          { randomiser: name },
        );
      messages.set(sent, each * user++);
    }
    shuffleInPlace(messages, random.fork('shuffler'));
    return plugin.analyse(params, shuffle, messages);
  };
}

/** Uniform over all orders. @see Fisher and Yates. */
function shuffleInPlace(messages: Uint32Array, random: RandomSource): void {
  for (let left = messages.length; left > 1; left--) {
    const from = random.integer(left);
    const taken = messages[from];
    messages[from] = messages[left - 1];
    messages[left - 1] = taken;
  }
}
