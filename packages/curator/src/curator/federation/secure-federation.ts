import type { Answered, Curator, Registry, Vector } from '@lethe/core';
import { assertOptions, defined, encode, InvalidParameter, sameBytes, Unsupported } from '@lethe/numerics';
import type { AddendSilo } from './addend-silo.js';
import { inOrder, joinedCurator } from './joined-curator.js';
import type { AskSilo, SecureSums } from './secure-sums.js';
import { assertSilos, type SiloReply } from './members.js';
import { sumDecoder, type RoundOfSums, type SiloSum } from './sum-decoder.js';
import { secureTrust } from './trust.js';

/** Silos of one run whose increments go into secure sums. */
export interface SecureFederationOptions<R extends SiloReply = SiloReply> {
  readonly silos: readonly AddendSilo<R>[];
  /** C: silos that may side with the server, at most. */
  readonly corrupted: number;
  /** m: silos that a sum has at least. */
  readonly survivors: number;
  /** The clips that streams are opened with. */
  readonly registry: Registry;
  /** How sums are made. @defaultValue added up in this process, where nothing is hidden */
  readonly sums?: SecureSums | undefined;
  /** Whether a failure means that a silo misses the round; any other ends the run. @defaultValue none does */
  readonly isAbsence?: (error: unknown) => boolean;
}

/**
 * Silos as one curator, whose server learns sums of at least `survivors` of them and nothing else: for every
 * increment of a stream the running sums of the silos, with their shares of noise, are added up, and the sum
 * is divided by the records of their batches. A round in which fewer silos are left has no sum: nothing is
 * released, the answer is zero, and the next sum has what the silos added meanwhile. Silos charge their own
 * ledgers.
 *
 * Without `sums` the addends are added up in this process: then whoever runs it sees them.
 *
 * @throws {InvalidParameter} as `federation`, for silos that were opened for other sums, and for numbers that
 * are no secure sum.
 */
export function secureFederation<R extends SiloReply>(options: SecureFederationOptions<R>): Curator<R> {
  assertOptions(options, 'secureFederation');
  const { corrupted, survivors, registry, isAbsence } = options;
  const silos = Object.freeze([...options.silos]);
  assertSilos(silos, 'addendFor', 'secure-aggregation');
  const trust = secureTrust({ silos: silos.length, corrupted, survivors });
  silos.forEach(({ facts }, silo) => {
    if (facts.trust !== undefined && sameBytes(encode(facts.trust), encode(trust))) return;
    throw new InvalidParameter(
      `silo ${silo} was opened for trust ${JSON.stringify(facts.trust)}, and the sums are ` +
        `${JSON.stringify(trust)}; give all the same numbers`,
      { silo, trust: facts.trust },
    );
  });
  return joinedCurator<R>({
    silos,
    ask: (silo, index, query) => silos[silo].addendFor(index, query),
    trust,
    weights: silos.map(() => 1 / silos.length),
    isAbsence,
    secure: {
      sums: options.sums ?? openSums(survivors),
      decoder: sumDecoder(Object.freeze([...registry]), silos.length),
    },
  });
}

/** Sums of what the silos say, added up here. */
const openSums =
  (least: number) =>
  (silos: number, ask: AskSilo): SecureSums => {
    let running: readonly (Vector | null)[] = Array.from({ length: silos }, () => null);
    let last: SiloSum | null = null;
    let isSince = false;
    const after = (silo: number, said: Answered | undefined): Vector | null => {
      const before = running[silo];
      if (said === undefined) return before;
      const addend = said.answer as Vector;
      return before === null ? addend : before.map((one, j) => one + addend[j]);
    };
    const sumOf = (survivors: readonly number[]): Vector => {
      const [first, ...others] = survivors.map((silo) => defined(running[silo]));
      const sum = first.slice();
      for (const one of others) for (let j = 0; j < sum.length; j++) sum[j] += one[j];
      return sum;
    };
    const settle = (said: readonly (Answered | undefined)[]): RoundOfSums => {
      running = running.map((_, silo) => after(silo, said[silo]));
      const survivors = said.flatMap((one, silo) => (one === undefined ? [] : [silo]));
      const before = last;
      const sum = survivors.length < least ? null : { survivors, sum: sumOf(survivors) };
      if (sum !== null) last = sum;
      return { sum, before, isSince, digests: said.map((one) => one?.digest ?? null) };
    };
    return {
      round: (index, query) =>
        inOrder(
          running.map((_, silo) => ask(silo, index, query)),
          settle,
        ),
      replayed(_index, _query, digests) {
        isSince = true;
        if (digests.includes(null))
          throw new Unsupported(
            'a federation whose sums are added up in one process does not go on after rounds without a silo',
            {},
          );
      },
    };
  };
