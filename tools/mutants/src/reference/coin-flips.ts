import { defineLocalRandomiser, InvalidParameter, Unsupported, type LocalRandomiser, type ShuffleContext } from '@lethe/core';
import { z } from 'zod';

/** What the bugs of the corpus change. */
export interface CoinFlipBugs {
  /** Messages left out by users whose record is zero. */
  readonly silentZero?: boolean;
  /** Claimed ε over the true one. */
  readonly understated?: number;
  /** The estimate is not corrected for the lies. */
  readonly uncorrected?: boolean;
  /** The first messages count twice. */
  readonly firstTwice?: boolean;
  /** The event does not ask how many users are honest. */
  readonly trusting?: boolean;
  /** The answer is never a lie. */
  readonly honest?: boolean;
}

/** Of so many draws, each message lies once. */
const params = z.strictObject({ bound: z.number().positive(), lies: z.int().min(3) });

function checked({ users, honestUsers, target }: ShuffleContext): void {
  if (!(Number.isSafeInteger(honestUsers) && honestUsers >= 1 && honestUsers <= users)) throw new InvalidParameter(`honestUsers is ${honestUsers}; it must be a whole number from 1 to the ${users} users`, { honestUsers });
  if (!('epsilon' in target)) throw new Unsupported('randomised response has its own ε; give a target (ε, δ)', {});
}

/**
 * Randomised response: each entry of a record is rounded to ±bound at random, on a grid of quarters, and its sign is then told, but
 * reversed in one of `lies` cases. Message `2j + 1` says "plus" of entry `j`. Each entry costs `ln(lies − 1)`; nothing is claimed of the shuffling.
 */
export const coinFlips = (bugs: CoinFlipBugs = {}) => defineLocalRandomiser({
  name: 'coin-flips', summary: 'Randomised response by coordinate.', source: { id: 'lethe', item: 'reference' }, params, examples: [{ bound: 1, lies: 4 }, { bound: 2, lies: 3 }],
  claims: [{ property: 'unbiased', statement: 'the estimate is the sum of the records, on average, for entries on the grid of quarters of the bound' }],
  messageCount: (_params, { dimension }) => dimension,
  randomise({ bound, lies }, { dimension }, record, random) {
    if (bugs.silentZero === true && record.every((entry) => entry === 0)) return new Uint32Array(0);
    return Uint32Array.from({ length: dimension }, (_, j) => {
      const step = Math.round(((Math.max(-bound, Math.min(bound, record[j]! * Math.sqrt(dimension))) / bound + 1) / 2) * 8);
      const isPlus = random.integer(8) < step, lie = random.integer(lies) === 0 && bugs.honest !== true;
      return 2 * j + Number(isPlus !== lie);
    });
  },
  analyse({ bound, lies }, { dimension }, messages) {
    const estimate = new Float64Array(dimension), unit = (bound / Math.sqrt(dimension)) * (bugs.uncorrected === true ? 1 : lies / (lies - 2));
    messages.forEach((message, i) => { estimate[message >> 1]! += (message % 2 === 1 ? unit : -unit) * (bugs.firstTwice === true && i === 0 ? 2 : 1); });
    return estimate;
  },
  event({ lies }, context) {
    if (bugs.trusting !== true) checked(context);
    return { kind: 'core/pure', v: 1, epsilon: context.dimension * Math.log(lies - 1) * (1 + 2 ** -40) * (bugs.understated ?? 1) } as ReturnType<LocalRandomiser['event']>;
  },
});
