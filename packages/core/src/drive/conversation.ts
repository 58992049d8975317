import type { Answered, Curator } from './curator.js';
import { rootMark } from './root-mark.js';
import {
  allFinite,
  arenaOf,
  assertOptions,
  copyWithRoom,
  Corrupt,
  defined,
  encode,
  IncompatiblePlugins,
  InvalidParameter,
  LetheError,
  publicCoins,
  sameBytes,
  Unsupported,
} from '@lethe/numerics';
import { sameEvent } from '../events/canonical.js';
import type { Run } from '../plugins/run.js';
import type { Frame, LiveLoops, StoredAnswer } from '../loops/live-loops.js';
import type { Answer, Query, Vector } from '../query/query.js';
import type { Program } from '../query/ask.js';
import { assertQuery, checkAnswer } from './answer-check.js';
import { headingOf } from './heading.js';
import type { DriveOptions, DriveResult } from './options.js';
import type { Keeping, Transcript } from './no-transcript.js';

/**
 * What only a curator can do: answer a query, or, when there
 * is a digest, confirm that a stored answer may be sent again.
 */
export interface Request {
  readonly index: number;
  readonly query: Query;
  readonly digest: string | null;
}
export type Conversation = Generator<Request, DriveResult, Answered | undefined>;

/**
 * The loop between optimizer and curator, as a generator: it yields requests and receives answers, so that
 * `drive` and `driveSync` share it. An error of the curator is thrown into it, and ends it: the optimizer is
 * closed (its `finally` runs, its `catch` does not) and does not receive the error.
 */
export function* conversation(
  run: Run,
  curator: Curator,
  options: DriveOptions,
  keeping: Keeping,
): Conversation {
  assertOptions(options, 'a driver');
  if (typeof run?.steps !== 'function' || typeof curator?.answer !== 'function')
    throw new InvalidParameter('a driver takes a run, as an optimizer prepares it, and a curator', {});
  const { random } = options;
  if (typeof random?.fork !== 'function')
    throw new InvalidParameter('a driver needs random, a source of public coins such as secureRandom()', {});
  const isWhole = curator.facts.wholeTranscript === true;
  const { checkpointEvery = isWhole ? Infinity : usualCheckpoints } = options;
  if (!(checkpointEvery >= 1))
    throw new InvalidParameter(
      `checkpointEvery is ${checkpointEvery}; it must be at least 1 query, or Infinity for no checkpoints`,
      { checkpointEvery },
    );
  if (isWhole && checkpointEvery < Infinity)
    throw new InvalidParameter(
      `checkpointEvery is ${checkpointEvery}; a run of this curator goes on only by all of its answers, ` +
        'so leave it out',
      { checkpointEvery },
    );
  if ([curator.facts.root, ...(curator.facts.roots ?? [])].includes(rootMark(random))) {
    throw new InvalidParameter(
      'optimizer and curator were given the same root of randomness, so the optimizer could subtract the ' +
        'noise; give them unrelated ones',
      { run: curator.facts.run },
    );
  }
  assertPlannedFor(run, curator);
  // A fork tells nothing of its parent, so a caller who forks one root for both sides does not publish it.
  const randomness = publicCoins(random);
  const heading = headingOf(run, curator.facts.run, randomness, options.start);
  const transcript = keeping.open(
    options.transcript,
    options.transcriptKey,
    heading,
    curator.facts.gaps === true ? Infinity : curator.recorded(),
  );
  const place = newPlace(transcript);
  const live = keeping.loops({
    resume: transcript.resume,
    isStored: options.transcript !== undefined && checkpointEvery < Infinity,
    isDue: () => place.index >= transcript.length && place.index - place.stored >= checkpointEvery,
    offer: (frames) => {
      place.offered = { snapshot: place.index, frames };
      place.stored = place.index;
    },
  });
  const steps = run.steps({
    allRecords: curator.allRecords,
    random: randomness,
    start: copyWithRoom(options.start),
    ...live.loops,
  });
  try {
    return yield* converse(run.name, curator, steps, transcript, options, place, live);
  } catch (error) {
    close(steps, error);
    throw error;
  }
}

/** Default number of answers between checkpoints. */
const usualCheckpoints = 1000;

/** How far a run is. */
interface Place {
  /** The next query. */
  index: number;
  /** That of the last checkpoint. */
  stored: number;
  /** A checkpoint that is taken and not written yet. */
  offered: { readonly snapshot: number; readonly frames: readonly Frame[] } | null;
}
const newPlace = ({ resume }: Transcript): Place => ({
  index: resume?.snapshot ?? 0,
  stored: resume?.snapshot ?? 0,
  offered: null,
});

/**
 * Checks that the plan is for the curator's model of trust and number of records, on which its steps and its
 * promises depend. Not checked: a run without a problem, and a curator that states no model of trust.
 */
function assertPlannedFor({ name, problem, plan }: Run, { facts, allRecords }: Curator): void {
  if (facts.reserved !== undefined && !sameEvent(facts.reserved, plan.event)) {
    throw new InvalidParameter(
      `optimizer '${name}' planned for another event than run '${facts.run}' of the ` +
        'curator was opened for; make the curator with planned: run.plan.event, ' +
        'or held by the filter whose limit the plan names',
      { run: facts.run, planned: plan.event, curator: facts.reserved },
    );
  }
  const { trust, unit = 'record' } = (problem as Partial<Run['problem']> | undefined) ?? {};
  if (trust === undefined) return;
  if (unit !== (facts.unit ?? 'record'))
    throw new InvalidParameter(
      `optimizer '${name}' planned for one ${unit}, and the curator of run '${facts.run}' ` +
        `protects one ${facts.unit ?? 'record'}; prepare with that unit and its slots in the problem`,
      { run: facts.run, planned: unit, curator: facts.unit ?? 'record' },
    );
  if (facts.trust !== undefined && !sameBytes(encode(facts.trust), encode(trust))) {
    throw new InvalidParameter(
      `optimizer '${name}' planned for trust ${JSON.stringify(trust)}, and the curator of run ` +
        `'${facts.run}' has ${JSON.stringify(facts.trust)}; prepare with the trust of the curator, ` +
        `or make ${makerFor[trust.model] ?? 'a curator of the planned kind'}`,
      { run: facts.run, planned: trust, curator: facts.trust },
    );
  }
  if ((trust.model !== 'central' && trust.model !== 'shuffle') || problem.slots[0] === allRecords.normaliser)
    return;
  throw new InvalidParameter(
    `optimizer '${name}' planned for slots [${problem.slots.join(', ')}], ` +
      `and means of the curator of run '${facts.run}' are over ${allRecords.normaliser}; ` +
      `prepare with problem.slots [${allRecords.normaliser}], or attach the data that were meant. ` +
      "Under add-remove the number is the curator's publicSlots.",
    { run: facts.run, slots: problem.slots, normaliser: allRecords.normaliser },
  );
}

const makerFor: Readonly<Record<string, string | undefined>> = {
  central: 'a centralCurator',
  shuffle: 'a shuffleCurator with these honestUsers',
  federated: 'a federation of these silos, weights and server',
};

function* converse(
  name: string,
  curator: Curator,
  steps: Program<Vector>,
  transcript: Transcript,
  { signal, progress, observe, compact = false }: DriveOptions,
  place: Place,
  live: LiveLoops,
): Conversation {
  let next = begin(name, steps, transcript);
  while (next.done !== true) {
    const query = next.value;
    // Written here, so that a store that fails does not fail inside the optimizer.
    if (place.offered !== null) {
      const { snapshot, frames } = place.offered;
      place.offered = null;
      transcript.checkpoint({ snapshot, state: frames }, compact);
    }
    assertQuery(query);
    signal?.throwIfAborted();
    const again = live.stored();
    if (again === undefined) observe?.(query, place.index);
    const told =
      again === undefined
        ? yield* answerTo(name, curator, query, place.index, transcript)
        : yield* repeated(query, again);
    live.remember(told);
    if (again === undefined) {
      place.index++;
      progress?.({ queries: place.index, replayed: Math.min(place.index, transcript.length) });
    }
    next = steps.next(told.answer);
  }
  return { output: outputOf(name, next.value), queries: place.index, resumedAt: transcript.length };
}

/** An optimizer that cannot make sense of its own checkpoint was given one that it did not write. */
function begin(
  name: string,
  steps: Program<Vector>,
  { resume }: Transcript,
): ReturnType<Program<Vector>['next']> {
  try {
    return steps.next();
  } catch (error) {
    if (resume === null || error instanceof LetheError) throw error;
    throw new Corrupt(
      `optimizer '${name}' cannot go on from the checkpoint at query ${resume.snapshot}: ` +
        'its state is not one that this optimizer writes. Restore a copy of the transcript.',
      { snapshot: resume.snapshot },
      { cause: error },
    );
  }
}

type Told = StoredAnswer & { readonly answer: Answer };

/** A stored answer, confirmed by the curator. @throws {Corrupt} when it does not fit the query. */
function* repeated(query: Query, told: StoredAnswer): Generator<Request, Told, Answered | undefined> {
  const { index, digest } = told;
  yield { index, query, digest };
  const checked = checkAnswer(query, told.answer);
  if (checked.wrong === undefined) return { index, digest, answer: checked.answer };
  throw new Corrupt(
    `the transcript's answer to query ${index} does not fit: ${checked.wrong}. ` +
      'The optimizer changed since, or the file was not written by this driver.',
    { index },
  );
}

/** The stored answer, or a fresh one, stored: in either case before the optimizer has it. */
function* answerTo(
  name: string,
  curator: Curator,
  query: Query,
  index: number,
  transcript: Transcript,
): Generator<Request, Told, Answered | undefined> {
  const stored = transcript.take(index);
  if (stored !== undefined) return yield* repeated(query, stored);
  const answered = yield { index, query, digest: null };
  const checked = checkAnswer(query, answered?.answer, curator.answer);
  if (checked.wrong !== undefined)
    throw new IncompatiblePlugins(
      `the curator's answer to query ${index} of optimizer '${name}' does not fit: ` +
        `${checked.wrong}. Repair the curator.`,
      { optimizer: name, index, ask: query.ask },
    );
  const told = { index, digest: defined(answered).digest, answer: checked.answer };
  transcript.append(told);
  return told;
}

function outputOf(name: string, output: unknown): Vector {
  if (output instanceof Float64Array) {
    // Out of the memory that the optimizer computes in, which holds more.
    if (allFinite(output)) return arenaOf(output) === null ? output : output.slice();
    const bad = output.findIndex((entry) => !Number.isFinite(entry));
    throw new InvalidParameter(
      `optimizer '${name}' ended at a point whose entry ${bad} is ${output[bad]}: it diverged. ` +
        'Use smaller steps; what was charged stays charged.',
      { optimizer: name, index: bad, value: String(output[bad]) },
    );
  }
  throw new IncompatiblePlugins(
    `optimizer '${name}' ended without a Float64Array; its steps must return the point found`,
    { optimizer: name },
  );
}

/**
 * Runs the optimizer's `finally` blocks. Their errors are dropped
 * in favour of `cause`; their queries get no answer.
 */
function close(steps: Program<Vector>, cause: unknown): void {
  let last: ReturnType<typeof steps.return>;
  try {
    last = steps.return(new Float64Array(0));
  } catch {
    return;
  }
  if (last.done !== true) {
    throw new Unsupported(
      `the optimizer asked for '${last.value.ask}' while it was being closed; ` +
        'remove the yield from its finally block. Why it was closed is the cause of this error.',
      { ask: last.value.ask },
      { cause },
    );
  }
}
