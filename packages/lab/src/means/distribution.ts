import { InvalidParameter, seededRandom, type Moment, type Vector } from '@lethe/core';
import { logGamma } from '@lethe/numerics';
import { syntheticData, type SyntheticSpec } from '@lethe/losses';
import type { KnownDistributionSpec } from '../experiment/mean-schema.js';

/** A distribution of records with known mean and moments. */
export interface RecordDistribution {
  readonly dimension: number;
  readonly mean: Vector;
  /** Bounds on `E‖z‖^k`, one for each order. */
  readonly moments: readonly Moment[];
  /** All values with their probabilities; `null` for infinitely many. */
  readonly atoms: readonly { readonly at: Vector; readonly probability: number }[] | null;
  /** `count` independent records, row by row. */
  draw(count: number, seedLabel: string): Float64Array;
}

/**
 * The distribution that an experiment describes.
 *
 * @throws {InvalidParameter} for an order whose moment is infinite.
 */
export function distributionOf(spec: KnownDistributionSpec): RecordDistribution {
  const { dimension, mean, atoms, moment, draw } = shapes(spec);
  const moments = spec.orders.map((order): Moment => {
    const value = moment(order);
    if (!(value < Infinity))
      throw new InvalidParameter(
        `law '${spec.name}' has no moment of order ${order} that a number can hold; ` +
          'give lower orders, or lighter tails',
        { law: spec.name, order },
      );
    return { order, value };
  });
  return { dimension, mean, atoms, moments, draw };
}

type Shape = Omit<RecordDistribution, 'moments'> & { readonly moment: (order: number) => number };

function shapes(spec: KnownDistributionSpec): Shape {
  switch (spec.law) {
    case 'two-point': {
      const { dimension: d, size, probability } = spec;
      const spike = diagonal(d, size);
      const atoms = [
        { at: spike, probability },
        ...(probability < 1 ? [{ at: new Float64Array(d), probability: 1 - probability }] : []),
      ];
      return {
        dimension: d,
        mean: diagonal(d, probability * size),
        atoms,
        moment: (k) => probability * size ** k,
        draw: (count, seedLabel) => pick(atoms, d, count, seedLabel),
      };
    }
    case 'finite': {
      const atoms = spec.points.map(({ at, probability }) => ({ at: Float64Array.from(at), probability }));
      const d = atoms[0].at.length;
      const mean = Float64Array.from({ length: d }, (_, j) =>
        atoms.reduce((sum, { at, probability }) => sum + probability * at[j], 0),
      );
      return {
        dimension: d,
        mean,
        atoms,
        moment: (k) =>
          atoms.reduce((sum, { at, probability }) => sum + probability * Math.hypot(...at) ** k, 0),
        draw: (count, seedLabel) => pick(atoms, d, count, seedLabel),
      };
    }
    case 'gaussian': {
      const { dimension: d, scale, shift } = spec;
      return {
        dimension: d,
        mean: diagonal(d, shift),
        atoms: null,
        moment: (k) => shifted(k, shift, scale ** k * normalMoment(d, k)),
        draw: (count, seedLabel) => around(diagonal(d, shift), count, { law: 'gaussian', scale }, seedLabel),
      };
    }
    case 'multivariate-t': {
      const { dimension: d, degreesOfFreedom: nu, scale, shift } = spec;
      // A normal vector over the root of an independent chi-square over its degrees of freedom.
      const moment = (k: number): number =>
        k < nu
          ? scale ** k *
            normalMoment(d, k) *
            Math.exp((k / 2) * Math.log(nu / 2) + logGamma((nu - k) / 2) - logGamma(nu / 2))
          : Infinity;
      return {
        dimension: d,
        mean: diagonal(d, shift),
        atoms: null,
        moment: (k) => shifted(k, shift, moment(k)),
        draw: (count, seedLabel) =>
          around(
            diagonal(d, shift),
            count,
            { law: 'multivariate-t', degreesOfFreedom: nu, scale },
            seedLabel,
          ),
      };
    }
    case 'pareto': {
      const { dimension: d, tail, scale } = spec;
      return {
        dimension: d,
        mean: diagonal(d, (scale * tail) / (tail - 1)),
        atoms: null,
        moment: (k) => (k < tail ? (scale ** k * tail) / (tail - k) : Infinity),
        draw(count, seedLabel) {
          const norms = syntheticData(
            { rows: count, columns: 1, features: { law: 'pareto', tail, scale, signed: false } },
            seededRandom(seedLabel),
          ).features.data;
          return Float64Array.from({ length: count * d }, (_, i) => norms[Math.floor(i / d)] / Math.sqrt(d));
        },
      };
    }
  }
}

/** A vector of the given length along (1, …, 1). */
const diagonal = (dimension: number, length: number): Vector =>
  new Float64Array(dimension).fill(length / Math.sqrt(dimension));
/** `E‖z‖^k` of a standard normal vector. */
const normalMoment = (d: number, k: number): number =>
  Math.exp((k / 2) * Math.LN2 + logGamma((d + k) / 2) - logGamma(d / 2));
/** Minkowski's inequality: the root of a moment grows by no more than the shift. */
const shifted = (k: number, shift: number, moment: number): number =>
  shift === 0 ? moment : (moment ** (1 / k) + shift) ** k;

function around(
  mean: Vector,
  count: number,
  features: SyntheticSpec['features'],
  seedLabel: string,
): Float64Array {
  const records = syntheticData({ rows: count, columns: mean.length, features }, seededRandom(seedLabel))
    .features.data;
  for (let i = 0; i < records.length; i++) records[i] += mean[i % mean.length];
  return records;
}

function pick(
  atoms: NonNullable<RecordDistribution['atoms']>,
  dimension: number,
  count: number,
  seedLabel: string,
): Float64Array {
  const random = seededRandom(seedLabel);
  const out = new Float64Array(count * dimension);
  for (let i = 0; i < count; i++) {
    let left = random.uniform();
    out.set(
      (atoms.find(({ probability }) => (left -= probability) < 0) ?? atoms[atoms.length - 1]).at,
      i * dimension,
    );
  }
  return out;
}
