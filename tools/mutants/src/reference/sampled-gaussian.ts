import { defineEvent, dominatingPair, type Adjacency, type Claim, type RandomSource } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import type { ReleaseSubject, Subject } from '@lethe/laws';
import { poisson } from '@lethe/mechanisms';
import * as z from 'zod';

/** Noisy sums over batches: standard deviation `sigma`, entries of absolute value at most 1. */
interface Shape {
  readonly steps: number;
  readonly rate: number;
  readonly sigma: number;
}

const schema = z.strictObject({
  kind: z.literal('mutants/sampled-gaussian'),
  v: z.literal(1),
  steps: z.int().positive(),
  rate: z.number().positive().max(1),
  sigma: z.number().positive(),
});

/** Grid of the privacy loss; coarse, rounded up. */
const grain = 1 / 128;

/** Masses at multiples of the grain from `first`, and the mass above them. */
interface Losses {
  readonly first: number;
  readonly masses: Float64Array;
  readonly beyond: number;
}

/** The privacy loss of one step in one direction, each value rounded up to the grid. */
function stepLosses({ rate, sigma }: Shape, direction: 'remove' | 'add'): Losses {
  const sign = direction === 'remove' ? 1 : -1;
  const reach = 40;
  // Loss of `x` for presence over absence, log(1 − q + q e^((2x − 1)/2σ²)), rises from log(1 − q).
  const at = (loss: number): number => sigma * sigma * Math.log((Math.exp(loss) - (1 - rate)) / rate) + 0.5;
  const cdf = (x: number): number =>
    direction === 'remove'
      ? (1 - rate) * normalCdf(x / sigma) + rate * normalCdf((x - 1) / sigma)
      : normalCdf(x / sigma);
  const floor = Math.log1p(-rate);
  const upTo = (loss: number): number => {
    if (sign > 0) return loss <= floor ? 0 : cdf(at(loss));
    return -loss <= floor ? 1 : 1 - cdf(at(-loss));
  };
  const first = Math.floor((sign > 0 ? floor : -reach) / grain);
  const last = Math.ceil((sign > 0 ? reach : -floor) / grain);
  const masses = Float64Array.from({ length: last - first + 1 }, (_, k) =>
    Math.max(0, upTo((first + k) * grain) - (k === 0 ? 0 : upTo((first + k - 1) * grain))),
  );
  return trimmed({ first, masses, beyond: Math.max(0, 1 - upTo(last * grain)) });
}

/** Masses at the upper end that do not matter count as infinite losses. */
function trimmed({ first, masses, beyond }: Losses): Losses {
  const end = 1 + masses.findLastIndex((mass) => mass > 1e-18);
  return {
    first,
    masses: masses.subarray(0, end),
    beyond: masses.subarray(end).reduce((sum, mass) => sum + mass, beyond),
  };
}

function together(a: Losses, b: Losses): Losses {
  const masses = new Float64Array(a.masses.length + b.masses.length - 1);
  for (let i = 0; i < a.masses.length; i++) {
    const mass = a.masses[i];
    if (mass > 1e-18) for (let j = 0; j < b.masses.length; j++) masses[i + j] += mass * b.masses[j];
  }
  return trimmed({ first: a.first + b.first, masses, beyond: a.beyond + b.beyond + 1e-12 });
}

function deltaOf({ first, masses, beyond }: Losses, epsilon: number): number {
  return (
    masses.reduce(
      (sum, mass, k) => sum + mass * Math.max(0, -Math.expm1(epsilon - (first + k) * grain)),
      beyond,
    ) *
    (1 + 1e-12)
  );
}

const memory = new Map<string, Losses>();
function losses(shape: Shape, direction: 'remove' | 'add'): Losses {
  const key = JSON.stringify([shape.steps, shape.rate, shape.sigma, direction]);
  let known = memory.get(key);
  if (known === undefined) {
    const one = stepLosses(shape, direction);
    known = one;
    for (let step = 1; step < shape.steps; step++) known = together(one, known);
    memory.set(key, known);
  }
  return known;
}

/** Steps on independent Poisson samples, by the privacy-loss distribution rounded up. */
export const sampledGaussianEvent = defineEvent({
  name: 'mutants/sampled-gaussian',
  version: 1,
  summary: 'Gaussian sums over Poisson samples.',
  source: { id: 'chua-et-al-2024', item: 'Poisson subsampling' },
  claims: [],
  schema,
  characterise: {
    pair: (event) =>
      (['remove', 'add'] as const).map((direction) =>
        dominatingPair(direction, {
          hockeyStick: (epsilon) => ({
            lower: 0,
            upper: Math.min(1, deltaOf(losses(event, direction), epsilon)),
          }),
          infinite: losses(event, direction).beyond,
          support: { least: -Infinity, most: Infinity },
        }),
      ),
  },
});

const claims: readonly Claim[] = [
  {
    property: 'hockey-stick',
    statement: 'at most the privacy loss of Gaussian sums over independent Poisson samples',
  },
];

/** Noisy sums over `steps` batches of the records. */
export function noisySums(
  records: readonly (number | null)[],
  batches: readonly Uint32Array[],
  sigma: number,
  random: RandomSource,
): Float64Array {
  const out = random.gaussianInto(new Float64Array(batches.length));
  return out.map((noise, t) => sigma * noise + batches[t].reduce((sum, i) => sum + (records[i] ?? 0), 0));
}

/** Distribution of the batches of a run, with as many records as steps. */
export type Batching = (records: number, random: RandomSource) => readonly Uint32Array[];

export const poissonBatches: Batching = (records, random) =>
  Array.from({ length: records }, () => poisson.draw({ rate: 1 / records }, records, random));

/** A run over 8 batches of expected size 1, on neighbours that differ in the presence of one record. */
export function sampledSums(
  name: string,
  {
    batching,
    others,
    sigma = 0.5,
    noise = sigma,
  }: {
    readonly batching: Batching;
    readonly others: number | null;
    readonly sigma?: number;
    readonly noise?: number;
  },
): Subject<'release'> {
  const steps = 8;
  const crowd = Array.from({ length: steps - 1 }, () => others);
  const adjacency: Adjacency = 'zero-out';
  const release: ReleaseSubject<readonly (number | null)[]> = {
    kind: 'release',
    name,
    claims,
    adjacency,
    kinds: [sampledGaussianEvent],
    event: {
      kind: 'mutants/sampled-gaussian',
      v: 1,
      steps,
      rate: 1 / steps,
      sigma,
    } as ReleaseSubject['event'],
    pairs: [
      [
        [1, ...crowd],
        [null, ...crowd],
      ],
    ],
    release: (records, { random }) =>
      noisySums(records, batching(records.length, random.fork('batches')), noise, random.fork('noise')),
  };
  return release as Subject<'release'>;
}
