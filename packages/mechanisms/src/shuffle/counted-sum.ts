import { defineLocalRandomiser, InvalidParameter, type Callable, type LocalRandomiser, type RandomSource, type ShuffleContext, type Vector } from '@lethe/core';
import type { z } from 'zod';
import { fairHeads } from './exact-coins.js';
import { shuffledEvent } from './shuffle-context.js';

/** Bits that one user sends: `dataBits` in all that depend on the record, and `coins` fair ones to each of `bins` counts. */
export interface Bits { readonly bins: number; readonly levels: number; readonly dataBits: number; readonly coins: number }
/** Ones and zeros by bin. */
export interface Counts { readonly ones: Float64Array; readonly zeros: Float64Array }

/** A protocol that needs of all messages only how many ones and zeros there are in each of a few bins. */
export interface CountedSum<Params> {
  bits(params: Params, context: ShuffleContext): Bits;
  /** Adds the bits of a record that carry data, `dataBits` whatever the record. */
  addRecord(params: Params, bits: Bits, record: Vector, random: RandomSource, counts: Counts): void;
  /** Estimate of the sum from all bits, the coins of all users included. */
  estimate(params: Params, bits: Bits, context: ShuffleContext, counts: Counts): Vector;
}

export const noCounts = (bins: number): Counts => ({ ones: new Float64Array(bins), zeros: new Float64Array(bins) });

const protocols = new WeakMap<object, CountedSum<unknown>>();
/** The counts behind a randomiser, where it is one of these. */
export const countedSumOf = (plugin: object): CountedSum<unknown> | undefined => protocols.get(plugin);

type Definition<Params extends z.ZodType> = Omit<LocalRandomiser<Params>, 'kind' | 'messageCount' | 'randomise' | 'analyse' | 'event'>;

/** A local randomiser that sends `2·bin + bit` for every bit. */
export function defineCountedSum<Params extends z.ZodType>(definition: Definition<Params>, protocol: CountedSum<z.output<Params>>): Callable<LocalRandomiser<Params>> {
  const plugin = defineLocalRandomiser<Params>({
    ...definition,
    messageCount: (params, context) => messagesOf(protocol.bits(params, context)),
    randomise(params, context, record, random) {
      if (record.length !== context.dimension) throw new InvalidParameter(`a record of length ${record.length} was given; the dimension is ${context.dimension}`, { length: record.length, dimension: context.dimension });
      const bits = protocol.bits(params, context), { ones, zeros } = noCounts(bits.bins), messages = new Uint32Array(messagesOf(bits));
      protocol.addRecord(params, bits, record, random, { ones, zeros });
      for (let bin = 0, at = 0; bin < bits.bins; bin++) {
        const heads = fairHeads(random, bits.coins), ends = at + ones[bin] + heads;
        messages.fill(2 * bin + 1, at, ends);
        messages.fill(2 * bin, ends, at = ends + zeros[bin] + bits.coins - heads);
      }
      return messages;
    },
    analyse(params, context, messages) {
      const bits = protocol.bits(params, context), expected = context.users * messagesOf(bits), counts = noCounts(bits.bins);
      if (messages.length !== expected) throw new InvalidParameter(`${messages.length} messages were given; ${context.users} users send ${expected}`, { messages: messages.length, expected });
      for (const message of messages) {
        const bin = message >>> 1;
        if (bin >= bits.bins) throw new InvalidParameter(`a message ${message} was given; they are below ${2 * bits.bins}`, { message, below: 2 * bits.bins });
        counts[message % 2 === 1 ? 'ones' : 'zeros'][bin]++;
      }
      return protocol.estimate(params, bits, context, counts);
    },
    event(params, context) {
      const event = shuffledEvent(context);
      protocol.bits(params, context);
      return event;
    },
  });
  protocols.set(plugin, protocol as CountedSum<unknown>);
  return plugin;
}

const messagesOf = ({ bins, dataBits, coins }: Bits): number => dataBits + bins * coins;

/** Adds `levels` bits to a bin, `ones` of them ones. */
export function addBits(counts: Counts, bin: number, levels: number, ones: number): void {
  counts.ones[bin] += ones;
  counts.zeros[bin] += levels - ones;
}
