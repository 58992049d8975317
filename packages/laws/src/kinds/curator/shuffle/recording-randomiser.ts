import {
  defineLocalRandomiser,
  type LocalRandomiser,
  type RandomSource,
  type Registry,
  type ShuffleContext,
} from '@lethe/core';
import { none, plain, type Observer } from '../stand-ins/common.js';

/** Number of values per kind of message. */
const room = 2 ** 20;

/** Calls of a fake local randomiser, in order, with their arguments. */
export interface Transcript {
  readonly charged: ShuffleContext[];
  readonly randomised: { readonly context: ShuffleContext; readonly record: readonly number[] }[];
  readonly analysed: { readonly context: ShuffleContext; readonly messages: Uint32Array }[];
  readonly simulated: {
    readonly context: ShuffleContext;
    readonly records: readonly (readonly number[])[];
  }[];
}
export const emptyTranscript = (): Transcript => ({
  charged: [],
  randomised: [],
  analysed: [],
  simulated: [],
});

/** Options of a {@link recordingRandomiser}. */
export interface RecordingOptions {
  readonly simulates?: boolean;
  readonly messages?: number;
  readonly bug?: Partial<Omit<LocalRandomiser<typeof none>, 'kind' | 'params'>>;
  readonly observe?: Observer;
}

/**
 * A local randomiser without randomisation: one message for each entry of a record, an integer below 2²⁰, and
 * one of random bits. The sum is exact. It costs ε = 1/4 and δ = 10⁻⁶, for the honest users of its context.
 */
export function recordingRandomiser(
  transcript: Transcript,
  { simulates = false, messages, bug = {}, observe = () => undefined }: RecordingOptions = {},
): Registry {
  return [
    defineLocalRandomiser({
      ...plain,
      name: 'laws/recording',
      params: none,
      messageCount: (_params, { dimension }) => messages ?? dimension + 1,
      randomise(_params, context, record, random) {
        observe({ did: 'read' });
        transcript.randomised.push({ context, record: Array.from(record) });
        return Uint32Array.of(
          ...Array.from(record, (x, j) => j * room + x),
          record.length * room + random.integer(room),
        );
      },
      analyse(_params, context, all) {
        transcript.analysed.push({ context, messages: all.slice() });
        const sum = new Float64Array(context.dimension);
        for (const message of all)
          if (message < context.dimension * room) sum[Math.floor(message / room)] += message % room;
        return sum;
      },
      event(_params, context) {
        transcript.charged.push(context);
        return { kind: 'core/shuffled', v: 1, epsilon: 0.25, delta: 1e-6, honestUsers: context.honestUsers };
      },
      ...(simulates
        ? {
            simulateSum(
              _params: unknown,
              context: ShuffleContext,
              records: Iterable<Float64Array>,
              _random: RandomSource,
            ) {
              const rows = Array.from(records, (record) => Array.from(record));
              transcript.simulated.push({ context, records: rows });
              return Float64Array.from({ length: context.dimension }, (_, j) =>
                rows.reduce((sum, row) => sum + row[j], 0),
              );
            },
          }
        : {}),
      ...bug,
    }),
  ];
}

/** The random bits of all users, from the messages in any order. */
export const randomnessIn = ({
  context: { dimension },
  messages,
}: Transcript['analysed'][number]): readonly number[] =>
  Array.from(messages).filter((message) => message >= dimension * room);
