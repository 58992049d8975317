import type { ZodSchema } from '@lethe/numerics';
import {
  defineLocalRandomiser,
  InvalidParameter,
  Unsupported,
  type Callable,
  type LocalRandomiser,
  type RandomSource,
  type ShuffleContext,
  type Vector,
} from '@lethe/core';
import type * as z from 'zod';
import { fairHeads } from './exact-bits.js';
import { fairBinomial } from './fair-binomial.js';
import { shuffledEvent } from './shuffle-context.js';

/**
 * Bits that one user sends: `dataBits` in all that depend on
 * the record, and `noiseBits` fair ones to each of `bins` counts.
 */
export interface Bits {
  readonly bins: number;
  readonly levels: number;
  readonly dataBits: number;
  readonly noiseBits: number;
}
/** Ones and zeros by bin. */
export interface Counts {
  readonly ones: Float64Array;
  readonly zeros: Float64Array;
}

/** A protocol whose analyser needs only the numbers of ones and zeros in each of a few bins. */
export interface CountedSum<Params> {
  bits(params: Params, context: ShuffleContext): Bits;
  /** Adds the data bits of a record, always `dataBits` of them. */
  addRecord(params: Params, bits: Bits, record: Vector, random: RandomSource, counts: Counts): void;
  /** Estimate of the sum from all bits, with the random bits of all users. */
  estimate(params: Params, bits: Bits, context: ShuffleContext, counts: Counts): Vector;
}

const noCounts = (bins: number): Counts => ({ ones: new Float64Array(bins), zeros: new Float64Array(bins) });

type Definition<Params extends ZodSchema> = Omit<
  LocalRandomiser<Params>,
  'kind' | 'messageCount' | 'randomise' | 'analyse' | 'simulateSum' | 'event'
>;

/**
 * A local randomiser that sends `2·bin + bit` for every bit. Only the numbers of ones and zeros in each bin
 * matter to the analyser, so that a simulation draws the fair bits of all users together as one binomial
 * number: work grows with users and dimension, not with messages.
 */
export function defineCountedSum<Params extends ZodSchema>(
  definition: Definition<Params>,
  stated: CountedSum<z.output<Params>>,
): Callable<LocalRandomiser<Params>> {
  const protocol = { ...stated, bits: remembering(stated) };
  return defineLocalRandomiser<Params>({
    ...definition,
    messageCount: (params, context) => messagesOf(protocol.bits(params, context)),
    randomise(params, context, record, random) {
      assertLength(record, context);
      const bits = protocol.bits(params, context);
      const { ones, zeros } = noCounts(bits.bins);
      const messages = new Uint32Array(messagesOf(bits));
      protocol.addRecord(params, bits, record, random, { ones, zeros });
      for (let bin = 0, at = 0; bin < bits.bins; bin++) {
        const heads = fairHeads(random, bits.noiseBits);
        const ends = at + ones[bin] + heads;
        messages.fill(2 * bin + 1, at, ends);
        messages.fill(2 * bin, ends, (at = ends + zeros[bin] + bits.noiseBits - heads));
      }
      return messages;
    },
    analyse(params, context, messages) {
      const bits = protocol.bits(params, context);
      const expected = context.users * messagesOf(bits);
      const counts = noCounts(bits.bins);
      if (messages.length !== expected)
        throw new InvalidParameter(
          `${messages.length} messages were given; ${context.users} users send ${expected}`,
          { messages: messages.length, expected },
        );
      for (const message of messages) {
        const bin = message >>> 1;
        if (bin >= bits.bins)
          throw new InvalidParameter(`a message ${message} was given; they are below ${2 * bits.bins}`, {
            message,
            below: 2 * bits.bins,
          });
        counts[message % 2 === 1 ? 'ones' : 'zeros'][bin]++;
      }
      return protocol.estimate(params, bits, context, counts);
    },
    simulateSum(params, context, records, random) {
      const bits = protocol.bits(params, context);
      const counts = noCounts(bits.bins);
      const noiseBits = context.users * bits.noiseBits;
      const data = random.fork('records');
      const noise = random.fork('coins');
      let users = 0;
      for (const record of records) {
        assertLength(record, context);
        protocol.addRecord(params, bits, record, data, counts);
        users++;
      }
      if (users !== context.users)
        throw new InvalidParameter(
          `${users} records were given for ${context.users} users; give one for each`,
          { records: users, users: context.users },
        );
      for (let bin = 0; bin < bits.bins; bin++)
        addBits(counts, bin, noiseBits, fairBinomial(noise, noiseBits));
      return protocol.estimate(params, bits, context, counts);
    },
    event(params, context) {
      const event = shuffledEvent(context);
      const each = messagesOf(protocol.bits(params, context));
      if (context.users * each > Number.MAX_SAFE_INTEGER)
        throw new Unsupported(
          `${context.users} users would send ${each} messages each, more than can be counted; ` +
            'with more honest users, each sends fewer',
          { users: context.users, messages: each },
        );
      return event;
    },
  });
}

/** Bits that are asked for once a user are worked out once: the proof's numbers are rounded outwards. */
function remembering<Params>({ bits }: CountedSum<Params>): CountedSum<Params>['bits'] {
  let last: { readonly key: string; readonly bits: Bits } | undefined;
  return (params, context) => {
    const { dimension, users, honestUsers, target } = context;
    // Numbers as text, which tells what is no number from what is infinite.
    const key = [dimension, users, honestUsers, ...Object.entries(target), JSON.stringify(params)].join(' ');
    if (last?.key !== key) last = { key, bits: bits(params, context) };
    return last.bits;
  };
}

function assertLength({ length }: Vector, { dimension }: ShuffleContext): void {
  if (length !== dimension)
    throw new InvalidParameter(`a record of length ${length} was given; the dimension is ${dimension}`, {
      length,
      dimension,
    });
}

const messagesOf = ({ bins, dataBits, noiseBits }: Bits): number => dataBits + bins * noiseBits;

/** Adds `levels` bits to a bin, `ones` of them ones. */
export function addBits(counts: Counts, bin: number, levels: number, ones: number): void {
  counts.ones[bin] += ones;
  counts.zeros[bin] += levels - ones;
}
