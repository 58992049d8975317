import type { SumParameters } from './parameters.js';

/** Why a silo takes no part in a step of a sum. */
export interface SetRefusal {
  readonly code: 'wrong-set' | 'few-survivors' | 'few-signatures';
  readonly message: string;
}

/** Which of a silo's two secrets a share is of: its own mask, or the key of the masks that it shares. */
export type SharedSecret = 'mask' | 'key';

/** Whose secret a silo gives its share of. */
export interface SumShare {
  readonly of: number;
  /** Of survivors `mask`, of members that dropped out `key`; never both. */
  readonly secret: SharedSecret;
}

/**
 * One silo's view of who takes part in an attempt at a sum and who is left, without any cryptography. Each
 * step says why it is refused, or `null`. A silo signs one set for each sum, over all attempts, which whoever
 * holds these rules has to see to.
 */
export interface SurvivorRules {
  /** The members of the attempt. */
  join(members: readonly number[]): SetRefusal | null;
  /** The survivors, which the silo then signs. */
  sign(survivors: readonly number[]): SetRefusal | null;
  /** What the silo reveals once these survivors are known to have signed the same set. */
  reveal(signers: readonly number[]): SetRefusal | readonly SumShare[];
}

/**
 * The rules by which one silo follows a secure sum; they hold for the lifetime of one sum.
 *
 * @param own - Index of the silo whose view it is.
 */
export function survivorRules(
  { silos, survivors: least, threshold }: SumParameters,
  own: number,
): SurvivorRules {
  let members: readonly number[] = [];
  let survivors: readonly number[] | null = null;
  const isListed = (given: readonly number[], among: (silo: number) => boolean): boolean =>
    given.every((silo, i) => among(silo) && (i === 0 || silo > given[i - 1])) && given.includes(own);
  const wrong = (message: string): SetRefusal => ({ code: 'wrong-set', message });
  const few = (count: number, what: string): SetRefusal => ({
    code: 'few-survivors',
    message: `${count} silos ${what}; the plan needs ${least}`,
  });
  return {
    join(given) {
      if (members.length > 0 || !isListed(given, (silo) => silo >= 0 && silo < silos))
        return wrong('the silos of a sum are listed once, in order, with this one among them');
      if (given.length < least) return few(given.length, 'take part');
      members = [...given];
      return null;
    },
    sign(given) {
      if (!isListed(given, (silo) => members.includes(silo)))
        return wrong('survivors are silos that took part, listed once in order, this one among them');
      if (given.length < least) return few(given.length, 'survive');
      if (survivors !== null) return wrong('this silo has signed a set of survivors in this attempt before');
      survivors = [...given];
      return null;
    },
    reveal(signers) {
      if (survivors === null) return wrong('this silo has signed no set of survivors');
      const left = new Set(survivors);
      const count = new Set(signers.filter((silo) => left.has(silo))).size;
      if (count < threshold)
        return {
          code: 'few-signatures',
          message: `${count} of ${threshold} survivors have signed this set`,
        };
      return members.map((of) => ({ of, secret: left.has(of) ? 'mask' : 'key' }));
    },
  };
}
