import type { Answered, Curator } from '@lethe/core';
import { Corrupt, InvalidParameter } from '@lethe/numerics';

type Silos = readonly Pick<Curator, 'facts' | 'allRecords'>[];
/** What may stand for one silo of a federation. */
export type SiloReply = Answered | Promise<Answered>;

/**
 * Checks that curators may be silos of one federation: one run name, so that names of batches agree, and
 * randomness of their own.
 *
 * @throws {InvalidParameter} otherwise, naming the silos.
 */
export function assertSilos(
  silos: Silos,
  answers: string,
  model: 'central' | 'federated' | 'secure-aggregation',
): void {
  if (!Array.isArray(silos) || silos.length === 0)
    throw new InvalidParameter('a federation needs silos, a list of curators, at least one', {});
  const bad = silos.findIndex(
    (silo) => typeof (silo as { readonly [name: string]: unknown } | undefined)?.[answers] !== 'function',
  );
  if (bad >= 0)
    throw new InvalidParameter(
      `silo ${bad} of the federation does not answer by '${answers}'; give ${kinds[model]}`,
      { silo: bad },
    );
  const [first] = silos;
  silos.forEach((silo, i) => {
    if (silo.facts.run !== first.facts.run)
      throw new InvalidParameter(
        `silo ${i} has a run '${silo.facts.run}', silo 0 a run '${first.facts.run}'; ` +
          'the run of a federation has one name in all ledgers',
        { silo: i, run: silo.facts.run },
      );
    if (silo.allRecords.id !== first.allRecords.id)
      throw new InvalidParameter(
        `silo ${i} calls its records '${silo.allRecords.id}', silo 0 '${first.allRecords.id}'`,
        { silo: i },
      );
    const { root } = silo.facts;
    const twin = root === undefined ? -1 : silos.findIndex(({ facts }) => facts.root === root);
    if (twin >= 0 && twin < i)
      throw new InvalidParameter(
        `silos ${twin} and ${i} were given the same root of randomness: their noise would be the same. ` +
          'Give each silo randomness of its own, which no other knows',
        { silos: [twin, i] },
      );
    const trust = silo.facts.trust?.model;
    if ((silos.length > 1 || model !== 'central') && trust !== undefined && trust !== model)
      throw new InvalidParameter(
        `silo ${i} answers in the ${trust} model; a silo of this federation answers in the ${model} model`,
        { silo: i, trust },
      );
  });
}

const kinds = {
  central: 'curators',
  federated: 'silos that trust the server, as rawSilo makes them',
  'secure-aggregation': 'silos of secure sums, as addendSilo makes them',
} as const;

/**
 * Weights of silos in averages, `1/M` each unless they are given.
 *
 * @throws {InvalidParameter} unless there is one for each silo, all are positive, and they add up to 1.
 */
export function weightsOf(weights: readonly number[] | undefined, silos: number): readonly number[] {
  if (weights === undefined) return Object.freeze(Array.from({ length: silos }, () => 1 / silos));
  const sum = weights.reduce((all, one) => all + one, 0);
  if (
    weights.length !== silos ||
    weights.some((one) => !(one > 0 && one <= 1)) ||
    !(Math.abs(sum - 1) <= 1e-9)
  )
    throw new InvalidParameter(
      `the weights of ${silos} silos are ${weights.length} numbers that add up to ${sum}; ` +
        'give one positive number for each silo, 1 in all',
      { weights: [...weights], silos },
    );
  return Object.freeze([...weights]);
}

const separator = '.';
const absent = '-';
/** The digest of a query to all silos: theirs, in order; `null` for a silo that did not answer. */
export const joinDigests = (digests: readonly (string | null)[]): string =>
  digests.map((digest) => digest ?? absent).join(separator);

/** @throws {Corrupt} for a digest of another number of silos. */
export function splitDigest(digest: string, silos: number): readonly (string | null)[] {
  const parts = digest.split(separator);
  if (parts.length === silos) return parts.map((part) => (part === absent ? null : part));
  throw new Corrupt(
    `the transcript has answers of ${parts.length} silos, and the federation has ${silos}: ` +
      'make the federation with the silos it had, in their order',
    { found: parts.length, silos },
  );
}

const between = '~';
/** A row of the noise that a trusted server adds to a stream. */
export interface NoiseRow {
  /** Of the noise of sums, over all silos. */
  readonly scale: number;
  /** 16 bytes in hexadecimal that the row is keyed by, besides secrets of all silos. */
  readonly name: string;
}
/** Digests with the row of the noise of an increment. */
export const withRow = (digests: string, row: NoiseRow | undefined): string =>
  row === undefined ? digests : [digests, row.scale, row.name].join(between);

/** @throws {Corrupt} for a scale that is no positive number, and for another name than such a row has. */
export function rowIn(digest: string): readonly [digests: string, row: NoiseRow | undefined] {
  const [digests, text, name = ''] = digest.split(between);
  if (text === undefined) return [digests, undefined];
  const scale = Number(text);
  if (scale > 0 && scale < Infinity && /^[0-9a-f]{32}$/u.test(name)) return [digests, { scale, name }];
  throw new Corrupt(
    `the transcript has noise of scale '${text}' and row '${name}', which no server writes: it is damaged, ` +
      'or of another release',
    { scale: text, row: name },
  );
}
