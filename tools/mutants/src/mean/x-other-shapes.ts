import {
  type CentralMean,
  type CoreEvent,
  type MeanRun,
  type MeanShape,
  type PrivacyEvent,
  type Vector,
} from '@lethe/core';
import type { LawId } from '@lethe/laws';
import { defineMutant, type Mutant } from '../mutant.js';
import { ballMean } from '../reference/ball-mean.js';
import { addTo, clip, planted } from './plant.js';

const base = ballMean as CentralMean<typeof ballMean.params>;
type Bug = Parameters<typeof planted<typeof ballMean.params>>[1];

const elsewhere = (
  id: string,
  title: string,
  [law, within]: readonly [LawId<'mean'>, number],
  bug: Bug,
): Mutant<'mean'> =>
  defineMutant({
    id: `mean/${id}`,
    title,
    kind: 'mean',
    source: 'generic',
    killedBy: [law],
    within,
    plant: () => planted(base, bug),
  });

/** The first record is added to the answer, in some shapes. */
const leaksIn = (isWrong: (shape: MeanShape) => boolean): Bug => ({
  begin(params, shape, random): MeanRun {
    const run = ballMean.begin(params, shape, random);
    let first: Vector | undefined;
    return {
      ...run,
      add(slot, gradient) {
        first ??= gradient.slice();
        run.add(slot, gradient);
      },
      finish(noised) {
        if (first !== undefined && isWrong(shape) && first.every(Number.isFinite)) addTo(noised, first);
        return noised;
      },
    };
  },
});

/** The event of Gaussian noise a hundredth larger, in some shapes. */
const quieter = (isWrong: (shape: MeanShape) => boolean): Bug => ({
  event(_params, noise, shape) {
    const gaussian = noise as CoreEvent<'core/gaussian'>;
    return isWrong(shape) && noise.kind === 'core/gaussian'
      ? ({ ...gaussian, sigma: 1.01 * gaussian.sigma } as PrivacyEvent)
      : noise;
  },
});

export const leakyInManySlots = elsewhere(
  'finish-adds-a-record-in-many-slots',
  'finish adds the first record in more than 5 000 slots',
  ['mean/post-processing', 300],
  leaksIn(({ slots }) => slots > 5000),
);
export const leakyWhenWide = elsewhere(
  'finish-adds-a-record-of-many-entries',
  'finish adds the first record if it has more than 40 entries',
  ['mean/post-processing', 300],
  leaksIn(({ dimension }) => dimension > 40),
);
export const leakyByWeight = elsewhere(
  'finish-adds-a-record-of-another-weight',
  'finish adds the first record if the weight of its gradients is not 1',
  ['mean/post-processing', 300],
  leaksIn(({ weight }) => weight !== 1),
);
export const quieterInManySlots = elsewhere(
  'event-too-small-in-many-slots',
  'in more than 100 000 slots the event is that of noise a hundredth larger',
  ['mean/event', 3_000],
  quieter(({ slots }) => slots > 1e5),
);
export const quieterByWeight = elsewhere(
  'event-too-small-at-another-weight',
  'where gradients have a weight above 1 the event is that of noise a hundredth larger',
  ['mean/event', 3_000],
  quieter(({ weight }) => weight > 1),
);
export const halvedIn1000 = elsewhere(
  'variance-halved-from-1000-slots',
  'the variance bound is half of what it is from 1 000 slots on',
  ['mean/variance-bound', 30_000],
  {
    varianceBound: (params, shape, moment, noise) =>
      ballMean.varianceBound(params, shape, moment, noise) * (shape.slots >= 1000 ? 0.5 : 1),
  },
);
export const halvedAmongRecords = elsewhere(
  'variance-of-records-halved-in-3-slots',
  'the part of the variance bound that is due to records is halved from 3 slots on',
  ['mean/variance-bound', 30_000],
  {
    varianceBound: (params, shape, moment, noise) =>
      ballMean.varianceBound(
        params,
        shape.slots < 3 ? shape : { ...shape, slots: 2 * shape.slots },
        moment,
        noise,
      ),
  },
);
export const movesFurtherAt40 = elsewhere(
  'sensitivity-too-small-around-40-slots',
  'under replace-one the sensitivity is a tenth too small in 31 to 249 slots',
  ['mean/sensitivity', 20_000],
  {
    sensitivity(params, shape) {
      const { 'replace-one': moves = 0, ...others } = ballMean.sensitivity(params, shape);
      const { slots } = shape;
      return { ...others, 'replace-one': slots > 30 && slots < 250 ? 0.9 * moves : moves };
    },
  },
);

const sums = new Map<number, Vector>();
export const sharedSum = elsewhere(
  'sum-shared-by-releases-of-a-shape',
  'releases of more than 15 entries and slots add to one sum',
  ['mean/coins-alone', 200],
  {
    begin(params, shape, random) {
      const run = ballMean.begin(params, shape, random);
      if (shape.dimension < 16 || shape.slots < 16) return run;
      const sum = sums.get(shape.dimension) ?? new Float64Array(shape.dimension);
      sums.set(shape.dimension, sum);
      return {
        ...run,
        add: (_slot, gradient) => addTo(sum, clip(gradient, params.radius)),
        value: () => sum.map((x) => x / shape.slots),
      };
    },
  },
);
