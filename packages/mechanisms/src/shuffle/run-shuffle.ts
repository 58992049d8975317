import {
  InvalidParameter,
  makerOf,
  type LocalRandomiser,
  type PrivacyEvent,
  type RandomSource,
  type Ref,
  type ShuffleContext,
  type Vector,
} from '@lethe/core';
import { permutation } from '@lethe/numerics';

/** A whole shuffle protocol on records in one program: for simulations and tests. */
export interface ShuffleRun {
  /** A randomiser called with its parameters. */
  readonly randomiser: Ref<'localRandomiser'>;
  /** One per user; lent. */
  readonly records: readonly Vector[];
  /** `users` is the number of records. */
  readonly context: ShuffleContext;
  /** Its forks are the random sources of the users and the shuffler. */
  readonly random: RandomSource;
}

/** An estimate of the sum of records, and its event. */
export interface ShuffleResult {
  readonly sum: Vector;
  readonly event: PrivacyEvent;
}

/**
 * The messages of all users in a uniformly random order, by secret randomness: the output of a shuffler.
 */
export function shuffleMessages(messages: readonly Uint32Array[], random: RandomSource): Uint32Array {
  const all = new Uint32Array(messages.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const some of messages) {
    all.set(some, at);
    at += some.length;
  }
  return permutation(random, all.length).map((from) => all[from]);
}

/**
 * Every user randomises, the shuffler permutes, the analyser estimates. The event is computed first, so a
 * refusal comes before any record is read.
 *
 * @throws {InvalidParameter} when records do not fit the context. Whatever the randomiser refuses.
 */
export function runShuffle({ randomiser, records, context, random }: ShuffleRun): ShuffleResult {
  const { plugin, params } = randomiserOf(randomiser);
  assertRecords(records, context);
  const event = plugin.event(params, context);
  const users = random.fork('users');
  const messages = records.map((record, user) => plugin.randomise(params, context, record, users.fork(user)));
  return { sum: plugin.analyse(params, context, shuffleMessages(messages, random.fork('shuffler'))), event };
}

/** @throws {InvalidParameter} for a reference that was not made by calling a local randomiser. */
function randomiserOf(ref: Ref<'localRandomiser'>): {
  readonly plugin: LocalRandomiser;
  readonly params: unknown;
} {
  const plugin = makerOf(ref);
  if (plugin?.kind !== 'localRandomiser')
    throw new InvalidParameter(
      `${ref.kind} '${ref.name}' is not a local randomiser called with its parameters; give one, ` +
        'such as shuffledVectorSum({ radius: 1 })',
      { kind: ref.kind, name: ref.name },
    );
  return { plugin: plugin as LocalRandomiser, params: ref.params };
}

function assertRecords(records: readonly Vector[], { users, dimension }: ShuffleContext): void {
  if (records.length !== users)
    throw new InvalidParameter(`${records.length} records were given for ${users} users; give one for each`, {
      records: records.length,
      users,
    });
  const odd = records.find(({ length }) => length !== dimension);
  if (odd !== undefined)
    throw new InvalidParameter(`a record of length ${odd.length} was given; the dimension is ${dimension}`, {
      length: odd.length,
      dimension,
    });
}
