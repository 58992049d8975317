import { Corrupt, decode, defined, encode } from '@lethe/numerics';
import type { PublicState } from '../query/query.js';
import { loopsBy, type Loops, type State } from './loops.js';

/** An answer as stored, after its curator gave it and before the optimizer saw it. */
export interface StoredAnswer {
  readonly index: number;
  readonly digest: string;
  readonly answer: unknown;
}

/** An unfinished iteration. */
export interface Frame {
  readonly t: number;
  /** States at its head. */
  readonly head: Uint8Array;
  /** States after each of its loops that has ended. */
  readonly exits: readonly Uint8Array[];
  /** Answers to its queries, without those of its inner loops. */
  readonly answers: readonly StoredAnswer[];
}

interface OpenFrame {
  t: number;
  head: Uint8Array;
  exits: Uint8Array[];
  answers: StoredAnswer[];
  /** Loops begun in this iteration. */
  loops: number;
  /** Whether the answers of this iteration are complete, as a checkpoint needs them. */
  isKept: boolean;
  /** Whether iterations have loops of their own; not known in the first one. */
  nests: boolean | null;
}
const nothing = new Uint8Array(0);
const newFrame = (): OpenFrame => ({
  t: 0,
  head: nothing,
  exits: [],
  answers: [],
  loops: 0,
  isKept: true,
  nests: null,
});

/** Most answers of one iteration that are remembered; with more there is no checkpoint in it. */
const mostAnswers = 10_000;

/** Where a run continues, and how often it is stored. */
export interface LiveLoopsOptions {
  /**
   * The checkpoint to go on from, whose state is a list of
   * frames, the outermost first; `null` at the beginning.
   */
  readonly resume: { readonly state: unknown } | null;
  /** Whether checkpoints are taken at all. */
  readonly isStored: boolean;
  /** Whether one is due at the head that is reached now. */
  isDue(): boolean;
  /** Takes a checkpoint. */
  offer(frames: readonly Frame[]): void;
}

/** Loops of a live run, with what the driver has to tell them. */
export interface LiveLoops {
  readonly loops: Loops;
  /**
   * The stored answer to the next query of code that runs again;
   * `undefined` where the run asks for the first time.
   */
  stored(): StoredAnswer | undefined;
  /** Keeps an answer for checkpoints that are taken in the iteration it was given in. */
  remember(told: StoredAnswer): void;
}

/**
 * Loops from which checkpoints are made. A checkpoint is the head of an innermost iteration. A resumed run
 * begins at the beginning: code outside loops runs again, on the states and answers it had, and loops that
 * had ended are skipped. So every name has the value it had.
 *
 * @throws {Corrupt} for a checkpoint of other loops or states than those of this optimizer.
 */
export function liveLoops({ resume, isStored, isDue, offer }: LiveLoopsOptions): LiveLoops {
  const states: State[] = [];
  const frames: OpenFrame[] = [newFrame()];
  /** In each frame, the next of the stored answers. */
  const places: number[] = [0];
  let restoring = resume === null ? null : framesOf(resume.state);

  const copyStates = (): Uint8Array => (isStored ? encode(states) : nothing);
  const canStore = (): boolean => isStored && states.length > 0 && frames.every(({ isKept }) => isKept);
  const closed = ({ t, head, exits, answers }: OpenFrame): Frame => ({
    t,
    head,
    exits: [...exits],
    answers: [...answers],
  });

  function atHead(frame: OpenFrame): void {
    if (canStore() && isDue()) {
      frame.head = copyStates();
      offer(frames.map(closed));
    } else if (frame.nests === false) {
      frame.isKept = false;
    } else {
      frame.head = copyStates();
    }
  }

  function* loop(count: number): Generator<number, void, undefined> {
    const depth = frames.length;
    const parent = frames[depth - 1];
    const place = parent.loops++;
    parent.nests = true;
    const ended = restoring?.[depth - 1].exits[place];
    if (ended !== undefined) {
      restore(states, ended);
      parent.exits.push(ended);
      return;
    }
    const from = restoring === null ? undefined : frameAt(restoring, depth, count);
    const before = states.length;
    const frame = newFrame();
    frames.push(frame);
    places.push(0);
    try {
      for (let t = from?.t ?? 1; t <= count; t++) {
        states.length = before;
        Object.assign(frame, { t, head: nothing, exits: [], answers: [], loops: 0, isKept: true });
        if (restoring !== null) {
          frame.head = defined(from).head;
          restore(states, defined(from).head);
          if (restoring.length === depth + 1) restoring = null;
        } else {
          atHead(frame);
        }
        yield t;
        if (restoring !== null) throw foreign('has no loop where the checkpoint is');
        frame.nests ??= false;
      }
    } finally {
      frames.length = depth;
      places.length = depth;
      states.length = before;
      if (parent.isKept) parent.exits.push(copyStates());
    }
  }

  return {
    loops: {
      state(initial) {
        states.push(initial);
        return initial;
      },
      ...loopsBy(loop),
    },
    stored() {
      if (restoring === null) return undefined;
      const depth = frames.length - 1;
      const told = restoring[depth].answers[places[depth]++];
      if (told === undefined)
        throw foreign('asks for more before its loops than the checkpoint has answers for');
      return told;
    },
    remember(told) {
      const frame = frames[frames.length - 1];
      if (!isStored || !frame.isKept) return;
      if (frame.answers.length < mostAnswers) frame.answers.push(decode(encode(told)) as StoredAnswer);
      else Object.assign(frame, { isKept: false, answers: [] });
    },
  };
}

const foreign = (what: string): Corrupt =>
  new Corrupt(
    `this optimizer did not write the checkpoint: it ${what}. Restore a copy of the transcript.`,
    {},
  );

/** @throws {Corrupt} for a state that is no list of frames. */
function framesOf(frames: unknown): readonly Frame[] {
  const isFrame = (frame: Partial<Frame> | null): frame is Frame =>
    Number.isSafeInteger(frame?.t) &&
    defined(frame).head instanceof Uint8Array &&
    Array.isArray(defined(frame).exits) &&
    Array.isArray(defined(frame).answers);
  if (Array.isArray(frames) && frames.length > 1 && frames.every(isFrame)) return frames;
  throw foreign('goes on from loops, of which the checkpoint says nothing');
}

function frameAt(frames: readonly Frame[], depth: number, count: number): Frame {
  const frame = frames[depth];
  if (frame === undefined) throw foreign('has more loops inside one another');
  if (frame.t >= 1 && frame.t <= count) return frame;
  throw foreign(`has ${count} iterations of a loop, and the checkpoint is at iteration ${frame.t}`);
}

/** Puts stored values into the states, in place. */
function restore(states: readonly State[], bytes: Uint8Array): void {
  const stored = decode(bytes) as readonly State[];
  if (!Array.isArray(stored) || stored.length !== states.length)
    throw foreign('has another number of states');
  states.forEach((state, i) => assign(state, stored[i]));
}

function assign(into: State, from: State): void {
  const [names, given] = [into, from].map((state) => Object.keys(state).toSorted().join());
  if (names !== given) throw foreign(`has states named ${names}, and the checkpoint ${given}`);
  for (const [name, value] of Object.entries(from)) {
    const at: PublicState = into[name] ?? null;
    if (at instanceof Float64Array) {
      if (!(value instanceof Float64Array) || value.length !== at.length)
        throw foreign(`has a vector of ${at.length} entries as '${name}'`);
      at.set(value);
    } else if (isRecord(at) && isRecord(value)) {
      assign(at, value);
    } else if (typeof at === 'number' && typeof value !== 'number') {
      throw foreign(`has a number as '${name}'`);
    } else {
      into[name] = value;
    }
  }
}

const isRecord = (value: PublicState): value is State =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
