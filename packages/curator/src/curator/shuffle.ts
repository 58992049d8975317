import type { LocalRandomiser } from '@lethe/core';
import { assertOptions, InvalidParameter, Unsupported } from '@lethe/numerics';
import { answerAfford } from './answers/afford.js';
import { answerClose, answerSplit } from './answers/batches.js';
import { answerShuffledMean } from './answers/shuffled-mean.js';
import type { DataSet } from './data-set.js';
import { refused, type Handler, type Handlers } from './handlers.js';
import { openCurator, type CuratorOptions, type Model, type OpenCurator } from './open-curator.js';

/** Data, plugins, randomness, and how many of the users can be relied on. */
export interface ShuffleCuratorOptions extends CuratorOptions {
  /**
   * How many users certainly follow the protocol, whoever they are; each of the others may have left out its
   * share of the noise. Of a batch at least `size − (slots − honestUsers)` are honest, and privacy rests on
   * these alone. @defaultValue all slots
   */
  readonly honestUsers?: number;
}

/**
 * The curator of the shuffle model. For one data set in this process it runs the protocol of users, a
 * shuffler and an analyser: every slot is a user, whose gradient becomes messages of a local randomiser; the
 * answer is computed from all messages in random order.
 *
 * It splits batches by public sizes and answers shuffled means. All other queries need a trusted party that
 * sees records or keeps their participation secret.
 *
 * @throws {Unsupported} under add-remove, since the number of messages reveals the number of users.
 * @throws {InvalidParameter} for `honestUsers` that are no whole
 * number from 1 to the slots, and as `centralCurator`.
 * @throws {BudgetExceeded} when `planned` does not fit the data set's limit; nothing is written.
 */
export function shuffleCurator(options: ShuffleCuratorOptions): OpenCurator {
  assertOptions(options, 'shuffleCurator');
  const own = { ...options };
  return openCurator('shuffleCurator', own, (data) => shuffleModel(data, own));
}

function shuffleModel(
  { slots, ledger: { adjacency } }: DataSet,
  { registry, honestUsers = slots }: ShuffleCuratorOptions,
): Model {
  if (adjacency === 'add-remove')
    throw new Unsupported(
      'shuffled messages tell how many users there are, so that nothing hides whether one is; ' +
        'keep the ledger under replace-one or zero-out',
      { adjacency },
    );
  if (!Number.isSafeInteger(honestUsers) || honestUsers < 1 || honestUsers > slots) {
    throw new InvalidParameter(
      `honestUsers is ${String(honestUsers)}; give a whole number from 1 to ${slots}, the slots, ` +
        'that certainly follow the protocol',
      { honestUsers: String(honestUsers), slots },
    );
  }
  return {
    trust: Object.freeze({ model: 'shuffle', honestUsers }),
    // What is drawn in place of the messages is drawn in floating point.
    assumptions: registry.some(
      (plugin) => plugin.kind === 'localRandomiser' && (plugin as LocalRandomiser).simulateSum !== undefined,
    )
      ? ['real-arithmetic']
      : [],
    handlers: shuffleHandlers(honestUsers),
  };
}

const needsRecords = refused(
  'shuffle',
  'nobody sees the records. Ask for means released by shuffling, or take a centralCurator.',
);
const needsMemory = refused(
  'shuffle',
  'noise that is shared between steps needs somebody to keep it. Ask for means released by shuffling, ' +
    'or take a centralCurator.',
);

const splitBySize: Handler<'split'> = (context, query, id) => {
  const { by } = query.parts;
  if (by !== 'size' && by !== 'count')
    throw new Unsupported(
      "the number of a batch's messages tells its size, " +
        `which a split by ${by} would have to hide; split by size`,
      { by },
    );
  return answerSplit(context, query, id);
};

/** What a curator answers that is trusted with a random order alone, of whose users so many are honest. */
export const shuffleHandlers = (honestUsers: number) =>
  ({
    draw: refused(
      'shuffle',
      'users and shuffler know who takes part, so that a draw earns nothing; split by size instead. ' +
        'Ask for means released by shuffling, or take a centralCurator.',
    ),
    split: splitBySize,
    close: answerClose,
    mean: answerShuffledMean(honestUsers),
    open: needsMemory,
    push: needsMemory,
    value: needsRecords,
    minimiser: needsRecords,
    descend: needsRecords,
    localUpdate: needsRecords,
    choose: needsRecords,
    select: needsRecords,
    afford: answerAfford,
  }) as const satisfies Handlers;
