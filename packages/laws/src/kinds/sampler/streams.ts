import { accountants, bestOf, privacyLossDistribution } from '@lethe/accountants';
import { LetheError, seededRandom, type RandomSource, type SampledStream } from '@lethe/core';
import { randomFromKey } from '@lethe/numerics';
import fc from 'fast-check';
import { seeds } from '../../arbitraries/seeds.js';
import { boundedMean, pool } from '../../evidence/index.js';
import { fails, holds, skipped, type Finding, type Violation } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import { elsewhere } from '../../law/other-params.js';
import type { Subject } from '../../law/subject.js';
import { attempt, notRefused } from './declined.js';
import { badSlots } from './positions.js';
import {
  adversaries,
  frequenciesOf,
  jointFrequencies,
  jointProfile,
  matrices,
  noStream,
  patternRatios,
  patternsOf,
  streamFor,
  streamOf,
  streamProfile,
  type Adversary,
  type Frequencies,
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
    'each batch of a stream has ascending positions in [0, slots); no slot takes part more often, or ' +
    'sooner after its last, than is declared; batches depend on the source, slots and steps alone, and ' +
    'the normaliser is positive and at most the number of slots',
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
                  `slot ${slot} takes part in step ${step}, its participation number ${count[slot]}, ` +
                  `last in step ${last[slot]}; declared are at most ${times}, at least ${gap} steps apart`,
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

/** Steps before those that are counted, and as many as are. */
const [settling, counted] = [20, 10];
const sizeSlots = 64;
/** Relative error of the normaliser that is tolerated. */
const tolerated = 0.04;

/** Batches of streams are as large as the normaliser says. */
export const streamSizes = defineLaw<'sampler'>({
  id: 'sampler/stream-sizes',
  kind: 'sampler',
  tier: 'statistical',
  statement:
    'after twenty steps, batches of a stream over 64 slots have at most the size that the normaliser says ' +
    'on average, up to 4 %',
  power: 'a normaliser a tenth too small, within 600 streams',
  exempt: noStream,
  check(subject, env) {
    const { params } = subject;
    const stream = streamOf(subject);
    const expected = stream.normaliser(params, sizeSlots);
    if (expected * (1 + tolerated) >= sizeSlots) return skipped('its batches hold every slot');
    const process = boundedMean({ atMost: expected * (1 + tolerated), lowest: 0, highest: sizeSlots });
    const random = env.random('streams');
    const most = env.samples(600);
    let total = 0;
    for (let i = 1; i <= most; i++) {
      const next = stream.begin(params, sizeSlots, settling + counted, random.fork(i));
      const sizes = Array.from({ length: settling + counted }, () => next().length).slice(settling);
      const size = sizes.reduce((sum, one) => sum + one, 0) / counted;
      total += size;
      process.push(size);
      if (process.rejects(env.alpha))
        return fails(i, {
          what:
            `batches of a stream over ${sizeSlots} slots have ${total / i} on average; ` +
            `the normaliser is ${expected}`,
          measured: total / i,
          allowed: expected,
          logE: process.peak,
        });
    }
    return holds(most);
  },
});

/** Slots of streams are independent. */
export const streamIndependence = defineLaw<'sampler'>({
  id: 'sampler/stream-independence',
  kind: 'sampler',
  tier: 'statistical',
  invariant: 'I-6',
  statement: 'the steps of one slot of a stream are independent of those of another, for any slots',
  power: 'two slots that share a draw, of two, nine or 64 slots, within 3000 streams',
  exempt: (subject) =>
    noStream(subject) ??
    (streamOf(subject).isJoint === true ? 'it declares that slots may displace each other' : undefined),
  check(subject, env) {
    const steps = 6;
    // Swapping a slot between two draws changes nothing for independent slots: differences are symmetric.
    const looks = [2, 9, 64].flatMap((slots) =>
      [1, -1].map((sign) => ({
        slots,
        sign,
        process: boundedMean({ atMost: 0, lowest: -steps - 1, highest: steps + 1 }),
      })),
    );
    const all = pool(looks.map(({ process }) => process));
    const random = env.random('streams');
    const agreement = (a: number, b: number): number => (bits(a & b) + (a === b ? 1 : 0)) / 2;
    const most = env.samples(3000);
    for (let i = 0; i < most; i++) {
      for (const { slots, sign, process } of looks) {
        const own = random.fork(`${slots} ${sign} ${i}`);
        const [one, two] = [own.fork(1), own.fork(2)].map((randomness) =>
          patternsOf(subject, slots, steps, randomness),
        );
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
          `two of ${best.slots} slots take part in the same steps ` +
          `${best.sign > 0 ? 'more' : 'less'} often than independent ones`,
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
  /** By adjacency; an adjacency that is not supported is absent. */
  readonly profiles: { readonly [A in Compared]?: (epsilon: number) => number };
}
/** Whether a slot is null in one data set, or opposite. */
type Compared = 'zero-out' | 'replace-one';

/** Fast ones: of mixtures contours are slow, and a wide answer differs by less than the law can see. */
const accountant = bestOf(
  accountants
    .filter(({ name }) => name !== 'saddle-point')
    .map((one) => (one.name === 'pld' ? privacyLossDistribution({ width: 1e-3 }) : one)),
);
const epsilons = [0, 0.5, 1.5, 3];

/** Small streams that the sampler accounts, with the upper ends of their δ. */
function casesOf(
  subject: Sampler,
  {
    among = matrices,
    lengths = [1, 2, 3],
  }: { readonly among?: readonly Matrix[]; readonly lengths?: readonly number[] } = {},
): readonly Case[] {
  const { params } = subject;
  return among.flatMap((matrix) =>
    lengths.flatMap((steps) => {
      if (steps === 3 && matrix.coefficients.length === 1) return [];
      const stream = streamFor(matrix, steps, steps === 3 ? 0.7 : 1);
      const found = attempt(() => streamOf(subject).event(params, stream));
      if (found.declined !== undefined) return [];
      const events = found.value;
      const profiles = Object.fromEntries(
        (['zero-out', 'replace-one'] as const).flatMap((adjacency) => {
          const event = events[adjacency];
          // Opposite increments are tried in two steps at most.
          if (event === undefined || (adjacency === 'replace-one' && steps === 3)) return [];
          const profile = (epsilon: number): number =>
            accountant.delta(event, { epsilon, adjacency, kinds: [] }).upper;
          return [[adjacency, profile]];
        }),
      );
      return Object.keys(profiles).length === 0 ? [] : [{ matrix, stream, profiles }];
    }),
  );
}

/** Alternating increments are tried in two steps, those against the sums in three, too. */
const adversariesOf = (steps: number): readonly Adversary[] =>
  adversaries.filter((_one, i) => i < steps && (steps < 3 || i !== 1));

/** Streams cost at most what is declared. */
export const streamCost = defineLaw<'sampler'>({
  id: 'sampler/stream-cost',
  kind: 'sampler',
  property: 'stream',
  tier: 'statistical',
  invariant: 'I-5',
  statement:
    'the sums of a slot that takes part in a stream, against the noise alone, ' +
    'differ by no more than the declared event says, in both directions, ' +
    'for increments that are equal, alternate, or depend on the sums, and, where slots displace each ' +
    'other, for other slots that send nothing, the same or the opposite; a slot that is replaced is ' +
    'compared with its opposite',
  power:
    'a δ exceeded by 0.02 at ε of 0, 0.5, 1.5 or 3, for matrices from the identity to the running sum of ' +
    'up to three steps that it does not refuse: by quadrature, for the frequencies of 400 000 patterns; by ' +
    '0.08 at ε = 0 for slots that displace each other, of three or four, in one and two steps',
  exempt: noStream,
  check(subject, env) {
    if (streamOf(subject).isJoint === true) return jointCost(subject, env);
    const cases = casesOf(subject);
    if (cases.length === 0)
      return fails(1, { what: 'it accounts no stream, not even one with independent noise' });
    // A slot that is replaced costs most where it takes part nearly always: at other parameters too.
    const others = elsewhere(subject, 2);
    const near = { among: matrices.slice(1, 2), lengths: [2] };
    for (const [at, { moved, found, only }] of [
      { moved: subject, found: cases, only: undefined },
      ...others.map((other) => ({ moved: other, found: casesOf(other, near), only: 'replace-one' })),
    ].entries()) {
      const violation = exceeded(moved, found, { alpha: env.alpha / (3 + others.length), only }, (steps) =>
        env.random(at === 0 ? `patterns ${steps}` : `patterns ${steps} elsewhere ${at}`),
      );
      if (violation !== undefined) return fails(cases.length, violation);
    }
    return holds(cases.length);
  },
});

/** A slot whose δ exceeds what is declared, for drawn patterns. */
function exceeded(
  subject: Sampler,
  cases: readonly Case[],
  { alpha, only }: { readonly alpha: number; readonly only: string | undefined },
  randomFor: (steps: number) => RandomSource,
): Violation | undefined {
  const frequencies = new Map<number, Frequencies>();
  for (const { matrix, stream, profiles } of cases) {
    const { steps } = stream;
    const found = frequencies.get(steps) ?? frequenciesOf(subject, steps, alpha, randomFor(steps));
    frequencies.set(steps, found);
    const allowed = 2e-3 + found.variation;
    for (const [adjacency, profile] of Object.entries(profiles)) {
      if (only !== undefined && only !== adjacency) continue;
      const isReplaced = adjacency === 'replace-one';
      const claimed = epsilons.map(profile);
      if (claimed.every((delta) => delta >= 0.999)) continue;
      for (const adversary of isReplaced ? adversaries.slice(0, 1) : adversariesOf(steps)) {
        const attained = streamProfile(stream, adversary, { ...found, isReplaced }, epsilons);
        for (const [direction, deltas] of Object.entries(attained)) {
          const slope = (epsilon: number): number =>
            (isReplaced || direction === 'present' ? 1 : 0) +
            (isReplaced || direction === 'absent' ? Math.exp(epsilon) : 0);
          const k = epsilons.findIndex((epsilon, at) => deltas[at] > claimed[at] + allowed * slope(epsilon));
          if (k < 0) continue;
          return {
            what:
              `a slot that is ${isReplaced ? 'replaced' : direction} in a stream of ${steps} steps has ` +
              `δ(${epsilons[k]}) = ${deltas[k]}; the event declares ${claimed[k]}`,
            measured: deltas[k],
            allowed: claimed[k],
            input: {
              params: subject.params,
              matrix: matrix.name,
              steps,
              sigma: stream.sigma,
              increments: adversary.name,
              adjacency,
            },
          };
        }
      }
    }
  }
  return undefined;
}

/** The cost of slots that may displace each other: of one of a few. */
function jointCost(subject: Sampler, env: LawEnv): Finding {
  const { params } = subject;
  let samples = 0;
  for (const { slots, of } of [
    { slots: 3, of: 0 },
    { slots: 4, of: 1 },
  ])
    for (const steps of [1, 2]) {
      const cases = matrices.flatMap((matrix) => {
        const stream = { ...streamFor(matrix, steps, 1), slots };
        const found = attempt(() => streamOf(subject).event(params, stream)['zero-out']);
        if (found.declined !== undefined || found.value === undefined) return [];
        const event = found.value;
        const claimed = epsilons.map(
          (epsilon) => accountant.delta(event, { epsilon, adjacency: 'zero-out', kinds: [] }).upper,
        );
        return claimed.every((delta) => delta >= 0.999) ? [] : [{ matrix, stream, claimed }];
      });
      if (cases.length === 0) continue;
      const { outcomes, variation } = jointFrequencies(
        subject,
        { slots, steps, of },
        env.alpha / 4,
        env.random(`joint ${slots} ${steps}`),
      );
      for (const { matrix, stream, claimed } of cases)
        for (const others of [0, 1, -1]) {
          samples++;
          for (const [direction, deltas] of Object.entries(
            jointProfile(stream, outcomes, others, epsilons),
          )) {
            const k = epsilons.findIndex(
              (epsilon, at) => deltas[at] > claimed[at] + 2e-3 + variation * (1 + Math.exp(epsilon)),
            );
            if (k < 0) continue;
            return fails(samples, {
              what:
                `slot ${of} of ${slots}, ${direction} in a stream of ${steps} steps, has δ(${epsilons[k]}) ` +
                `= ${deltas[k]}; the event declares ${claimed[k]}`,
              measured: deltas[k],
              allowed: claimed[k],
              input: { matrix: matrix.name, steps, slots, others },
            });
          }
        }
    }
  return samples === 0
    ? fails(1, { what: 'it accounts no stream, not even one with independent noise' })
    : holds(samples);
}

/** Densities are those of the sums. */
export const streamRatio = defineLaw<'sampler'>({
  id: 'sampler/stream-ratio',
  kind: 'sampler',
  tier: 'statistical',
  invariant: 'I-5',
  statement:
    'the ratio of densities of a stream is that of the sums of a slot with increments of 1 and of the noise',
  power:
    'a pattern whose probability is wrong by 0.015, by 400 000 patterns, ' +
    'at 60 outputs of each matrix that it does not refuse',
  exempt: (subject) =>
    noStream(subject) ?? (streamOf(subject).logRatio === undefined ? 'it has no densities' : undefined),
  check(subject, env) {
    if (streamOf(subject).isJoint === true)
      return fails(1, {
        what: 'it has densities of one slot, and declares that slots may displace each other',
      });
    let samples = 0;
    const frequencies = new Map<number, Frequencies>();
    for (const matrix of matrices)
      for (const [steps, sigma] of [
        [1, 1],
        [2, 0.75],
        [5, 1.5],
      ] as const) {
        const stream = streamFor(matrix, steps, sigma);
        const found = attempt(() => streamOf(subject).logRatio?.(subject.params, stream));
        if (found.declined !== undefined || found.value === undefined) continue;
        const of =
          frequencies.get(steps) ??
          frequenciesOf(subject, steps, env.alpha / 3, env.random(`patterns ${steps}`));
        frequencies.set(steps, of);
        const { shares, margin } = of;
        const ratios = patternRatios(stream, adversaries[0]);
        const each = new Float64Array(shares.length);
        const random = env.random(`outputs ${steps}`);
        for (let i = 0; i < 60; i++) {
          samples++;
          const sums = random.gaussianInto(new Float64Array(steps)).map((z) => 2 * sigma * z);
          ratios(sums, each);
          const said = Math.exp(found.value(sums));
          const drawn = each.reduce((sum, ratio, pattern) => sum + shares[pattern] * ratio, 0);
          const allowed = margin * each.reduce((sum, ratio) => sum + ratio, 0);
          if (Math.abs(said - drawn) <= allowed + 1e-9 * drawn) continue;
          return fails(samples, {
            what: `the ratio of densities is ${said}; by the patterns drawn it is ${drawn} ± ${allowed}`,
            measured: said,
            allowed: drawn,
            input: { matrix: matrix.name, steps, sigma, sums: Array.from(sums) },
          });
        }
      }
    return samples === 0
      ? fails(1, { what: 'it has densities for no matrix, not even the identity' })
      : holds(samples);
  },
});

/** Moments are at least those of what a slot sends. */
export const streamMoment = defineLaw<'sampler'>({
  id: 'sampler/stream-moment',
  kind: 'sampler',
  tier: 'statistical',
  invariant: 'I-5',
  statement: 'the moments of a stream are at least E exp(λ‖Cx‖²) of a slot with increments of 1, and convex',
  power:
    'a moment below by 0.02 of its largest value, by 400 000 patterns, at five λ from 0.05 to 3, for each ' +
    'matrix of up to five steps that it does not refuse',
  exempt: (subject) =>
    noStream(subject) ??
    (streamOf(subject).logMoment === undefined ? 'it leaves moments to the largest norm' : undefined),
  check(subject, env) {
    let samples = 0;
    const lambdas = [0.05, 0.2, 0.5, 1, 3];
    for (const steps of [1, 2, 5]) {
      const { shares, margin } = frequenciesOf(
        subject,
        steps,
        env.alpha / 3,
        env.random(`patterns ${steps}`),
      );
      for (const matrix of matrices) {
        const stream = streamFor(matrix, steps, 1);
        const found = attempt(() => streamOf(subject).logMoment?.(subject.params, stream));
        if (found.declined !== undefined || found.value === undefined) continue;
        const said = lambdas.map(found.value);
        for (const [i, lambda] of lambdas.entries()) {
          samples++;
          const values = Array.from(shares, (_, pattern) => Math.exp(lambda * squareOf(stream, pattern)));
          const least =
            values.reduce((sum, value, pattern) => sum + shares[pattern] * value, 0) -
            margin * values.reduce((sum, value) => sum + value, 0);
          const between = i === 0 ? undefined : found.value((lambdas[i - 1] + lambda) / 2);
          const isConvex = between === undefined || between <= (said[i - 1] + said[i]) / 2 + 1e-9;
          if (said[i] >= Math.log(Math.max(1, least)) - 1e-9 && isConvex) continue;
          return fails(samples, {
            what:
              `log E exp(${lambda}‖Cx‖²) is said to be ${said[i]} at most; by the patterns drawn it is ` +
              `${Math.log(least)} at least${isConvex ? '' : ', and what is said is not convex'}`,
            measured: said[i],
            allowed: Math.log(least),
            input: { matrix: matrix.name, steps, lambda },
          });
        }
      }
    }
    return samples === 0 ? fails(1, { what: 'it has moments for no matrix' }) : holds(samples);
  },
});

/** `‖Cx‖²` for increments of 1 at the steps of a pattern. */
function squareOf({ steps, encoder }: SampledStream, pattern: number): number {
  let square = 0;
  for (let row = 0; row < steps; row++) {
    let sum = 0;
    for (let j = 0; j <= row; j++) if ((pattern & (1 << j)) !== 0) sum += encoder(row, j);
    square += sum * sum;
  }
  return square;
}

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
