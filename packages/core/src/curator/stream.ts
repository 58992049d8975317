import type { StoredStream } from '../ledger/index.js';
import type { Mechanism } from '../plugins/mechanism.js';
import type { PrefixSum, PrefixSumRun } from '../plugins/prefix-sum.js';
import { resolvePlugin, type Registry } from '../plugins/registry.js';
import type { Vector } from '../query/query.js';
import type { RandomSource } from '@lethe/numerics';
import { createParticipants, type Participants } from './participation.js';

/** A live stream. It keeps no data: only how many increments it has had, from whom, and its noise. */
export interface OpenStream extends StoredStream {
  readonly participants: Participants;
  /** Increments so far. */
  pushed: number;
  /** Adds `scale · ((Bz)_t − (Bz)_{t−1})` for the step `t = pushed`. */
  addNoise(increment: Vector): void;
}

export function openStream(
  stored: StoredStream,
  slots: number,
  registry: Registry,
  randomness: RandomSource,
): OpenStream {
  const rows = randomness.fork('rows');
  let run: PrefixSumRun | undefined;
  let at = 0;
  const noise = new Float64Array(stored.dimension);
  return {
    ...stored,
    participants: createParticipants(slots, stored.participation),
    pushed: 0,
    addNoise(increment) {
      if (stored.scale === 0) return;
      const mechanism = resolvePlugin<Mechanism>(registry, stored.noise.mechanism);
      const { plugin, params } = resolvePlugin<PrefixSum>(registry, stored.prefixSum);
      const row = (s: number, out: Vector): void => {
        out.fill(0);
        mechanism.plugin.addNoise(mechanism.params, out, 1, rows.fork(s));
      };
      if (run === undefined || at !== this.pushed) {
        run = plugin.begin(params, stored);
        at = 0;
      }
      // What the factorisation keeps between steps is rebuilt from the coins after a resume.
      while (at <= this.pushed) {
        run.nextInto(noise, row);
        at += 1;
      }
      for (let j = 0; j < increment.length; j++) increment[j] += stored.scale * noise[j];
    },
  };
}
