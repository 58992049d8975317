import {
  meanShape,
  type MeanRun,
  type MeanShape,
  type Moment,
  type RandomSource,
  type Sensitivity,
} from '@lethe/core';
import { clippedMean, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';

export interface Radius {
  readonly radius: number;
}
export type Shape = Pick<MeanShape, 'dimension' | 'slots'>;

const within = ({ radius }: Radius): Parameters<typeof clippedMean.event>[0] => ({
  clip: l2Clip({ radius }),
  mechanism: gaussian({}),
});
const whole = (shape: Shape): MeanShape => meanShape({ ...shape, registry: mechanisms });

/** Algorithm 1: the mean of records clipped to an ℓ2 ball, with Gaussian noise. */
export const ballMean = Object.freeze({
  sensitivity: (at: Radius, shape: Shape): Sensitivity => clippedMean.sensitivity(within(at), whole(shape)),
  begin: (at: Radius, shape: Shape, random: RandomSource): MeanRun =>
    clippedMean.begin(within(at), whole(shape), random),
  biasBound: (at: Radius, shape: Shape, moment: Moment): number =>
    clippedMean.biasBound(within(at), whole(shape), moment),
  varianceBound: (at: Radius, shape: Shape, moment: Moment, noiseVariance: number): number =>
    clippedMean.varianceBound(within(at), whole(shape), moment, noiseVariance),
});
