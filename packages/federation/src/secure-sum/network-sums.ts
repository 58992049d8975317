import {
  memoryStore,
  openLog,
  Unsupported,
  type LetheError,
  type PushQuery,
  type Store,
  type Vector,
} from '@lethe/core';
import { pointsOf, type RoundOfSums, type SecureSums, type SiloSum } from '@lethe/curator/federation';
import { liftedWords } from '@lethe/mechanisms';
import { sumsOf, type SealedPlan } from '../plan.js';
import { refusal, refusalOf, type RefusalCode } from '../refusal.js';
import type { RemoteAddendSilo } from '../remote-silo.js';
import { sumPeer } from './over-links.js';
import { secureSum } from './server.js';

/** What the server of secure sums keeps. */
export interface NetworkSumsOptions {
  /**
   * Where attempts and the last sums are kept: a server that restarts needs them. @defaultValue in memory
   */
  readonly store?: Store;
  /** Attempts at one sum. @defaultValue 3 */
  readonly attempts?: number;
  /** Told whose addends are in the sum of a round; `null` where there is none for ever. */
  readonly onRound?: (index: number, survivors: readonly number[] | null) => void;
  /** Told once of a silo that has left the run for good, and why. */
  readonly onLeft?: (silo: number, why: LetheError) => void;
}

/** A round as it is stored. */
interface Line {
  /** The run's name: a store may hold the sums of an earlier one. */
  readonly run: string;
  readonly index: number;
  /** The last attempt that was begun. */
  readonly attempt: number;
  /** What came of the round; `null` while it goes on. */
  readonly done: { readonly sum: StoredSum | null; readonly digests: readonly (string | null)[] } | null;
  /** The last sum before it. */
  readonly before: StoredSum | null;
}
interface StoredSum {
  readonly survivors: readonly number[];
  readonly sum: Vector;
}

/** What came of an attempt, or why nothing did and what silos said. */
type Tried =
  | { readonly done: NonNullable<Line['done']> }
  | { readonly why: LetheError; readonly said: ReadonlySet<RefusalCode | undefined> };

/** Refusals that end an attempt and not the run. */
const ofAttempt: ReadonlySet<RefusalCode | undefined> = new Set<RefusalCode>([
  'wrong-keys',
  'few-survivors',
  'wrong-set',
  'signed-before',
  'few-signatures',
]);
/** Refusals of a silo for which the run is over, and of which nothing stays in later sums. */
const ofSilo: ReadonlySet<RefusalCode | undefined> = new Set<RefusalCode>(['ended', 'rolled-back']);

/**
 * Secure sums of the silos of a plan, over their links. A silo that does not answer in some step drops out,
 * and so long as enough are left the sum is theirs. A round without a sum is tried again. If silos have
 * signed its survivors before, in an attempt whose end the server has lost, it has none for ever, and the
 * next sum has what silos added meanwhile.
 *
 * A silo that has left the run, since its owner ended it or its files were restored from a copy, drops out of
 * all later sums: the others have paid for the whole run, and would pay again for another. Any other refusal
 * says that a message breaks a rule of the plan, and ends the run.
 *
 * @throws {Unsupported} from a round for which too few silos answer: the run stops, to be resumed.
 * @throws a refusal where a run that has begun has lost its store; that of a silo that does not take a
 * message;
 *   and that of a silo that has left, once too few can ever answer.
 */
export function networkSums(
  sealed: SealedPlan,
  silos: readonly RemoteAddendSilo[],
  { store = memoryStore(), attempts = 3, onRound, onLeft }: NetworkSumsOptions = {},
): SecureSums<Promise<RoundOfSums>> {
  const { plan, digest } = sealed;
  const { parameters, width } = sumsOf(plan);
  const { run } = plan.agreement;
  const length = plan.agreement.plan.problem.dimension;
  const log = openLog(store, { magic: 'lethe-secure-sums' });
  const stored = log.records.at(-1) as Line | undefined;
  let last: Line | null = stored?.run === run ? stored : null;
  log.forget();
  const keep = (line: Omit<Line, 'run'>): Line => {
    last = { run, ...line };
    log.rewrite([last]);
    return last;
  };
  if (last === null) {
    if (silos.some(({ hasBegun }) => hasBegun))
      throw refusal(
        'rolled-back',
        'silos have answered queries of this run, and the server has lost its sums; resume with the store ' +
          'it began with',
        {},
      );
    keep({ index: -1, attempt: -1, done: { sum: null, digests: [] }, before: null });
  }
  const sumBefore = (index: number): SiloSum | null => {
    if (last === null) return null;
    return last.index === index ? last.before : (last.done?.sum ?? last.before);
  };

  const left = new Map<number, LetheError>();
  const noteLeft = (silo: number, why: LetheError): void => {
    if (left.has(silo)) return;
    left.set(silo, why);
    onLeft?.(silo, why);
  };
  /** One attempt. @returns what silos said where there is no sum. */
  const tried = async (index: number, attempt: number, query: PushQuery): Promise<Tried> => {
    const name = { plan: digest, round: index, attempt };
    const digests: (string | null)[] = silos.map(() => null);
    const said = new Set<RefusalCode | undefined>();
    let fatal: unknown;
    const peers = silos.map((silo, i) =>
      sumPeer(
        async (kind, body) => {
          // After a refusal nobody is asked to go on with the attempt.
          if (fatal !== undefined) throw fatal;
          try {
            return await silo.sumStep({ kind, round: index, attempt, body });
          } catch (error) {
            const code = refusalOf(error);
            said.add(code);
            if (ofSilo.has(code)) noteLeft(i, error as LetheError);
            else if (code !== undefined && !ofAttempt.has(code)) fatal ??= error;
            throw error;
          }
        },
        {
          sealed,
          name: plan.silos[i].name,
          body: silo.pointsBody(index, pointsOf(query)),
          known: silo.known(),
          heard: (heard) => {
            digests[i] = heard;
          },
        },
      ),
    );
    try {
      const { sum, survivors } = await secureSum(peers, { name, parameters, length, width });
      if (fatal !== undefined) throw fatal;
      const isLeft = new Set(survivors);
      return {
        done: {
          sum: { survivors, sum: liftedWords(sum) },
          digests: digests.map((one, i) => (isLeft.has(i) ? one : null)),
        },
      };
    } catch (error) {
      if (fatal !== undefined) throw fatal;
      const [first] = left.values();
      if (first !== undefined && silos.length - left.size < parameters.survivors) throw first;
      if (refusalOf(error) === undefined) throw error;
      return { why: error as LetheError, said };
    }
  };
  const settled = (index: number, query: PushQuery, line: Line): RoundOfSums => {
    const { sum, digests } = line.done ?? { sum: null, digests: [] };
    onRound?.(index, sum?.survivors ?? null);
    const points = pointsOf(query);
    silos.forEach((silo, i) => {
      if (digests[i] != null) silo.follow(index, points);
    });
    return { sum, before: line.before, digests };
  };
  return {
    async round(index, query) {
      if (last?.index === index && last.done !== null) return settled(index, query, last);
      const before = sumBefore(index);
      const first = last?.index === index ? last.attempt + 1 : 0;
      let why: LetheError | undefined;
      let isSigned = false;
      for (let attempt = first; attempt < first + attempts; attempt++) {
        keep({ index, attempt, done: null, before });
        // oxlint-disable-next-line no-await-in-loop -- one attempt after another
        const round = await tried(index, attempt, query);
        if ('done' in round) return settled(index, query, keep({ index, attempt, before, ...round }));
        ({ why } = round);
        isSigned = round.said.has('signed-before');
      }
      if (isSigned) {
        const done = { sum: null, digests: silos.map(() => null) };
        return settled(index, query, keep({ index, attempt: first + attempts, done, before }));
      }
      throw new Unsupported(
        `too few silos answer for sum ${index}: ${why?.message ?? ''}. When they are back, resume the run.`,
        { index },
        { cause: why },
      );
    },
    replayed(index, query, digests) {
      if (last === null || index > last.index)
        throw refusal('rolled-back', `the transcript has sum ${index}, and the store of sums is older`, {
          index,
        });
      const points = pointsOf(query);
      silos.forEach((silo, i) => {
        if (digests[i] !== null) silo.follow(index, points);
      });
    },
  };
}
