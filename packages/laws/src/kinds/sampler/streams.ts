import { accountants, bestOf } from '@lethe/accountants';
import {
  LetheError,
  randomFromKey,
  seededRandom,
  type PrivacyEvent,
  type RandomSource,
  type SampledStream,
} from '@lethe/core';
import fc from 'fast-check';
import { seeds } from '../../arbitraries/seeds.js';
import { audit } from '../../engines/audit.js';
import { boundedMean, pool } from '../../evidence/index.js';
import { fails, holds, skipped, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt, notRefused } from './declined.js';
import { badSlots } from './positions.js';
import {
  adversaries,
  frequentPatterns,
  matrices,
  mixtureRatio,
  noStream,
  patternsOf,
  streamFor,
  streamOf,
  sumsOf,
  type Adversary,
  type Matrix,
} from './stream-subjects.js';

type Sampler = Subject<'sampler'>;

/** Batches of streams are valid. */
export const streamBatches = defineLaw<'sampler'>({
  id: 'sampler/stream-batches',
  kind: 'sampler',
  tier: 'search',
  invariant: 'I-6',
  statement:
    'each batch of a stream has ascending positions in [0, slots); no slot takes part more often, or sooner ' +
    'after its last, than is declared; batches depend on the source, slots and steps alone, and the ' +
    'normaliser is positive and at most the number of slots',
  power: 'a violation with probability 0.02 for up to 40 slots and 30 steps',
  exempt: noStream,
  check(subject, env) {
    const { params } = subject;
    const stream = streamOf(subject);
    const answered = notRefused(
      badSlots.map((slots) => ({
        call: `a stream over ${slots} slots`,
        run: () => stream.begin(params, slots, 3, seededRandom('refused')),
        input: { slots: String(slots) },
      })),
    );
    if (answered !== undefined) return fails(1, answered);
    return env.forAll(
      fc.record({
        slots: fc.constantFrom(7, 0, 1, 2, 40),
        steps: fc.constantFrom(5, 1, 2, 3, 12, 30),
        seed: seeds,
      }),
      ({ slots, steps, seed }): Violation | undefined => {
        const key = seededRandom(seed).key();
        const next = stream.begin(params, slots, steps, randomFromKey(key, 'seeded'));
        const again = stream.begin(params, slots, steps, randomFromKey(key, 'secure'));
        const { times, gap } = stream.participation(params, steps);
        const normaliser = stream.normaliser(params, 40);
        if (!(normaliser > 0 && normaliser <= 40))
          return { what: `the normaliser of a stream over 40 slots is ${normaliser}`, measured: normaliser };
        const last = new Float64Array(slots).fill(-Infinity);
        const count = new Uint32Array(slots);
        for (let step = 0; step < steps; step++) {
          const batch = next();
          if (!(batch instanceof Uint32Array)) return { what: `the batch of step ${step} is no Uint32Array` };
          const text = batch.join();
          for (const [i, slot] of batch.entries()) {
            if (slot >= slots || (i > 0 && slot <= batch[i - 1]))
              return { what: `the positions ${text} of step ${step} do not ascend below ${slots}` };
            count[slot] += 1;
            if (count[slot] > times || step - last[slot] < gap)
              return {
                what:
                  `slot ${slot} takes part in step ${step}, its participation number ${count[slot]}, last in ` +
                  `step ${last[slot]}; declared are at most ${times}, at least ${gap} steps apart`,
                measured: step - last[slot],
                allowed: gap,
              };
            last[slot] = step;
          }
          batch.fill(0);
          const repeated = again().join();
          if (repeated !== text)
            return { what: `for equal randomness step ${step} takes ${text} and then ${repeated}` };
        }
        return undefined;
      },
      { runs: 120 },
    );
  },
});

/** Slots of streams are independent. */
export const streamIndependence = defineLaw<'sampler'>({
  id: 'sampler/stream-independence',
  kind: 'sampler',
  tier: 'statistical',
  invariant: 'I-6',
  statement: 'the steps of one slot of a stream are independent of those of another, for any slots',
  power: 'two slots that share a coin, of two, nine or 64 slots, within 3000 streams',
  exempt: noStream,
  check(subject, env) {
    const steps = 6;
    // Swapping a slot between two draws changes nothing for independent slots: differences are symmetric.
    const looks = [2, 9, 64].flatMap((slots) =>
      [1, -1].map((sign) => ({ slots, sign, process: boundedMean({ atMost: 0, lowest: -steps - 1 }) })),
    );
    const all = pool(looks.map(({ process }) => process));
    const random = env.random('streams');
    const agreement = (a: number, b: number): number => (bits(a & b) + (a === b ? 1 : 0)) / 2;
    const most = env.samples(3000);
    for (let i = 0; i < most; i++) {
      for (const { slots, sign, process } of looks) {
        const own = random.fork(`${slots} ${sign} ${i}`);
        const [one, two] = [own.fork(1), own.fork(2)].map((coins) => patternsOf(subject, slots, steps, coins));
        if (one === undefined || two === undefined) return skipped(`it refuses ${slots} slots`);
        const a = own.integer(slots);
        const b = (a + 1 + own.integer(slots - 1)) % slots;
        process.push(
          (sign *
            (agreement(one[a], one[b]) +
              agreement(two[a], two[b]) -
              agreement(one[a], two[b]) -
              agreement(two[a], one[b]))) /
            2,
        );
      }
      if (!all.rejects(env.alpha)) continue;
      const best = looks.reduce((top, look) => (look.process.logE > top.process.logE ? look : top));
      return fails(i + 1, {
        what:
          `two of ${best.slots} slots take part in the same steps ${best.sign > 0 ? 'more' : 'less'} often ` +
          'than independent ones',
        logE: all.peak,
        input: { slots: best.slots, steps },
      });
    }
    return holds(most);
  },
});

const bits = (pattern: number): number => pattern.toString(2).replaceAll('0', '').length;

interface Case {
  readonly matrix: Matrix;
  readonly stream: SampledStream;
  readonly event: PrivacyEvent;
  readonly adversary: Adversary;
}

/** Small streams that the sampler accounts, with what their slots send. */
function casesOf(subject: Sampler): readonly Case[] {
  const { params } = subject;
  return matrices.flatMap((matrix) =>
    [1, 2, 4].flatMap((steps) => {
      const stream = streamFor(matrix, steps, steps === 4 ? 2.5 : 1);
      const found = attempt(() => streamOf(subject).event(params, stream)['zero-out']);
      if (found.declined !== undefined || found.value === undefined) return [];
      const event = found.value;
      return (steps < 4 ? adversaries.slice(0, 1) : adversaries).map((adversary) => ({
        matrix,
        stream,
        event,
        adversary,
      }));
    }),
  );
}

const epsilons = [0.05, 0.5, 1.5];

/** Streams cost at most what is declared. */
export const streamCost = defineLaw<'sampler'>({
  id: 'sampler/stream-cost',
  kind: 'sampler',
  property: 'stream',
  tier: 'statistical',
  invariant: 'I-5',
  statement:
    'the sums of a slot that takes part in a stream, against the noise alone, differ by no more than the ' +
    'declared event says, in both directions, for increments that are equal, alternate, or depend on the sums',
  power:
    'a δ exceeded by 0.03 at ε of 0.05, 0.5 or 1.5, for matrices from the identity to the running sum of up ' +
    'to four steps that it does not refuse; the densities of the patterns drawn are the witness',
  exempt: noStream,
  check(subject, env) {
    const cases = casesOf(subject);
    if (cases.length === 0)
      return fails(1, { what: 'it accounts no stream, not even one with independent noise' });
    let samples = 0;
    const profiles = new Map<PrivacyEvent, (epsilon: number) => number>();
    for (const [i, { matrix, stream, event, adversary }] of cases.entries()) {
      const profile = profiles.get(event) ?? profileOf(event);
      profiles.set(event, profile);
      const patterns = drawnPatterns(subject, stream.steps, env.random(`patterns ${i}`));
      const finding = audit({
        draw: (neighbour, random) =>
          sumsOf(stream, adversary, neighbour === 1 ? 0 : patterns.next(), random),
        profile,
        epsilons,
        logRatio: mixtureRatio(
          stream,
          adversary,
          frequentPatterns(subject, stream.steps, env.random(`frequent ${stream.steps}`)),
        ),
        witnesses: () => [],
        pairs: env.samples(600),
        alpha: env.alpha / cases.length,
        random: env.random(`sums ${i}`),
        input: { matrix: matrix.name, steps: stream.steps, sigma: stream.sigma, increments: adversary.name },
      });
      samples += finding.samples;
      if (finding.verdict === 'fails') return finding;
    }
    return holds(samples);
  },
});

/** Fast ones; of mixtures contours are slow. */
const accountant = bestOf(accountants.filter(({ name }) => name !== 'saddle-point'));

/** Upper ends of δ, computed once for each ε. */
function profileOf(event: PrivacyEvent): (epsilon: number) => number {
  const known = new Map<number, number>();
  return (epsilon) => {
    const found =
      known.get(epsilon) ?? accountant.delta(event, { epsilon, adjacency: 'zero-out', kinds: [] }).upper;
    known.set(epsilon, found);
    return found;
  };
}

/** Patterns of one slot, drawn in advance. */
function drawnPatterns(subject: Sampler, steps: number, random: RandomSource): { next(): number } {
  const many = 1024;
  let drawn: Uint32Array = new Uint32Array(0);
  let at = 0;
  return {
    next() {
      if (at === drawn.length) {
        drawn = patternsOf(subject, many, steps, random.fork(at)) ?? new Uint32Array(many);
        random = random.fork('next');
        at = 0;
      }
      return drawn[at++];
    },
  };
}

/** Densities are those of the sums. */
export const streamRatio = defineLaw<'sampler'>({
  id: 'sampler/stream-ratio',
  kind: 'sampler',
  tier: 'statistical',
  invariant: 'I-5',
  statement:
    'the ratio of densities of a stream is that of the sums of a slot with increments of 1 and of the noise: ' +
    'the share of present slots among outputs is what it says, wherever one looks',
  power:
    'a share that is wrong by 0.04 on average, seen by the ratio itself and by the densities of the patterns ' +
    'drawn, for matrices that it does not refuse',
  exempt: (subject) =>
    noStream(subject) ?? (streamOf(subject).logRatio === undefined ? 'it has no densities' : undefined),
  check(subject, env) {
    let samples = 0;
    const found = matrices.flatMap((matrix) =>
      [2, 5].flatMap((steps) => {
        const stream = streamFor(matrix, steps, 1);
        const ratio = attempt(() => streamOf(subject).logRatio?.(subject.params, stream));
        return ratio.declined !== undefined || ratio.value === undefined
          ? []
          : [{ matrix, stream, logRatio: ratio.value }];
      }),
    );
    if (found.length === 0) return fails(1, { what: 'it has densities for no matrix, not even the identity' });
    for (const [i, { matrix, stream, logRatio }] of found.entries()) {
      const finding = calibrated(subject, stream, logRatio, {
        ...env,
        alpha: env.alpha / found.length,
        random: (label) => env.random(`${i} ${label}`),
      });
      samples += finding.samples;
      if (finding.verdict === 'fails')
        return fails(samples, { input: { matrix: matrix.name, steps: stream.steps }, ...finding.violation });
    }
    return holds(samples);
  },
});

function calibrated(
  subject: Sampler,
  stream: SampledStream,
  logRatio: (sums: Float64Array) => number,
  env: LawEnv,
): Finding {
  const witness = mixtureRatio(
    stream,
    adversaries[0],
    frequentPatterns(subject, stream.steps, env.random('frequent')),
  );
  const patterns = drawnPatterns(subject, stream.steps, env.random('patterns'));
  const random = env.random('outputs');
  const looks = ['everywhere', 'where the ratio is large', 'where the patterns say otherwise'].flatMap((name) =>
    [1, -1].map((sign) => ({ name, sign, process: boundedMean({ atMost: 0, lowest: -1 - 1e-9 }) })),
  );
  const all = pool(looks.map(({ process }) => process));
  const most = env.samples(4000);
  for (let i = 0; i < most; i++) {
    const isPresent = random.bits32() % 2 === 0;
    const sums = sumsOf(stream, adversaries[0], isPresent ? patterns.next() : 0, random.fork(i));
    const said = share(logRatio(sums));
    if (!(said >= 0 && said <= 1))
      return fails(i + 1, { what: `the ratio of densities is ${logRatio(sums)}`, input: Array.from(sums) });
    const other = share(witness(sums));
    const excess = (isPresent ? 1 : 0) - said;
    const weights = [1, said > 0.5 ? 1 : 0, Math.sign(other - said)];
    looks.forEach(({ sign, process }, k) => process.push(sign * excess * weights[k >> 1]));
    if (!all.rejects(env.alpha)) continue;
    const best = looks.reduce((top, look) => (look.process.logE > top.process.logE ? look : top));
    return fails(i + 1, {
      what: `present slots are ${best.sign > 0 ? 'more' : 'less'} frequent than the ratio says, ${best.name}`,
      logE: all.peak,
    });
  }
  return holds(most);
}

const share = (logRatio: number): number => 1 / (1 + Math.exp(-logRatio));

/** Refusals of streams are typed. */
export const streamRefusals = defineLaw<'sampler'>({
  id: 'sampler/stream-refusals',
  kind: 'sampler',
  tier: 'exact',
  statement:
    'a stream that is not accounted is refused with a typed error, ' +
    'before and after its densities are asked for',
  power: 'another error, for five matrices of 1 to 40 steps',
  exempt: noStream,
  check(subject) {
    let samples = 0;
    for (const matrix of matrices)
      for (const steps of [1, 3, 9]) {
        const stream = streamFor(matrix, steps, 1);
        const { event, logRatio } = streamOf(subject);
        for (const ask of [() => event(subject.params, stream), () => logRatio?.(subject.params, stream)]) {
          samples++;
          try {
            ask();
          } catch (error) {
            if (!(error instanceof LetheError))
              return fails(samples, {
                what: `${matrix.name} of ${steps} steps is refused with ${String(error)}, which is not typed`,
                cause: error,
              });
          }
        }
      }
    return holds(samples);
  },
});
