import type { Curator, Registry } from '@lethe/core';
import { assertOptions, encode, InvalidParameter, sameBytes } from '@lethe/numerics';
import { joinedCurator } from './joined-curator.js';
import { assertSilos, weightsOf, type SiloReply } from './members.js';
import type { RawSilo } from './raw-silo.js';
import { serverNoise } from './server-noise.js';
import { federatedTrust, type ServerTerms } from './trust.js';

/** Silos of one run, and what is made of their answers. */
export interface FederationOptions<R extends SiloReply = SiloReply> {
  /**
   * The curators of the silos, wherever they are: each with its own data set, ledger and randomness, all with
   * one run name.
   */
  readonly silos: readonly Curator<R>[];
  /** Of each silo in averages; they add up to 1. @defaultValue all equal */
  readonly weights?: readonly number[];
  /**
   * Whether a failure means that a silo misses the round; any other ends the run. A silo that is missed adds
   * nothing to a stream, so that its last sum stands in for it; means are those of the other silos. Where no
   * silo answers, the answer is zero. @defaultValue no silo misses a round
   */
  readonly isAbsence?: (error: unknown) => boolean;
}

/**
 * Silos as one curator, whose server need not be trusted: it asks every silo, and averages what they say.
 * Each silo adds its own noise and charges its own ledger, so that the server sees nothing that is not
 * private.
 *
 * An answer comes at once if all silos answer at once, and as a promise otherwise. Queries whose answers
 * cannot be averaged are refused, unless there is one silo only, which answers as it does alone.
 *
 * @throws {InvalidParameter} for silos with different run names or the same randomness, and for weights that
 * do not add up to 1.
 */
export function federation<R extends SiloReply>(options: FederationOptions<R>): Curator<R> {
  assertOptions(options, 'federation');
  const { isAbsence, weights: given } = options;
  const silos = Object.freeze([...options.silos]);
  assertSilos(silos, 'answer', 'central');
  const weights = weightsOf(given, silos.length);
  return joinedCurator<R>({
    silos,
    ask: (silo, index, query) => silos[silo].answer(index, query),
    trust: federatedTrust('untrusted', silos.length, { weights: given === undefined ? undefined : weights }),
    weights,
    isAbsence,
  });
}

/** Silos of one run whose server is trusted, and what is made of their sums. */
export interface TrustedFederationOptions<R extends SiloReply = SiloReply>
  extends Omit<FederationOptions<R>, 'silos' | 'weights'>, ServerTerms {
  readonly silos: readonly RawSilo<R>[];
  /** The mechanisms and prefix sums that the server draws noise by. */
  readonly registry: Registry;
}

/**
 * Silos as one curator, whose server is trusted with their sums: it averages them, and adds one noise to the
 * average, of the scale that the silo needs whose records move it most. Every silo charges its own ledger for
 * it. Noise is added to the sum, whoever answers; where all are silent nothing is released, and the answer is
 * zero.
 *
 * With `simulatedShares` the noise is that of secure sums in which every silo adds one of so many shares,
 * whatever the factorisation: a simulation, since no protocol here makes sums of other than whole noise.
 *
 * @throws {InvalidParameter} as {@link federation}, and for shares that do not fit the silos.
 */
export function trustedFederation<R extends SiloReply>(options: TrustedFederationOptions<R>): Curator<R> {
  assertOptions(options, 'trustedFederation');
  const { isAbsence, weights: given, simulatedShares, registry } = options;
  const silos = Object.freeze([...options.silos]);
  assertSilos(silos, 'sumFor', 'federated');
  const weights = weightsOf(given, silos.length);
  const trust = federatedTrust('trusted', silos.length, {
    weights: given === undefined ? undefined : weights,
    simulatedShares,
  });
  silos.forEach(({ facts }, silo) => {
    if (facts.trust === undefined || sameBytes(encode(facts.trust), encode(trust))) return;
    throw new InvalidParameter(
      `silo ${silo} was opened for trust ${JSON.stringify(facts.trust)}, and the server has ` +
        `${JSON.stringify(trust)}; give both the same number of silos, weights and shares`,
      { silo, trust: facts.trust },
    );
  });
  return joinedCurator<R>({
    silos,
    ask: (silo, index, query) => silos[silo].sumFor(index, query),
    trust,
    weights,
    isAbsence,
    noise: serverNoise({
      shares: silos.map(({ share }) => share),
      isSeeded: silos.some(({ facts }) => facts.simulation),
      factor: simulatedShares === undefined ? 1 : Math.sqrt(silos.length / simulatedShares),
      registry: Object.freeze([...registry]),
    }),
  });
}
