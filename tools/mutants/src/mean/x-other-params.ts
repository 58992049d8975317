import { l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { ballMean } from '../reference/ball-mean.js';
import { planted } from './plant.js';

export const biasAtRadiusOne = defineMutant({
  id: 'mean/bias-bound-right-at-radius-1-alone',
  title: 'biasBound is that of radius 1, which is the radius of the example',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/bias-bound'],
  within: 20_000,
  plant: () =>
    planted(ballMean, {
      examples: [{ radius: 1 }],
      biasBound: (_params, _shape, moment) => l2Clip.biasBound({ radius: 1 }, moment),
    }),
});

export const halvedForThousandSlots = defineMutant({
  id: 'mean/sensitivity-halved-from-1000-slots-on',
  title: 'the declared sensitivity is halved from 1000 slots on',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 20_000,
  plant: () =>
    planted(ballMean, {
      sensitivity(params, shape) {
        const declared = ballMean.sensitivity(params, shape);
        return shape.slots < 1000
          ? declared
          : Object.fromEntries(
              Object.entries(declared).map(([adjacency, value]) => [adjacency, (value ?? 0) / 2]),
            );
      },
    }),
});
