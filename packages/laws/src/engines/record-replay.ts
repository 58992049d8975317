import { decode, defined, encode, publicCoins } from '@lethe/numerics';
import {
  driveSync,
  plainLoops,
  Unsupported,
  type Answer,
  type Answered,
  type Curator,
  type Loops,
  type Query,
  type RandomSource,
  type Run,
  type State,
  type Vector,
} from '@lethe/core';
import { roomOf } from '@lethe/core/testing';

/** A data set with its planned run and its curator. */
export interface PreparedRun {
  readonly run: Run;
  readonly curator: Curator<Answered>;
}

/** Start, randomness and limit of the replayed optimizer. */
export interface RecordReplayOptions {
  readonly start: Vector;
  /** Public randomness, equal for both data sets. */
  readonly random: RandomSource;
  /** Maximum number of queries and iterations of a run. @defaultValue 1e6 */
  readonly limit?: number;
}

/** The first difference in an optimizer's behaviour under equal answers. */
export interface Leak {
  /** `optimizer`, `plan`, `problem`, `query 3`, `state before query 3`, `output`. */
  readonly where: string;
  /**
   * The data sets compared: recorded first, replayed second. The
   * same one twice detects an optimizer that is not deterministic.
   */
  readonly order: 'here, here' | 'here, there' | 'there, here';
  readonly recorded: unknown;
  readonly replayed: unknown;
}

interface Said {
  readonly where: string;
  readonly bytes: Uint8Array;
}
interface Recording {
  readonly curator: Curator;
  readonly said: readonly Said[];
  readonly answers: readonly Uint8Array[];
}

/**
 * Gives the answers for one data set to the optimizer of another, and compares everything that the optimizer
 * outputs: name, problem, plan, queries and the states at the head of each iteration as bytes, their number,
 * and the output. An optimizer that depends on its answers alone shows no difference, so a difference is a
 * privacy bug of the optimizer. Done three times: one data set against itself, and both orders.
 *
 * The test cannot see properties that both data sets share (above all their number of records, so change that
 * too where it is private), state that survives from one data set to the next, or bugs of the curator, whose
 * answers are fixed.
 *
 * @param here - Builds plan, run and curator from the data, anew at every call.
 * @param there - The same for a neighbouring data set, or any other.
 * @returns the first difference; `undefined` when there is none.
 * @throws {Unsupported} when a run does not end within the limit, and rethrows errors of a curator.
 */
export function recordReplay(
  here: () => PreparedRun,
  there: () => PreparedRun,
  options: RecordReplayOptions,
): Leak | undefined {
  return replayFrom(here, options)(there);
}

/**
 * {@link recordReplay} of one data set and each of several others. The run on `here` is recorded, and
 * compared with itself, only once.
 */
export function replayFrom(
  here: () => PreparedRun,
  options: RecordReplayOptions,
): (there: () => PreparedRun) => Leak | undefined {
  const recorded = record(here(), options);
  const onItself = compare(recorded, here, 'here, here', options);
  return (there) =>
    onItself ??
    compare(recorded, there, 'here, there', options) ??
    compare(record(there(), options), here, 'there, here', options);
}

function compare(
  { curator, said, answers }: Recording,
  replayed: () => PreparedRun,
  order: Leak['order'],
  options: RecordReplayOptions,
): Leak | undefined {
  const replaying = replay(replayed(), curator, answers, options);
  for (let i = 0; ; i++) {
    const before = said[i];
    const next = replaying.next();
    const now = next.done === true ? undefined : next.value;
    if (before === undefined && now === undefined) return undefined;
    if (
      before === undefined ||
      now === undefined ||
      before.where !== now.where ||
      !sameBytes(before.bytes, now.bytes)
    ) {
      return { where: (before ?? defined(now)).where, order, recorded: shown(before), replayed: shown(now) };
    }
  }
}

const shown = (said: Said | undefined): unknown =>
  said === undefined ? 'nothing' : { [said.where]: decode(said.bytes) };
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** Outputs of a run before its first query. */
const opening = ({ name, problem, plan }: Run): readonly Said[] => [
  { where: 'optimizer', bytes: encode(name) },
  { where: 'problem', bytes: encode(problem) },
  { where: 'plan', bytes: encode(plan) },
];

const posed = (index: number, asked: Query): Said => ({ where: `query ${index}`, bytes: encode(asked) });

function record(
  { run, curator }: PreparedRun,
  { start, random, limit = 1e6 }: RecordReplayOptions,
): Recording {
  const said: Said[] = [...opening(run)];
  const answers: Uint8Array[] = [];
  const spy: Curator<Answered> = {
    ...curator,
    answer(index, query) {
      const answered = curator.answer(index, query);
      answers.push(encode(answered.answer));
      return answered;
    },
  };
  const overheard: Run = {
    ...run,
    steps: (context) => overhear((loops) => run.steps({ ...context, ...loops }), said, limit),
  };
  const { output } = driveSync(overheard, spy, { start, random });
  said.push({ where: 'output', bytes: encode(output) });
  return { curator, said, answers };
}

type Steps = ReturnType<Run['steps']>;

/**
 * The same steps, with a record of every query before it is answered, and of the states of all iterations.
 */
function* overhear(begin: (loops: Loops) => Steps, said: Said[], limit: number): Steps {
  let index = 0;
  const say = (one: Said): void => {
    if (said.length >= limit)
      throw new Unsupported(
        `the run said ${limit} things and did not end; give record–replay a shorter run, or a larger limit`,
        { limit },
      );
    said.push(one);
  };
  const steps = begin(plainLoops((states) => say(stateBefore(index, states))));
  try {
    for (let next = steps.next(); ;) {
      if (next.done === true) return next.value;
      say(posed(index++, next.value));
      next = steps.next(yield next.value);
    }
  } finally {
    steps.return(new Float64Array(0));
  }
}

const stateBefore = (index: number, states: readonly State[]): Said => ({
  where: `state before query ${index}`,
  bytes: encode(states),
});

/**
 * The answer in the array that the optimizer gave for it, if it gave one; curators use only long ones. An
 * array that it keeps, and gives for the next answer, then holds other numbers than when it was recorded.
 */
function inRoom(query: Query, answer: Answer): Answer {
  const room = answer instanceof Float64Array ? roomOf(query, 0) : null;
  if (room === null || !(answer instanceof Float64Array) || room.length !== answer.length) return answer;
  room.set(answer);
  return room;
}

/** Runs the steps on recorded answers and the recorded batch token. Ends with the answers. */
function* replay(
  { run }: PreparedRun,
  { allRecords }: Curator,
  answers: readonly Uint8Array[],
  { start, random }: RecordReplayOptions,
): Generator<Said, void, void> {
  yield* opening(run);
  let index = 0;
  const states: Said[] = [];
  const loops = plainLoops((now) => states.push(stateBefore(index, now)));
  const steps = run.steps({ allRecords, random: publicCoins(random), start: start.slice(), ...loops });
  try {
    for (let next = steps.next(); ;) {
      yield* states.splice(0);
      if (next.done === true) {
        yield { where: 'output', bytes: encode(next.value) };
        return;
      }
      yield posed(index, next.value);
      if (index === answers.length) return;
      next = steps.next(inRoom(next.value, decode(answers[index++]) as Answer));
    }
  } finally {
    steps.return(new Float64Array(0));
  }
}
